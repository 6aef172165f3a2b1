/* contact/shapes/facets.c  Rigid shapes as vertices and elements: a ball is a vertex and its radius, a capsule a segment and its
 * radius; blocks, hulls and meshes are their own triangles, cylinders and hollow balls polyhedra with corners on them.
 *                                                                                                           [sheets 14]
 * Convex obstacles likewise, for what their distance from vertices does not see.                           [sheets 14a] */
#include "contact/shapes/facets.h"

enum { AROUND = 32, HOLLOW_AROUND = 64 }; /* corners of a cylinder, of the equator of a hollow ball */

/* What the elements of a part are held apart by. */
static double radius_of(const vvi_part *p)
{
  return (p->type == VVI_PART_BALL && !p->hollow) || p->type == VVI_PART_CAPSULE ? p->radius : 0.0;
}

/* Is part k the first with its radius? */
static bool is_first(const vv_solid *s, int k)
{
  for (int i = 0; i < k; i++)
    if (radius_of(&s->part[i]) == radius_of(&s->part[k])) return false;
  return true;
}

int vvi_sheet_shells_of(const vv_solid *s)
{
  int n = 0;
  for (int k = 0; k < s->parts; k++) n += is_first(s, k);
  return n;
}

static double radius_of_shell(const vv_solid *s, int g)
{
  for (int k = 0; k < s->parts; k++)
    if (is_first(s, k) && g-- == 0) return radius_of(&s->part[k]);
  return 0.0;
}

/* Points and elements of one part behind those of the others; NULL arrays: only counted. */
typedef struct outline {
  int points, elements;
  double *point;
  int *element;
} outline;

static void add_points(outline *o, const vvi_part *p, int n)
{
  for (int k = 0; k < n && o->point != NULL; k++) {
    const double along = n == 1 ? 0.0 : k == 0 ? -p->half[2] : p->half[2];
    for (int c = 0; c < 3; c++) o->point[3 * (o->points + k) + c] = p->centre[c] + along * p->frame[6 + c];
  }
  for (int k = 0; k < 3 && o->element != NULL; k++) o->element[3 * o->elements + k] = k < n ? o->points + k : -1;
  o->points += n, o->elements++;
}

static void add_part(outline *o, vvi_part *p)
{
  if (p->type == VVI_PART_BALL && !p->hollow) {
    add_points(o, p, 1);
  } else if (p->type == VVI_PART_CAPSULE) {
    add_points(o, p, p->half[2] > 0.0 ? 2 : 1);
  } else {
    const vv_solid one = {.parts = 1, .part = p};
    const int around = p->type == VVI_PART_BALL ? HOLLOW_AROUND : AROUND;
    int points, triangles, *at = o->element != NULL ? o->element + 3 * o->elements : NULL;
    vvi_solid_draw(&one, around, &points, o->point != NULL ? o->point + 3 * o->points : NULL, &triangles, at);
    for (int i = 0; i < 3 * triangles && at != NULL; i++) at[i] += o->points;
    o->points += points, o->elements += triangles;
  }
}

/* The walls of a container have two sides; where they have no thickness these are one. */
static void add_outside(outline *o, const vv_solid *s)
{
  if (s->outside == NULL || s->outside->reach == s->reach) return;
  vvi_part wall = s->outside->part[0];
  wall.hollow = true; /* a surface: something else is inside */
  add_part(o, &wall);
}

static void add_shell(outline *o, const vv_solid *s, double radius)
{
  o->points = o->elements = 0;
  for (int k = 0; k < s->parts; k++)
    if (radius_of(&s->part[k]) == radius) add_part(o, &s->part[k]);
  if (s->hollow) add_outside(o, s);
}

vv_status vvi_sheet_solid(vvi_arena *arena, const vv_solid *s, int g, const vvi_pose *pose, vvi_sheet_part *part)
{
  const double radius = radius_of_shell(s, g);
  outline o = {0};
  add_shell(&o, s, radius);
  o.point = VVI_ARENA_NEW(arena, double, 3 * (int64_t)o.points);
  o.element = VVI_ARENA_NEW(arena, int, 3 * (int64_t)o.elements);
  double *x = VVI_ARENA_NEW(arena, double, 3 * (int64_t)o.points);
  int32_t *mover = VVI_ARENA_NEW(arena, int32_t, o.points); /* all on the first */
  if (o.point == NULL || o.element == NULL || x == NULL || mover == NULL) return VV_NOMEM;
  add_shell(&o, s, radius);
  for (int i = 0; i < o.points; i++) vvi_sheet_carried(pose->place, pose->turn, o.point + 3 * i, x + 3 * i);
  part->body.carrier = VVI_CARRY_FRAMES;
  part->body.rigid = part->body.turns = true;
  part->body.shares = g;
  part->body.movers = 1;
  part->body.half = radius;
  part->vertices = o.points, part->elements = o.elements;
  part->element = o.element, part->x = x, part->mover = mover, part->arm = o.point;
  return VV_OK;
}

/* A pipe of any length is a capsule: its axis is the core, from its point that is nearest to the origin. */
static void end_pipe(vvi_part *p, double reach)
{
  double along = 0.0;
  if (p->type != VVI_PART_PIPE) return;
  for (int c = 0; c < 3; c++) along += p->centre[c] * p->frame[6 + c];
  for (int c = 0; c < 3; c++) p->centre[c] -= along * p->frame[6 + c];
  p->type = VVI_PART_CAPSULE, p->half[2] = reach;
}

vv_status vvi_sheet_form(vvi_arena *arena, const vv_solid *s, double reach, vvi_sheet_part *part)
{
  vvi_part p = s->part[0];
  outline o = {0};
  end_pipe(&p, reach);
  add_part(&o, &p);
  o.point = VVI_ARENA_NEW(arena, double, 3 * (int64_t)o.points);
  o.element = VVI_ARENA_NEW(arena, int, 3 * (int64_t)o.elements);
  if (o.point == NULL || o.element == NULL) return VV_NOMEM;
  o.points = o.elements = 0;
  add_part(&o, &p);
  part->body.carrier = VVI_CARRY_NONE;
  part->body.form = true;
  part->body.half = radius_of(&p);
  part->vertices = o.points, part->elements = o.elements;
  part->element = o.element, part->x = o.point;
  return VV_OK;
}
