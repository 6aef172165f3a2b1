/* step/energy_momentum/meets.c  Which shapes may touch, and by which features.
 *
 * Points with a radius (the middle of a ball, the ends of a capsule, the corners of a block or hull) against planes (a room, a
 * half space) or against a centre (a ball, a hollow ball): these are all listed beforehand, and exact however long a contact
 * lasts.  Everything else is asked of the engine's narrow phase when it is near; a spot becomes a point of one body and a plane of the
 * other that go with them for the length of the contact. */
#include "step/energy_momentum/frames.h"

#include <string.h>

/* ---- gaps ---- */

static void place_of(const vvi_pose *pose, const double body[3], double x[3])
{
  vvi_apply33(pose->turn, body, x);
  for (int k = 0; k < 3; k++) x[k] += pose->place[k];
}

/* In the axes of the master, where a plane does not turn. */
double vvi_em_gap(const vvi_em_feature *f, const vvi_pose *slave, const vvi_pose *master)
{
  double x[3], d[3], y[3];
  place_of(slave, f->point, x);
  for (int k = 0; k < 3; k++) d[k] = x[k] - master->place[k];
  vvi_tapply33(master->turn, d, y);
  for (int k = 0; k < 3; k++) y[k] -= f->place[k];
  return f->sign == 0.0 ? vvi_dot3(f->normal, y) - f->radius : f->sign * (vvi_norm3(y) - f->radius);
}

/* ---- listed features ---- */

static bool has_points(const vvi_part *p)
{
  return !p->hollow && (p->type == VVI_PART_BALL || p->type == VVI_PART_CAPSULE || p->type == VVI_PART_BLOCK ||
                        p->type == VVI_PART_HULL || p->type == VVI_PART_MESH);
}

static bool has_walls(const vvi_part *p)
{
  return p->type == VVI_PART_HALF_SPACE || (p->hollow && (p->type == VVI_PART_BALL || p->type == VVI_PART_BLOCK));
}

static bool all_parts(const vv_solid *s, bool (*is)(const vvi_part *))
{
  for (int i = 0; i < s->parts; i++)
    if (!is(&s->part[i])) return false;
  return true;
}

static bool is_ball(const vvi_part *p)
{
  return p->type == VVI_PART_BALL && !p->hollow;
}

static int points_of(const vvi_part *p)
{
  switch (p->type) {
  case VVI_PART_BALL:
    return 1;
  case VVI_PART_CAPSULE:
    return 2;
  case VVI_PART_MESH:
    return p->surface->vertices;
  default:
    return p->polyhedron->vertices;
  }
}

static double point_of(const vvi_part *p, int i, double x[3])
{
  if (p->type == VVI_PART_MESH || p->type == VVI_PART_BLOCK || p->type == VVI_PART_HULL) {
    memcpy(x, (p->type == VVI_PART_MESH ? p->surface->vertex : p->polyhedron->vertex) + 3 * (size_t)i, 3 * sizeof *x);
    return 0.0;
  }
  const double along = p->type == VVI_PART_CAPSULE ? (i == 0 ? p->half[2] : -p->half[2]) : 0.0;
  for (int k = 0; k < 3; k++) x[k] = p->centre[k] + along * p->frame[6 + k];
  return p->radius;
}

static int walls_of(const vvi_part *p)
{
  return p->type == VVI_PART_BLOCK ? 6 : 1;
}

/* Wall i of a master's part against a point of radius r. */
static void wall_of(const vvi_part *p, int i, double r, vvi_em_feature *f)
{
  memcpy(f->place, p->centre, sizeof f->place);
  f->own = r;
  f->sign = p->type != VVI_PART_BALL ? 0.0 : p->hollow ? -1.0 : 1.0;
  f->radius = f->sign == 0.0 ? r : p->radius + f->sign * r;
  if (f->sign != 0.0) return;
  const int axis = p->type == VVI_PART_BLOCK ? i / 2 : 2;
  const double side = p->type == VVI_PART_BLOCK ? (i % 2 == 0 ? 1.0 : -1.0) : 0.0;
  for (int k = 0; k < 3; k++) {
    const double n = p->frame[3 * axis + k];
    f->place[k] += side * p->half[axis] * n;
    f->normal[k] = p->type == VVI_PART_BLOCK ? -side * n : n;
  }
}

static bool listed(const vv_solid *slave, const vv_solid *master)
{
  return (all_parts(slave, has_points) && all_parts(master, has_walls)) ||
         (all_parts(slave, is_ball) && all_parts(master, is_ball));
}

