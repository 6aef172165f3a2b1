/* geom/touch.c  Which function looks at which pair of parts; keys, order and the least gap of two solids. */
#include "geom/core.h"
#include "geom/touch_mesh.h"

static bool endless(const vvi_part *p)
{
  return p->type == VVI_PART_HALF_SPACE || p->type == VVI_PART_PIPE;
}

static void touch_general(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  vvi_core ka, kb;
  if (a->part->type == VVI_PART_PIPE)
    vvi_core_bar(a, b, s->margin, &ka);
  else
    vvi_core_of(a, &ka);
  if (b->part->type == VVI_PART_PIPE)
    vvi_core_bar(b, a, s->margin, &kb);
  else
    vvi_core_of(b, &kb);
  vvi_cores_touch(&ka, &kb, s);
}

/* Both outside of each other, the type of a not after that of b. */
static void touch_outside(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  const vvi_part_type t = a->part->type, u = b->part->type;
  if (t == VVI_PART_MESH || u == VVI_PART_MESH)
    vvi_touch_mesh(a, b, s);
  else if (t == VVI_PART_BLOCK && u == VVI_PART_BLOCK)
    vvi_touch_blocks(a, b, s);
  else if (t == VVI_PART_BALL && u == VVI_PART_BALL)
    vvi_touch_balls(a, b, s);
  else if (t == VVI_PART_BALL && u == VVI_PART_CAPSULE)
    vvi_touch_ball_capsule(a, b, s);
  else if (t == VVI_PART_BALL)
    vvi_touch_ball_any(a, b, s);
  else if (t == VVI_PART_CAPSULE && u == VVI_PART_CAPSULE)
    vvi_touch_capsules(a, b, s);
  else
    touch_general(a, b, s);
}

static void touch_parts(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  const bool turn = b->part->hollow || (!a->part->hollow && b->part->type < a->part->type);
  const vvi_placed *first = turn ? b : a, *second = turn ? a : b;
  const vvi_part *p = first->part, *q = second->part;
  s->flip = turn;
  if ((p->hollow || endless(p)) && (q->hollow || endless(q))) return;
  if (p->hollow)
    vvi_touch_inside(first, second, s);
  else if (q->type == VVI_PART_HALF_SPACE) {
    s->flip = !turn;
    vvi_touch_half_space(second, first, s);
  } else
    touch_outside(first, second, s);
}

/* Bounding spheres: a lower bound of the gap of two parts outside each other, -INFINITY where there is none. */
static double sphere_gap(const vvi_placed *a, const vvi_placed *b)
{
  if (a->part->hollow || b->part->hollow || endless(a->part) || endless(b->part)) return -INFINITY;
  double d[3];
  vvi_sub3(b->c, a->c, d);
  return vvi_norm3(d) - a->part->reach - b->part->reach;
}

static void touch_pair(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  const double apart = sphere_gap(a, b);
  if (apart >= s->margin)
    vvi_spots_bound(s, apart);
  else
    touch_parts(a, b, s);
}

/* All pairs of parts; keys of different pairs are kept apart. */
static void touch_many(const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb, vvi_spots *s)
{
  for (int i = 0; i < a->parts; i++) {
    vvi_placed first, second;
    vvi_place(&a->part[i], pa, &first);
    for (int j = 0; j < b->parts; j++) {
      vvi_spot room[64];
      vvi_spots few = {.out = room, .room = 64, .margin = s->margin, .bound = INFINITY};
      vvi_place(&b->part[j], pb, &second);
      touch_pair(&first, &second, &few);
      s->flip = false;
      vvi_spots_bound(s, few.bound);
      for (int k = 0; k < few.n; k++)
        vvi_spot_add(s, room[k].x, room[k].n, room[k].gap, vvi_mix(room[k].key, (uint32_t)(i * b->parts + j)));
    }
  }
}

/* Sorted by key; equal keys of different spots are made different. */
static void sort_spots(int n, vvi_spot *out)
{
  for (int i = 1; i < n; i++) {
    const vvi_spot hold = out[i];
    int j = i;
    for (; j > 0 && (out[j - 1].key > hold.key || (out[j - 1].key == hold.key && out[j - 1].gap > hold.gap)); j--)
      out[j] = out[j - 1];
    out[j] = hold;
  }
  for (int i = 1; i < n; i++)
    if (out[i].key <= out[i - 1].key) out[i].key = out[i - 1].key + 1u;
}

/* Two balls about the origins of their frames: the commonest pair of all. */
static int touch_two_balls(double ra, const double p[3], double rb, const double q[3], double margin, int room,
                           vvi_spot *out, double *gap)
{
  double d[3];
  vvi_sub3(q, p, d);
  const double dd = vvi_dot3(d, d), reach = ra + rb + margin;
  const double length = sqrt(dd);
  *gap = length - ra - rb;
  if (dd >= reach * reach || room == 0 || !(*gap < margin)) return 0;
  const double one = length > 0.0 ? 1.0 / length : 0.0;
  for (int i = 0; i < 3; i++) out->n[i] = d[i] * one;
  if (length == 0.0) out->n[2] = 1.0;
  vvi_mad3(p, ra + 0.5 * *gap, out->n, out->x);
  out->gap = *gap;
  out->key = 0;
  return 1;
}

int vvi_solids_touch(const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb, double margin,
                     int room, vvi_spot *out, double *gap)
{
  if (a->balls && b->balls)
    return touch_two_balls(a->part->radius, pa->place, b->part->radius, pb->place, margin, room, out, gap);
  vvi_spots s = {.out = out, .room = room, .margin = margin, .bound = INFINITY};
  vvi_pose qa = *pa, qb = *pb;
  for (int i = 0; i < 3; i++) qa.place[i] = 0.0, qb.place[i] = pb->place[i] - pa->place[i];
  if (a->parts == 1 && b->parts == 1) {
    vvi_placed first, second;
    vvi_place(a->part, &qa, &first);
    vvi_place(b->part, &qb, &second);
    touch_pair(&first, &second, &s);
  } else
    touch_many(a, &qa, b, &qb, &s);
  double least = fmax(margin, s.bound);
  for (int i = 0; i < s.n; i++) {
    if (out[i].gap < least) least = out[i].gap;
    for (int k = 0; k < 3; k++) out[i].x[k] += pa->place[k];
  }
  *gap = least;
  sort_spots(s.n, out);
  return s.n;
}
