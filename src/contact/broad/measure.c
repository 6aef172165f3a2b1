/* contact/broad/measure.c  How far clusters move in the coming drift: all displacements of a cluster lie in a box. */
#include "contact/broad/away.h"
#include "contact/broad/ranks.h"
#include "contact/broad/search.h"
#include "math/math.h"

#include <string.h>

enum { STRIPS = 64 }; /* from so many on threads share them; clusters too */

static void moved(const vvi_sheet_motion *m, int32_t vertex, double d[3])
{
  double x[3];
  vvi_sheet_place(m, vertex, true, d);
  vvi_sheet_place(m, vertex, false, x);
  for (int c = 0; c < 3; c++) d[c] -= x[c];
}

static void cover(double box[6], const double low[3], const double high[3])
{
  for (int c = 0; c < 3; c++) {
    box[c] = low[c] < box[c] ? low[c] : box[c];
    box[3 + c] = high[c] > box[3 + c] ? high[c] : box[3 + c];
  }
}

/* Nodes that only move. */
static void measure_points(vvi_sheet_search *w, int32_t strip)
{
  const struct vvi_sheets *s = w->sheets;
  const int32_t body = s->strip_body[strip];
  const vvi_sheet_body *b = &s->body[body];
  const int32_t first = (strip - b->strip0) * VVI_SHEET_STRIP, left = b->movers - first;
  if (b->carrier != VVI_CARRY_POINTS || vvi_sheet_is_away(w, b)) return;
  vvi_points_bounds(&w->motion.at[body], first, left < VVI_SHEET_STRIP ? left : VVI_SHEET_STRIP, w->motion.h,
                    s->inverse + b->mover0 + first, w->strip + 6 * (int64_t)strip);
}

/* Nodes that turn: the vertices they carry; strips without any are empty. */
static void measure_frames(vvi_sheet_search *w, int32_t body)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[body];
  if (b->carrier == VVI_CARRY_POINTS) return;
  for (int32_t i = 0; i < (b->movers + VVI_SHEET_STRIP - 1) / VVI_SHEET_STRIP; i++)
    for (int c = 0; c < 3; c++) {
      double *box = w->strip + 6 * (int64_t)(b->strip0 + i);
      box[c] = INFINITY, box[3 + c] = -INFINITY;
    }
  for (int32_t v = b->vertex0; b->carrier == VVI_CARRY_FRAMES && v < b->vertex0 + b->vertices; v++) {
    double d[3];
    moved(&w->motion, v, d);
    cover(w->strip + 6 * (int64_t)(b->strip0 + (s->mover[v] - b->mover0) / VVI_SHEET_STRIP), d, d);
  }
}

void vvi_sheet_speed_of(vvi_sheet_search *w, int32_t cluster, const double box[6])
{
  const vvi_sheet_cluster *r = &w->sheets->cluster[cluster];
  vvi_sheet_speed *v = &w->speed[cluster];
  *v = (vvi_sheet_speed){.spread = 0.0};
  if (r->strips == 0) return;
  /* weights w of a vertex add up to 1: sum w d - centre = sum w (d - centre) */
  const double swing = 0.5 * w->sheets->body[r->body].swing;
  for (int c = 0; c < 3; c++) v->centre[c] = 0.5 * (box[c] + box[3 + c]), v->half[c] = swing * (box[3 + c] - box[c]);
  v->spread = vvi_norm3(v->half);
  v->allowed = 1.5 * v->spread;
}

static void measure_cluster(vvi_sheet_search *w, int32_t i)
{
  const vvi_sheet_cluster *r = &w->sheets->cluster[i];
  double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (int32_t k = r->strip0; k < r->strip0 + r->strips; k++) {
    const double *strip = w->strip + 6 * (int64_t)w->sheets->cluster_strip[k];
    cover(box, strip, strip + 3);
  }
  vvi_sheet_speed_of(w, i, box);
}

static void measure_together(vvi_sheet_search *w)
{
  const struct vvi_sheets *s = w->sheets;
#pragma omp parallel num_threads(w->threads)
  {
#pragma omp for schedule(static) nowait
    for (int32_t i = 0; i < s->n_strip; i++) measure_points(w, i);
#pragma omp for schedule(static)
    for (int32_t i = 0; i < s->n_body; i++) measure_frames(w, i);
#pragma omp for schedule(static)
    for (int32_t i = 0; i < s->n_cluster; i++) measure_cluster(w, i);
  }
}

/* Over ranks: each measures what it moves, and tells who wants it. */
static void measure_ranks(vvi_sheet_search *w)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_ranks *k = w->ranks;
  const int64_t mine = k->runs[k->net->rank];
#pragma omp parallel for schedule(static) num_threads(w->threads) if (mine > STRIPS && w->threads > 1)
  for (int64_t i = k->mine; i < k->mine + mine; i++) {
    const vvi_sheet_run *r = &k->run[i];
    const int32_t body = s->strip_body[r->strip], first = r->first - s->body[body].mover0;
    vvi_points_bounds(&w->motion.at[body], first, r->n, w->motion.h, s->inverse + r->first, k->extent + 6 * i);
  }
  if (w->anew) vvi_sheet_know_all(w);
  vvi_sheet_extents(w);
  for (int64_t i = 0; i < k->n_run; i++)
    for (int c = 0; c < 3; c++) {
      double *box = w->strip + 6 * (int64_t)k->run[i].strip;
      box[c] = INFINITY, box[3 + c] = -INFINITY;
    }
  for (int64_t i = 0; i < k->n_run; i++) /* those that are not known here are old, and nobody reads their strips */
    cover(w->strip + 6 * (int64_t)k->run[i].strip, k->extent + 6 * i, k->extent + 6 * i + 3);
  for (int32_t i = 0; i < s->n_body; i++) measure_frames(w, i);
  const int32_t n = w->anew ? k->n_known : k->n_home;
