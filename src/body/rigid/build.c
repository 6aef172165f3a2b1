/* body/rigid/build.c  Reads the keys of a rigid body and computes masses, inertias and the first state. */
#include "body/rigid/rigid.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero(const vv_group *g, const char *name)
{
  const double *v = vv_numbers(g, name, NULL);
  return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

static vv_status check_motion(const vv_group *g)
{
  if (!vv_has(g, "motion")) return VV_OK;
  const vv_group *motion = vv_sub(g, "motion");
  if (vv_boolean(g, "fixed")) return vv_complain(g, "motion", "a fixed body does not move; leave 'fixed' out");
  if (!is_zero(g, "velocity") || !is_zero(g, "spin"))
    return vv_complain(g, is_zero(g, "velocity") ? "spin" : "velocity", "follows from 'motion'; leave it out");
  return vvi_history_check(motion, "history");
}

static vv_status check_fixed(const vv_group *g)
{
  if (!vv_boolean(g, "fixed")) return VV_OK;
  vv_status status = VV_OK;
  if (!is_zero(g, "velocity")) status = vv_complain(g, "velocity", "a fixed body does not move");
  if (!is_zero(g, "spin")) status = vv_complain(g, "spin", "a fixed body does not turn");
  if (rigid_loads_count(g) > 0) status = vv_complain(g, "loads", "a load on a fixed body does nothing");
  const vv_group *c = vv_has(g, "copies") ? vv_sub(g, "copies") : NULL;
  if (c != NULL && (vv_number(c, "speed") > 0.0 || vv_number(c, "spin") > 0.0))
    status = vv_complain(c, vv_number(c, "speed") > 0.0 ? "speed" : "spin", "a fixed body does not move");
  return status;
}

vv_status rigid_measure(const vv_group *g, vv_need *need)
{
  vvi_arena arena = {0};
  rigid_weight w;
  double q[4];
  vv_status status = rigid_solid(g, &arena, &w) != NULL ? VV_OK : VV_SCENE;
  vvi_arena_free(&arena);
  if (rigid_orientation(g, "orientation", q) != VV_OK) status = VV_SCENE;
  const int64_t copies = rigid_copies(g);
  if (copies < 1 || rigid_loads_check(g, copies) != VV_OK || check_fixed(g) != VV_OK || check_motion(g) != VV_OK)
    status = VV_SCENE;
  need->nodes = copies > 0 ? copies : 1;
  need->patches = 1;
  need->loads = rigid_loads_count(g);
  return status;
}

/* ---- fill ---- */

/* Two moments are equal: they become the first two, by a turn that carries the axes around.  What differs by rounding only
 * is made equal, and what is rounding is made zero. */
static rigid_class classify(double moment[3], double turn[9])
{
  const double same = 1e-13 * fmax(moment[0], fmax(moment[1], moment[2]));
  for (int c = 0; c < 3; c++)
    if (moment[c] <= same) moment[c] = 0.0;
  bool equal[3]; /* equal[c]: the two others than c */
  for (int c = 0; c < 3; c++) equal[c] = fabs(moment[(c + 1) % 3] - moment[(c + 2) % 3]) <= same;
  if (equal[0] + equal[1] + equal[2] >= 2) {
    moment[0] = moment[1] = moment[2] = (moment[0] + moment[1] + moment[2]) / 3.0;
    return RIGID_EVEN;
  }
  int odd = 2;
  while (odd >= 0 && !equal[odd]) odd--;
  if (odd < 0) return RIGID_UNEVEN;
  double old_moment[3], old_turn[9];
  memcpy(old_moment, moment, sizeof old_moment);
  memcpy(old_turn, turn, sizeof old_turn);
  for (int c = 0; c < 3; c++) {
    const int from = (odd + 1 + c) % 3; /* c = 2: the odd one */
    moment[c] = old_moment[from];
    for (int r = 0; r < 3; r++) turn[3 * r + c] = old_turn[3 * r + from];
  }
  moment[0] = moment[1] = 0.5 * (moment[0] + moment[1]);
  return RIGID_TOP;
}

/* Columns of all copies. */
static void fill_columns(vv_fill *f, const rigid_weight *w, const double moment[3])
{
  const vv_block *b = f->block;
  double *column[RIGID_NODE_COLUMNS];
  for (int c = 0; c < RIGID_NODE_COLUMNS; c++) column[c] = b->node_real + c * b->stride + f->body->node0;
  for (int64_t i = 0; i < f->body->n_node; i++) {
    column[RIGID_MASS][i] = w->mass;
    column[RIGID_INVERSE_MASS][i] = w->mass > 0.0 ? 1.0 / w->mass : 0.0;
    for (int c = 0; c < 3; c++) {
      column[RIGID_INERTIA + c][i] = moment[c];
      column[RIGID_INVERSE_INERTIA + c][i] = moment[c] > 0.0 ? 1.0 / moment[c] : 0.0;
    }
  }
}

/* x = position + R c; the quaternion of the principal axes is that of the shape after `turn`. */
static void fill_node(vv_fill *f, const rigid_body *k, const double moment[3], double mass, const rigid_place *p,
                      int64_t i)
{
  const int64_t column = f->block->column;
  double r[9], way[3], q[4], spin[3], body[3];
  vvi_quaternion_matrix(p->turn, r);
  vvi_apply33(r, k->centre, way);
  vvi_quaternion_times(p->turn, k->turn, q);
  vvi_quaternion_matrix(q, r);
  vvi_tapply33(r, p->spin, body);
  for (int c = 0; c < 3; c++) body[c] *= moment[c];
  vvi_apply33(r, body, spin);
  for (int c = 0; c < 3; c++) {
    f->q[(RIGID_X + c) * column + i] = p->x[c] + way[c];
    f->p[(RIGID_P + c) * column + i] = mass * p->velocity[c];
    f->p[(RIGID_H + c) * column + i] = spin[c];
  }
  for (int c = 0; c < 4; c++) f->q[(RIGID_TURN + c) * column + i] = q[c];
}

/* Drawn in the axes of the shape, from the centre of mass; the more copies, the coarser. */
static vv_status fill_skin(vv_fill *f, const vv_solid *solid, const double centre[3], vv_skin *skin)
{
  const int64_t n = f->body->n_node;
  const int around = n <= 4 ? 48 : n <= 16 ? 32 : n <= 256 ? 12 : 8;
  int points = 0, triangles = 0;
  vvi_solid_draw(solid, around, &points, NULL, &triangles, NULL);
  double *point = VVI_ARENA_NEW(f->arena, double, 3 * points);
  int *triangle = VVI_ARENA_NEW(f->arena, int, 3 * triangles);
  if (point == NULL || triangle == NULL) return VV_NOMEM;
  vvi_solid_draw(solid, around, &points, point, &triangles, triangle);
  for (int i = 0; i < 3 * points; i++) point[i] -= centre[i % 3];
  *skin = (vv_skin){.points = points, .triangles = triangles, .point = point, .triangle = triangle};
  return VV_OK;
}

/* The solid moves to the frame of the nodes. */
static vv_status fill_patch(vv_fill *f, vv_solid *solid, const double centre[3], const double turn[9], bool fixed)
{
  rigid_shape *shape = VVI_ARENA_NEW(f->arena, rigid_shape, 1);
  if (shape == NULL) return VV_NOMEM;
  VV_TRY(fill_skin(f, solid, centre, &shape->skin));
  vvi_solid_move(solid, centre, turn);
  vvi_solid_finish(solid);
  shape->solid = *solid;
  f->block->patch[f->body->patch0] = (vv_patch){.type = VV_PATCH_SOLID,
                                                .body = f->body->index,
                                                .node = f->body->node0,
                                                .nodes = f->body->n_node,
                                                .feature = "surface",
                                                .held = fixed,
                                                .solid = &shape->solid};
  return VV_OK;
}

static vv_status fill_copies(const vv_group *g, vv_fill *f, const rigid_body *k, const double moment[3], double mass)
{
  const int64_t n = f->body->n_node;
  rigid_place *place = malloc((size_t)n * sizeof *place);
  if (place == NULL) return vv_complain(g, "copies", "out of memory for %lld copies", (long long)n);
  const vv_status status = rigid_places(g, n, place);
  for (int64_t i = 0; status == VV_OK && i < n; i++) fill_node(f, k, moment, mass, &place[i], f->body->node0 + i);
  free(place);
  return status;
}

vv_status rigid_fill(const vv_group *g, vv_fill *f)
{
  const bool fixed = vv_boolean(g, "fixed");
  rigid_body *k = (rigid_body *)(void *)(f->block->body_real + f->body_in_block * RIGID_BODY_COLUMNS);
  rigid_weight w;
  double moment[3] = {0}, turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  vv_solid *solid = rigid_solid(g, f->arena, &w);
  if (solid == NULL) return VV_SCENE;
  *k = (rigid_body){.kind = RIGID_HELD};
  memcpy(k->centre, w.centre, sizeof w.centre);
  if (!fixed) {
    vvi_principal(w.inertia, moment, turn);
    k->kind = classify(moment, turn);
    if (k->kind == RIGID_UNEVEN) f->block->claims &= ~(unsigned)(VV_EXPLICIT | VV_SYMPLECTIC);
  }
  vvi_quaternion_of(turn, k->turn);
  fill_columns(f, &w, moment);
  VV_TRY(fill_patch(f, solid, w.centre, turn, fixed));
  VV_TRY(fill_copies(g, f, k, moment, w.mass));
  rigid_loads_fill(g, f, k);
  const vv_group *damping = vv_has(g, "damping") && !fixed ? vv_sub(g, "damping") : NULL;
  if (damping != NULL) {
    k->drag[0] = vv_number(damping, "linear"), k->drag[1] = vv_number(damping, "angular");
    if (k->drag[0] > 0.0 || k->drag[1] > 0.0) f->block->viscous = true;
  }
  const bool weight = !fixed && vvi_norm3(f->block->gravity) > 0.0;
  if (weight || f->body->n_load > 0) f->block->booked = true;
  return VV_OK;
}
