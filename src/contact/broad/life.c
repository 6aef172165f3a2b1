/* contact/broad/life.c  How long a list of near pairs stays complete.
 *
 * A list of all pairs below a skin is complete until two points of its clusters may have come closer, since it was built, by
 * the skin.  Two bounds of that:
 *
 * - the paths of the two clusters, sums over drifts.  A comparison of two numbers, but what swings to and fro adds up, and so does what
 *   flies together: there it is the way of one relative to the other, drift by drift;
 * - where the points are.  With u = x - x_ref in a box U for each cluster, and S the sum of these boxes whenever its reference
 *   was taken anew, S <- S + U, U <- 0, all relative displacements since a list was built at S' lie in
 *     (S_A - S'_A + U_A) - (S_B - S'_B + U_B)                                                                [sheets 24]
 *   where boxes are added and subtracted end by end: a new reference concerns no list.
 *
 * The second is found only when the first fails; a list is built anew when both do. */
#include "contact/broad/away.h"
#include "contact/broad/search.h"

#include "math/math.h"

#include <string.h>

vv_status vvi_sheet_life_create(vvi_sheet_search *w, vvi_arena *arena)
{
  const struct vvi_sheets *s = w->sheets;
  int64_t vertices = 0;
  for (int32_t i = 0; i < s->n_cluster; i++) vertices += s->cluster[i].vertices;
  w->life = VVI_ARENA_NEW(arena, vvi_sheet_life, s->n_cluster + 1);
  w->reference = VVI_ARENA_NEW(arena, double, 3 * vertices + 1);
  return w->life == NULL || w->reference == NULL ? VV_NOMEM : VV_OK;
}

/* ---- paths ---- */

void vvi_sheet_path_ahead(vvi_sheet_search *w, int32_t cluster)
{
  const vvi_sheet_speed *v = &w->speed[cluster];
  const double *fly = w->carry[w->sheets->cluster[cluster].body];
  const double off[3] = {v->centre[0] - fly[0], v->centre[1] - fly[1], v->centre[2] - fly[2]};
  vvi_sheet_life *k = &w->life[cluster];
  k->pace = vvi_norm3(v->centre) + v->allowed;
  k->ahead = k->path + w->drifts_ahead * k->pace;
  k->stray_ahead = k->stray + w->drifts_ahead * (vvi_norm3(off) + v->allowed);
  w->past[cluster] = (k->ahead > k->wake ? VVI_SHEET_BOX : 0) | (k->stray_ahead > k->nap ? VVI_SHEET_NAP : 0);
}

void vvi_sheet_paths_ahead(vvi_sheet_search *w)
{
  for (int32_t i = 0; w->away != NULL && i < w->away->n_hot; i++) vvi_sheet_away_ask(w, w->away->hot[i]);
  if (w->away != NULL) vvi_sheet_away_learn(w);
  const int32_t n = vvi_sheet_known(w);
  if (vvi_sheet_shares(w, n)) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < n; i++) vvi_sheet_path_ahead(w, vvi_sheet_known_at(w, i));
    return;
  }
  for (int32_t i = 0; i < n; i++) vvi_sheet_path_ahead(w, vvi_sheet_known_at(w, i));
}

static void path_done(vvi_sheet_search *w, int32_t cluster)
{
  const vvi_sheet_speed *v = &w->speed[cluster];
  const double *fly = w->carry[w->sheets->cluster[cluster].body];
  vvi_sheet_life *k = &w->life[cluster];
  double d[3], off[3];
  for (int c = 0; c < 3; c++) d[c] = fabs(v->centre[c]) + v->half[c], off[c] = fabs(v->centre[c] - fly[c]) + v->half[c];
  k->stride = vvi_norm3(off);
  k->path += vvi_norm3(d), k->stray += k->stride;
}

void vvi_sheet_paths_done(vvi_sheet_search *w)
{
  const int32_t n = vvi_sheet_known(w);
  if (vvi_sheet_shares(w, n)) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < n; i++) path_done(w, vvi_sheet_known_at(w, i));
    return;
  }
  for (int32_t i = 0; i < n; i++) path_done(w, vvi_sheet_known_at(w, i));
}

void vvi_sheet_shifted(vvi_sheet_search *w, int32_t mover, double distance)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[s->body_of_mover[mover]];
  const int32_t strip = b->strip0 + (mover - b->mover0) / VVI_SHEET_STRIP;
  for (int32_t i = s->strip_cluster0[strip]; i < s->strip_cluster0[strip + 1]; i++) {
    const int32_t cluster = s->strip_cluster[i];
    w->life[cluster].path += distance, w->life[cluster].stray += distance;
    for (int32_t k = 0; k < w->n_awake; k++) {
      vvi_sheet_list *l = vvi_sheet_list_at(w, k);
      if (l->a == cluster || l->b == cluster)
        l->travel += 2.0 * distance, l->way += 2.0 * distance; /* of both, within one cluster */
    }
  }
}

