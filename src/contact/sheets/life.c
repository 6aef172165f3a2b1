/* contact/sheets/life.c  How long a list lives.
 *
 * A list of all pairs below a skin is complete until two points of its regions may have come closer, since it was built, by
 * the skin.  Two bounds of that:
 *
 * - the paths of the two regions, sums over drifts.  A comparison of two numbers, but what swings to and fro adds up;
 * - where the points are.  With u = x - x_ref in a box U for each region, and R the box of what had changed when the references
 *   of its regions were taken, all relative displacements since the list was built lie in
 *     R + U_A - U_B,   a new reference of A:   R <- R + U_A,  U_A <- 0                                       [sheets 24]
 *
 * The second is found only when the first fails; a list is built anew when both do. */
#include "contact/sheets/search.h"

#include "math/math.h"

#include <string.h>

/* Couples of each region. */
static vv_status list_couples(vvi_sheet_search *w, vvi_arena *arena)
{
  const struct vvi_sheets *s = w->sheets;
  int32_t *at = w->couple0 = VVI_ARENA_NEW(arena, int32_t, s->n_region + 2);
  w->couple_of = VVI_ARENA_NEW(arena, int32_t, 2 * (int64_t)s->n_couple + 1);
  if (at == NULL || w->couple_of == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n_couple; i++) {
    at[s->couple[i].a + 2]++;
    if (s->couple[i].b != s->couple[i].a) at[s->couple[i].b + 2]++;
  }
  for (int32_t r = 0; r < s->n_region; r++) at[r + 2] += at[r + 1];
  for (int32_t i = 0; i < s->n_couple; i++) {
    w->couple_of[at[s->couple[i].a + 1]++] = i;
    if (s->couple[i].b != s->couple[i].a) w->couple_of[at[s->couple[i].b + 1]++] = i;
  }
  return VV_OK;
}

vv_status vvi_sheet_life_create(vvi_sheet_search *w, vvi_arena *arena)
{
  const struct vvi_sheets *s = w->sheets;
  int64_t vertices = 0;
  for (int32_t i = 0; i < s->n_region; i++) vertices += s->region[i].vertices;
  w->life = VVI_ARENA_NEW(arena, vvi_sheet_life, s->n_region + 1);
  w->reference = VVI_ARENA_NEW(arena, double, 3 * vertices + 1);
  if (w->life == NULL || w->reference == NULL) return VV_NOMEM;
  return list_couples(w, arena);
}

/* ---- paths ---- */

void vvi_sheet_paths_ahead(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->sheets->n_region; i++)
    w->life[i].ahead = w->life[i].path + vvi_norm3(w->speed[i].centre) + w->speed[i].allowed;
}

void vvi_sheet_paths_done(vvi_sheet_search *w)
{
  for (int32_t i = 0; i < w->sheets->n_region; i++) {
    const vvi_sheet_speed *v = &w->speed[i];
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = fabs(v->centre[c]) + v->half[c];
    w->life[i].path += vvi_norm3(d);
  }
}

void vvi_sheet_shifted(vvi_sheet_search *w, int32_t mover, double distance)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_body *b = &s->body[s->body_of_mover[mover]];
  const int32_t strip = b->strip0 + (mover - b->mover0) / VVI_SHEET_STRIP;
  for (int32_t i = s->strip_region0[strip]; i < s->strip_region0[strip + 1]; i++) {
    const int32_t region = s->strip_region[i];
    w->life[region].path += distance;
    for (int32_t k = w->couple0[region]; k < w->couple0[region + 1]; k++)
      w->list[w->couple_of[k]].travel += 2.0 * distance; /* of both, within one region */
  }
}

/* ---- places ---- */

/* The box of x - x_ref of a region. */
static const double *changed(vvi_sheet_search *w, int32_t region)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_region *r = &s->region[region];
  vvi_sheet_life *k = &w->life[region];
  if (k->round == w->round) return k->box;
  k->round = w->round;
  memset(k->box, 0, sizeof k->box);
  for (int32_t i = 0; i < r->vertices; i++) {
    const double *ref = w->reference + 3 * (int64_t)(r->vertex0 + i);
    double x[3];
    vvi_sheet_place(&w->motion, s->region_vertex[r->vertex0 + i], false, x);
    for (int c = 0; c < 3; c++) {
      const double u = x[c] - ref[c];
      k->box[c] = i == 0 || u < k->box[c] ? u : k->box[c];
      k->box[3 + c] = i == 0 || u > k->box[3 + c] ? u : k->box[3 + c];
    }
  }
  return k->box;
}

/* box += U, of a region as the first (sign 1) or the second (-1) of a couple */
static void add_changes(double box[6], const double u[6], bool first, bool second)
{
  for (int c = 0; c < 3; c++) {
    if (first) box[c] += u[c], box[3 + c] += u[3 + c];
    if (second) box[c] -= u[3 + c], box[3 + c] -= u[c];
  }
}

/* x_ref <- x */
static void refer(vvi_sheet_search *w, int32_t region)
{
  const struct vvi_sheets *s = w->sheets;
  const vvi_sheet_region *r = &s->region[region];
  vvi_sheet_life *k = &w->life[region];
  const double *u = changed(w, region);
  for (int32_t i = w->couple0[region]; i < w->couple0[region + 1]; i++) {
    const vvi_sheet_couple *c = &s->couple[w->couple_of[i]];
    add_changes(w->list[w->couple_of[i]].box, u, c->a == region, c->b == region);
  }
  for (int32_t i = 0; i < r->vertices; i++)
    vvi_sheet_place(&w->motion, s->region_vertex[r->vertex0 + i], false, w->reference + 3 * (int64_t)(r->vertex0 + i));
  memset(k->box, 0, sizeof k->box);
}

/* How much closer two points of a couple may have come since its list was built. */
static double closer(vvi_sheet_search *w, int32_t couple)
{
  const vvi_sheet_couple *c = &w->sheets->couple[couple];
  double box[6], most[3];
  memcpy(box, w->list[couple].box, sizeof box);
  add_changes(box, changed(w, c->a), true, false);
  add_changes(box, changed(w, c->b), false, true);
  for (int k = 0; k < 3; k++) most[k] = fmax(-box[k], box[3 + k]);
  return (1.0 + 1e-9) * vvi_norm3(most);
}

/* ---- lists ---- */

static double path_of(const vvi_sheet_search *w, const vvi_sheet_couple *c)
{
  return w->life[c->a].path + w->life[c->b].path;
}

bool vvi_sheet_list_holds(vvi_sheet_search *w, int32_t couple)
{
  const vvi_sheet_couple *c = &w->sheets->couple[couple];
  vvi_sheet_list *l = &w->list[couple];
  if (vvi_sheet_list_sleeps(w, couple)) return true;
  const double left = l->limit - l->offset - l->guard - closer(w, couple);
  if (!(left >= l->step)) return false;
  l->wake = path_of(w, c) + left;
  return true;
}

void vvi_sheet_list_begins(vvi_sheet_search *w, int32_t couple)
{
  const vvi_sheet_couple *c = &w->sheets->couple[couple];
  vvi_sheet_list *l = &w->list[couple];
  refer(w, c->a);
  if (c->b != c->a) refer(w, c->b);
  memset(l->box, 0, sizeof l->box);
  l->wake = path_of(w, c) + l->limit - l->offset - l->guard;
}
