/* geom/touch.h  Inside the room: parts that have a place, the list of spots, and the functions that fill it.
 *
 * All coordinates are relative to the place of the first solid, so that rounding does not grow with the distance of a pair
 * from the origin.  Every function here takes a part a and a part b and adds spots with normals from a to b. */
#pragma once
#include "geom/solid.h"
#include "math/so3.h"

/* A part at its place: x = c + e^T X with the part's own coordinates X; vertices of polyhedra and meshes are x = pose X. */
typedef struct vvi_placed {
  const vvi_part *part;
  const vvi_pose *pose;
  double c[3], e[9]; /* centre; axes by rows */
} vvi_placed;

static inline void vvi_place(const vvi_part *part, const vvi_pose *pose, vvi_placed *p)
{
  const double *t = pose->turn;
  p->part = part;
  p->pose = pose;
  if (part->plain) {
    for (int i = 0; i < 3; i++) p->c[i] = pose->place[i];
    for (int i = 0; i < 9; i++) p->e[i] = t[3 * (i % 3) + i / 3];
    return;
  }
  for (int i = 0; i < 3; i++)
    p->c[i] =
        pose->place[i] + (t[3 * i] * part->centre[0] + t[3 * i + 1] * part->centre[1] + t[3 * i + 2] * part->centre[2]);
  for (int j = 0; j < 3; j++) vvi_apply33(t, part->frame + 3 * j, p->e + 3 * j);
}

/* Spots found so far, and what is known of the gap where none was found. */
typedef struct vvi_spots {
  vvi_spot *out;
  int n, room;
  double margin;
  double bound; /* no features of the pair are nearer, apart from the spots */
  bool flip;    /* a and b were exchanged: normals are turned round */
} vvi_spots;

/* A spot of gap < margin; when the room is full, the one with the largest gap makes place. */
static inline void vvi_spot_add(vvi_spots *s, const double x[3], const double n[3], double gap, uint32_t key)
{
  if (!(gap < s->margin)) {
    if (gap < s->bound) s->bound = gap;
    return;
  }
  int at = s->n;
  if (s->n < s->room)
    s->n++;
  else {
    at = 0;
    for (int i = 1; i < s->n; i++)
      if (s->out[i].gap > s->out[at].gap) at = i;
    if (s->room == 0 || !(gap < s->out[at].gap)) return;
  }
  vvi_spot *o = &s->out[at];
  const double sign = s->flip ? -1.0 : 1.0;
  o->x[0] = x[0], o->x[1] = x[1], o->x[2] = x[2];
  o->n[0] = sign * n[0], o->n[1] = sign * n[1], o->n[2] = sign * n[2];
  o->gap = gap;
  o->key = key;
}

static inline void vvi_spots_bound(vvi_spots *s, double bound)
{
  if (bound < s->bound) s->bound = bound;
}

/* 32 well mixed bits of two words. */
static inline uint32_t vvi_mix(uint32_t a, uint32_t b)
{
  uint64_t x = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)(x >> 32);
}

/* Keys: vertices are named by their solid, crossings of edges by both: the same whichever solid gives the reference.  The
 * last two bits tell what met. */
enum { VVI_KEY_VERTEX_A, VVI_KEY_VERTEX_B, VVI_KEY_CROSSING, VVI_KEY_NEAREST };
static inline uint32_t vvi_vertex_key(bool of_a, uint32_t vertex)
{
  return (vvi_mix(of_a ? 1u : 2u, vertex) & ~3u) | (of_a ? VVI_KEY_VERTEX_A : VVI_KEY_VERTEX_B);
}

static inline uint32_t vvi_pair_key(uint32_t a, uint32_t b, uint32_t kind)
{
  return (vvi_mix(a, b) & ~3u) | kind;
}

static inline uint32_t vvi_edge_name(uint32_t v, uint32_t w)
{
  return v < w ? vvi_mix(v, w) : vvi_mix(w, v);
}

static inline void vvi_mad3(const double a[3], double s, const double d[3], double out[3])
{
  out[0] = a[0] + s * d[0], out[1] = a[1] + s * d[1], out[2] = a[2] + s * d[2];
}

static inline void vvi_sub3(const double a[3], const double b[3], double out[3])
{
  out[0] = a[0] - b[0], out[1] = a[1] - b[1], out[2] = a[2] - b[2];
}

static inline double vvi_clamp(double x, double lo, double hi)
{
  return x < lo ? lo : x > hi ? hi : x;
}

static inline void vvi_pose_point(const vvi_pose *p, const double local[3], double x[3])
{
  vvi_apply33(p->turn, local, x);
  for (int i = 0; i < 3; i++) x[i] += p->place[i];
}

/* The end points of a capsule's segment, of which side = -1, 1. */
static inline void vvi_segment_end(const vvi_placed *p, double side, double x[3])
{
  vvi_mad3(p->c, side * p->part->half[2], p->e + 6, x);
}

/* ---- touch_round.c: closed forms ---- */

void vvi_touch_balls(const vvi_placed *a, const vvi_placed *b, vvi_spots *s);
void vvi_touch_ball_capsule(const vvi_placed *a, const vvi_placed *b, vvi_spots *s);
void vvi_touch_capsules(const vvi_placed *a, const vvi_placed *b, vvi_spots *s);
void vvi_touch_ball_any(const vvi_placed *a, const vvi_placed *b, vvi_spots *s); /* b: block, cylinder, hull */
/* Nearest point of the segment c + t u, |t| <= half, to x: its t. */
double vvi_segment_near(const double c[3], const double u[3], double half, const double x[3]);

/* ---- touch_wall.c: one body against planes and from inside ---- */

void vvi_touch_half_space(const vvi_placed *a, const vvi_placed *b, vvi_spots *s);
void vvi_touch_inside(const vvi_placed *a, const vvi_placed *b, vvi_spots *s); /* a hollow */

/* ---- touch_block.c ---- */

void vvi_touch_blocks(const vvi_placed *a, const vvi_placed *b, vvi_spots *s);

/* ---- distance.c: signed distance of a point from one part that is not hollow, and the unit normal outwards ---- */

double vvi_part_distance(const vvi_placed *p, const double x[3], double n[3]);