/* ---- places ---- */

/* The box of x - x_ref of a cluster. */
static const double *changed(vvi_sheet_search *w, int32_t cluster)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_cluster *r = &s->cluster[cluster];
  vvi_sheet_life *k = &w->life[cluster];
  if (k->round == w->round) return k->box;
  k->round = w->round;
  memset(k->box, 0, sizeof k->box);
  for (int32_t i = 0; i < r->vertices; i++) {
    const double *ref = w->reference + 3 * (int64_t)(r->vertex0 + i);
    double x[3];
    vvi_sheet_place(&w->motion, s->cluster_vertex[r->vertex0 + i], false, x);
    for (int c = 0; c < 3; c++) {
      const double u = x[c] - ref[c];
      k->box[c] = i == 0 || u < k->box[c] ? u : k->box[c];
      k->box[3 + c] = i == 0 || u > k->box[3 + c] ? u : k->box[3 + c];
    }
  }
  return k->box;
}

void vvi_sheet_look_at(vvi_sheet_search *w, int32_t cluster)
{
  changed(w, cluster);
}

/* x_ref <- x; once in a round, since nothing moves within it. */
void vvi_sheet_refer(vvi_sheet_search *w, int32_t cluster)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_cluster *r = &s->cluster[cluster];
  vvi_sheet_life *k = &w->life[cluster];
  if (k->refer == w->round) return;
  const double *u = changed(w, cluster);
  for (int c = 0; c < 6 && k->refer > 0; c++) k->sum[c] += u[c]; /* from the first reference on */
  for (int32_t i = 0; !vvi_sheet_sees(w, cluster) && i < r->vertices; i++)
    vvi_sheet_place(&w->motion, s->cluster_vertex[r->vertex0 + i], false, w->reference + 3 * (int64_t)(r->vertex0 + i));
  memset(k->box, 0, sizeof k->box);
  k->refer = w->round;
}

/* S_A - S_B */
static void between(const vvi_sheet_search *w, const vvi_sheet_list *l, double box[6])
{
  const double *a = w->life[l->a].sum, *b = w->life[l->b].sum;
  for (int c = 0; c < 3; c++) box[c] = a[c] - b[3 + c], box[3 + c] = a[3 + c] - b[c];
}

/* How much closer two points of a candidate pair may have come since its list was built; rounded up, as sums of many ways are
 * only as good as their size. */
static double closer(vvi_sheet_search *w, const vvi_sheet_list *l)
{
  const double *a = changed(w, l->a), *b = changed(w, l->b);
  double box[6], most[3], size = 0.0;
  between(w, l, box);
  for (int c = 0; c < 6; c++) size = fmax(size, fabs(box[c])), box[c] -= l->base[c];
  for (int c = 0; c < 3; c++) box[c] += a[c] - b[3 + c], box[3 + c] += a[3 + c] - b[c];
  for (int c = 0; c < 3; c++) most[c] = fmax(-box[c], box[3 + c]);
  return (1.0 + 1e-9) * vvi_norm3(most) + 1e-13 * size;
}

/* ---- lists ---- */

static double path_of(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  return w->life[l->a].path + w->life[l->b].path;
}

bool vvi_sheet_list_lasts(const vvi_sheet_search *w, const vvi_sheet_list *l)
{
  const double all = l->limit - l->offset - l->margin;
  return vvi_sheet_list_flies(w, l) || l->left - l->way > 0.5 * all;
}

bool vvi_sheet_list_holds(vvi_sheet_search *w, vvi_sheet_list *l)
{
  if (vvi_sheet_list_sleeps(w, l) || vvi_sheet_list_flies(w, l)) return true;
  const double left = l->limit - l->offset - l->margin - closer(w, l);
  if (!(left >= l->step)) return false;
  l->wake = path_of(w, l) + left, l->left = left, l->way = 0.0;
  return true;
}

void vvi_sheet_list_begins(vvi_sheet_search *w, vvi_sheet_list *l)
{
  vvi_sheet_refer(w, l->a);
  vvi_sheet_refer(w, l->b);
  between(w, l, l->base);
  l->left = l->limit - l->offset - l->margin, l->way = 0.0;
  l->wake = path_of(w, l) + l->left;
}