#pragma omp parallel for schedule(static) num_threads(w->threads) if (n > STRIPS && w->threads > 1)
  for (int32_t i = 0; i < n; i++) measure_cluster(w, k->known[i]);
  vvi_sheet_tell_speeds(w);
}

static void measure_alone(vvi_sheet_search *w)
{
  const struct vvi_sheets *s = w->sheets;
  for (int32_t i = 0; i < s->n_strip; i++) measure_points(w, i);
  for (int32_t i = 0; i < s->n_body; i++) measure_frames(w, i);
  for (int32_t i = 0; i < s->n_cluster; i++) measure_cluster(w, i);
}

/* Where an accelerator has points: what is not there. */
static void measure_home(vvi_sheet_search *w)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_away *k = w->away;
  for (int32_t i = 0; k->home > 0 && i < s->n_strip; i++) measure_points(w, i);
  for (int32_t i = 0; k->home > 0 && i < s->n_body; i++) measure_frames(w, i);
  for (int32_t i = 0; i < k->home; i++) measure_cluster(w, k->known[i]);
}

void vvi_sheet_measure(vvi_sheet_search *w)
{
  memset(w->fresh, 0, (size_t)w->sheets->n_cluster);
  w->round++;
  vvi_sheet_tidy(w);
  if (w->away != NULL) {
    measure_home(w);
    vvi_sheet_away_measure(w);
  } else if (w->ranks != NULL)
    measure_ranks(w);
  else if (w->sheets->n_strip > STRIPS && w->threads > 1)
    measure_together(w);
  else
    measure_alone(w);
}

/* The displacement d of a mover, seen from the clusters that it may belong to. */
static bool beyond(vvi_sheet_search *w, int32_t body, int32_t mover, const double d[3])
{
  const struct vvi_sheets *s = w->sheets;
  const int32_t strip = s->body[body].strip0 + (mover - s->body[body].mover0) / VVI_SHEET_STRIP;
  bool any = false;
  for (int32_t i = s->strip_cluster0[strip]; i < s->strip_cluster0[strip + 1]; i++) {
    if (!vvi_sheet_knows(w, s->strip_cluster[i])) continue; /* who does says so */
    vvi_sheet_speed *v = &w->speed[s->strip_cluster[i]];
    const double k = s->body[body].swing;
    const double off[3] = {k * (d[0] - v->centre[0]), k * (d[1] - v->centre[1]), k * (d[2] - v->centre[2])};
    const double size = vvi_norm3(off);
    if (size > v->spread) v->spread = size;
    for (int c = 0; c < 3; c++) v->half[c] = fmax(v->half[c], fabs(off[c]));
    any |= size > v->allowed;
  }
  return any;
}

bool vvi_sheet_exceeds(vvi_sheet_search *w, int32_t mover)
{
  const struct vvi_sheets *s = w->sheets;
  const int32_t body = s->body_of_mover[mover];
  const vvi_sheet_body *b = &s->body[body];
  double x[3], d[3];
  bool any = false;
  if (b->carrier == VVI_CARRY_POINTS) {
    vvi_sheet_node(&w->motion, body, mover, false, x);
    vvi_sheet_node(&w->motion, body, mover, true, d);
    for (int c = 0; c < 3; c++) d[c] -= x[c];
    return beyond(w, body, mover, d);
  }
  for (int32_t k = body; k < s->n_body && (k == body || s->body[k].shares == k - body); k++)
    for (int32_t i = s->body[k].vertex0; i < s->body[k].vertex0 + s->body[k].vertices; i++) {
      if (s->mover[i] != mover) continue;
      moved(&w->motion, i, d);
      any |= beyond(w, k, mover, d);
    }
  return any;
}

static void travel(vvi_sheet_search *w, vvi_sheet_list *l)
{
  const vvi_sheet_speed *a = &w->speed[l->a], *b = &w->speed[l->b];
  double d[3];
  for (int c = 0; c < 3; c++) d[c] = fabs(a->centre[c] - b->centre[c]) + a->half[c] + b->half[c];
  const double way = vvi_norm3(d);
  l->travel += way, l->way += way;
}

void vvi_sheet_advance(vvi_sheet_search *w)
{
  const int32_t n = w->n_awake;
  vvi_sheet_paths_done(w);
  if (vvi_sheet_shares(w, n)) {
#pragma omp parallel for schedule(static) num_threads(w->threads)
    for (int32_t i = 0; i < n; i++) travel(w, vvi_sheet_list_at(w, i));
  } else {
    for (int32_t i = 0; i < n; i++) travel(w, vvi_sheet_list_at(w, i));
  }
  vvi_sheet_sleep(w);
  if (w->away != NULL) vvi_sheet_away_drifted(w);
}