/* All features of a slave against a master. */
static bool list(const vv_solid *slave, const vv_solid *master, vvi_em_feature f, vvi_em_feature_fn *tell, void *user,
                 int64_t *n)
{
  for (int i = 0; i < slave->parts; i++)
    for (int point = 0; point < points_of(&slave->part[i]); point++)
      for (int j = 0; j < master->parts; j++)
        for (int wall = 0; wall < walls_of(&master->part[j]); wall++) {
          f.key = (uint32_t)(*n)++;
          wall_of(&master->part[j], wall, point_of(&slave->part[i], point, f.point), &f);
          if (!tell(user, &f)) return false;
        }
  return true;
}

bool vvi_em_features(const vvi_em_rigid *w, const vvi_candidate *k, vvi_em_feature_fn *tell, void *user, int64_t *n)
{
  const vv_solid *a = vvi_solids_seen(w->solids, k->a, k->b), *b = vvi_solids_seen(w->solids, k->b, k->a);
  const int32_t frame_a = w->frame_of[k->a], frame_b = w->frame_of[k->b];
  vvi_em_feature blank = {.a = k->a, .b = k->b, .law = k->rule, .slave = frame_a, .master = frame_b};
  *n = 0;
  blank.a_slave = true;
  if (listed(a, b)) return list(a, b, blank, tell, user, n);
  blank.slave = frame_b, blank.master = frame_a, blank.a_slave = false;
  return !listed(b, a) || list(b, a, blank, tell, user, n);
}

/* ---- pairs ---- */

enum { FEW = 32 }; /* objects: below it a broad phase costs more than it saves */

static vv_status list_all(vvi_em_rigid *w, vvi_arena *arena)
{
  const struct vvi_solids *s = w->solids;
  vvi_candidate *few = VVI_ARENA_NEW(arena, vvi_candidate, (int64_t)s->n * s->n);
  if (few == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = i + 1; j < s->n; j++) {
      const int32_t rule = vvi_solids_rule(s, i, j);
      if (rule >= 0) few[w->n_few++] = (vvi_candidate){.a = i, .b = j, .rule = rule};
    }
  w->few = few;
  return VV_OK;
}

vv_status vvi_em_pairs_build(const vv_model *m, vvi_arena *arena, vvi_em_rigid *w)
{
  const struct vvi_solids *s = w->solids = m->solids;
  if (s == NULL) return VV_OK;
  w->law = s->rule;
  w->frame_of = VVI_ARENA_NEW(arena, int32_t, s->n + 1);
  if (w->frame_of == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < s->n; i++) w->frame_of[i] = vvi_em_frame_of(w, &s->object[i]);
  w->rough = s->rough || (m->sheets != NULL && m->sheets->rough);
  return s->n <= FEW && !vvi_em_bends(m) ? list_all(w, arena) : vvi_solid_near_create(m, arena, &w->near);
}

/* ---- spots ---- */

/* Radius about which the surface of a shape is round everywhere; 0: it is not. */
static double roundness(const vv_solid *s)
{
  const vvi_part *p = s->part;
  return s->parts == 1 && !p->hollow && (p->type == VVI_PART_BALL || p->type == VVI_PART_CAPSULE) ? p->radius : 0.0;
}

static void into(const vvi_pose *pose, const double x[3], double body[3])
{
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = x[k] - pose->place[k];
  vvi_tapply33(pose->turn, d, body);
}

/* The plane goes with the body that is not round; a round one is its axis and a radius. */
void vvi_em_of_spot(const vvi_em_rigid *w, const vvi_candidate *k, const vvi_spot *spot, const vvi_pose *a,
                    const vvi_pose *b, vvi_em_feature *out)
{
  const double round_a = roundness(vvi_solids_seen(w->solids, k->a, k->b)),
               round_b = roundness(vvi_solids_seen(w->solids, k->b, k->a));
  const int32_t frame_a = w->frame_of[k->a], frame_b = w->frame_of[k->b];
  const bool flip = round_a > 0.0 && !(round_b > 0.0); /* a is the slave */
  const double side = flip ? -1.0 : 1.0, r = flip ? round_a : round_b;
  double on_master[3], on_slave[3], nu[3];
  for (int i = 0; i < 3; i++) {
    nu[i] = side * spot->n[i];
    on_master[i] = spot->x[i] - 0.5 * spot->gap * nu[i];
    on_slave[i] = spot->x[i] + (0.5 * spot->gap + r) * nu[i];
  }
  *out = (vvi_em_feature){.a = k->a, .b = k->b, .law = k->rule, .key = spot->key, .radius = r, .own = r};
  out->slave = flip ? frame_a : frame_b, out->master = flip ? frame_b : frame_a, out->a_slave = flip;
  into(flip ? a : b, on_slave, out->point);
  into(flip ? b : a, on_master, out->place);
  vvi_tapply33((flip ? b : a)->turn, nu, out->normal);
}
