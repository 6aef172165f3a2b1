/* geom/patch.c  From the nearest points of two convex cores to all their spots: faces and edges that look at each other. */
#include "geom/core.h"

/* A face takes part when its normal is this near to the direction between the solids: nearly parallel edges and faces give
 * the point of the edges and the patch of the faces, so that a flat landing keeps all its corners. */
#define FACING 0.97

/* A polygon being clipped: points with their height over the reference face, names, and names of the edges to the next. */
typedef struct clip {
  int n;
  double x[2 * VVI_LOOP][3];
  double height[2 * VVI_LOOP];
  uint32_t key[2 * VVI_LOOP];
  uint32_t edge[2 * VVI_LOOP];
  int side[2 * VVI_LOOP]; /* the edge to the next lies on this side of the reference, -1: it is an edge of its own */
} clip;

static void clip_start(const vvi_core_feature *f, const vvi_core_feature *face, bool of_a, clip *c)
{
  c->n = f->points;
  for (int i = 0; i < f->points; i++) {
    double d[3];
    vvi_sub3(f->x[i], face->x[0], d);
    for (int k = 0; k < 3; k++) c->x[i][k] = f->x[i][k];
    c->height[i] = vvi_dot3(d, face->n);
    c->key[i] = vvi_vertex_key(of_a, f->id[i]);
    c->edge[i] = vvi_edge_name(f->id[i], f->id[(i + 1) % f->points]);
    c->side[i] = -1;
  }
}

/* Name of the point where the edge i of the polygon meets side k of the reference face. */
static uint32_t crossing_key(const clip *c, int i, const vvi_core_feature *face, int k, bool face_of_a)
{
  const int m = face->points, other = c->side[i];
  const uint32_t side = vvi_edge_name(face->id[k], face->id[(k + 1) % m]);
  if (other < 0)
    return face_of_a ? vvi_pair_key(side, c->edge[i], VVI_KEY_CROSSING)
                     : vvi_pair_key(c->edge[i], side, VVI_KEY_CROSSING);
  if ((other + 1) % m == k) return vvi_vertex_key(face_of_a, face->id[k]);
  if ((k + 1) % m == other) return vvi_vertex_key(face_of_a, face->id[other]);
  return vvi_pair_key(side, vvi_edge_name(face->id[other], face->id[(other + 1) % m]), VVI_KEY_CROSSING);
}

/* Cuts the polygon (or the segment: n = 2) at side k of the reference face; false: nothing to cut. */
static bool clip_side(const clip *c, const vvi_core_feature *face, int k, bool face_of_a, clip *r)
{
  const double *p = face->x[k], *q = face->x[(k + 1) % face->points];
  double along[3], out[3], depth[2 * VVI_LOOP];
  vvi_sub3(q, p, along);
  vvi_cross3(along, face->n, out);
  /* what is on the side up to rounding is inside: between two triangles nothing is lost */
  const double on = 1e-12 * vvi_dot3(along, along);
  bool any = false;
  for (int i = 0; i < c->n; i++) {
    double d[3];
    vvi_sub3(c->x[i], p, d);
    depth[i] = vvi_dot3(d, out);
    if (fabs(depth[i]) <= on) depth[i] = 0.0;
    any |= depth[i] > 0.0;
  }
  if (!any) return false;
  r->n = 0;
  for (int i = 0; i < c->n; i++) {
    const int j = (i + 1) % c->n;
    if (depth[i] <= 0.0 && r->n < 2 * VVI_LOOP) {
      for (int d = 0; d < 3; d++) r->x[r->n][d] = c->x[i][d];
      r->height[r->n] = c->height[i], r->key[r->n] = c->key[i], r->edge[r->n] = c->edge[i], r->side[r->n] = c->side[i];
      r->n++;
    }
    if ((depth[i] <= 0.0) == (depth[j] <= 0.0) || r->n == 2 * VVI_LOOP || (c->n == 2 && i == 1)) continue;
    const double t = depth[i] / (depth[i] - depth[j]);
    for (int d = 0; d < 3; d++) r->x[r->n][d] = c->x[i][d] + t * (c->x[j][d] - c->x[i][d]);
    r->height[r->n] = c->height[i] + t * (c->height[j] - c->height[i]);
    r->key[r->n] = crossing_key(c, i, face, k, face_of_a);
    const bool leaves = depth[i] <= 0.0;
    r->edge[r->n] = c->edge[i], r->side[r->n] = leaves ? k : c->side[i];
    r->n++;
  }
  return true;
}

static bool over_face(const vvi_core_feature *face, const double x[3])
{
  for (int k = 0; k < face->points; k++) {
    double along[3], out[3], d[3];
    vvi_sub3(face->x[(k + 1) % face->points], face->x[k], along);
    vvi_cross3(along, face->n, out);
    vvi_sub3(x, face->x[k], d);
    if (vvi_dot3(d, out) > 0.0) return false;
  }
  return true;
}

/* What is emitted of a patch: which solid has the face, radii, least gap so far. */
typedef struct emit {
  const vvi_core_feature *face;
  bool face_of_a;
  double round_face, round_other, least;
  vvi_spots *s;
} emit;

static void emit_point(emit *m, const double x[3], double height, uint32_t key)
{
  const double gap = height - m->round_face - m->round_other;
  if (!(gap < m->s->margin)) return;
  if (gap < m->least) m->least = gap;
  const double sign = m->face_of_a ? 1.0 : -1.0;
  const double n[3] = {sign * m->face->n[0], sign * m->face->n[1], sign * m->face->n[2]};
  double y[3];
  vvi_mad3(x, 0.5 * gap - height + m->round_face, m->face->n, y);
  vvi_spot_add(m->s, y, n, gap, key);
}

/* Corners that are not of the face that was clipped, over the reference face and within the margin: a tilted body that
 * turns fast lands on them. */
static void emit_vertices(emit *m, const vvi_core *k, const vvi_core_feature *used, bool of_a)
{
  const vvi_polyhedron *p = k->polyhedron;
  if (k->type != VVI_CORE_BLOCK && k->type != VVI_CORE_POLYHEDRON) return;
  for (int v = 0; v < p->vertices; v++) {
    double x[3], d[3];
    vvi_pose_point(k->pose, p->vertex + 3 * v, x);
    vvi_sub3(x, m->face->x[0], d);
    const double height = vvi_dot3(d, m->face->n);
    if (!(height - m->round_face - m->round_other < m->s->margin)) continue;
    bool twice = false;
    for (int i = 0; i < used->points; i++) twice |= used->id[i] == (uint32_t)v;
    if (!twice && height > -0.5 * k->size && over_face(m->face, x))
      emit_point(m, x, height, vvi_vertex_key(of_a, (uint32_t)v));
  }
}

/* The feature of the other core that looks at the face: a face, the lowest line of a cylinder, a segment, a point. */
static void lowest(const vvi_core *k, const double n[3], vvi_core_feature *f)
{
  f->points = 0;
  if (k->type == VVI_CORE_CYLINDER && fabs(vvi_dot3(n, k->e + 6)) < 0.7)
    vvi_core_segment(k, n, f);
  else if (k->type == VVI_CORE_POINTS && k->points < 3) {
    f->points = k->points;
    for (int j = 0; j < k->points; j++) {
      f->id[j] = k->id[j];
      for (int i = 0; i < 3; i++) f->x[j][i] = k->p[j][i];
    }
  } else
    vvi_core_face(k, n, f);
}

/* Returns the least gap of the patch. */
static double face_patch(const vvi_core *ref, const vvi_core *other, const vvi_core_feature *face, bool face_of_a,
                         vvi_spots *s)
{
  const double back[3] = {-face->n[0], -face->n[1], -face->n[2]};
  vvi_core_feature low;
  clip both[2], *c = &both[0], *r = &both[1];
  lowest(other, back, &low);
  if (low.points == 16) { /* every second corner of a rim */
    for (int i = 0; i < 8; i++) {
      low.id[i] = low.id[2 * i];
      for (int d = 0; d < 3; d++) low.x[i][d] = low.x[2 * i][d];
    }
    low.points = 8;
  }
  emit m = {.face = face,
            .face_of_a = face_of_a,
            .round_face = ref->round,
            .round_other = other->round,
            .least = INFINITY,
            .s = s};
  clip_start(&low, face, !face_of_a, c);
  for (int k = 0; k < face->points && c->n > 0; k++)
    if (clip_side(c, face, k, face_of_a, r)) {
      clip *hold = c;
      c = r, r = hold;
    }
  for (int i = 0; i < c->n; i++) emit_point(&m, c->x[i], c->height[i], c->key[i]);
  emit_vertices(&m, other, &low, !face_of_a);
  return m.least;
}

void vvi_cores_face_patch(const vvi_core *a, const vvi_core *b, const double n[3], vvi_spots *s)
{
  vvi_core_feature f;
  vvi_core_face(a, n, &f);
  if (f.points) face_patch(a, b, &f, true, s);
}

/* Two nearly parallel segments: the ends of the stretch they share, each with the nearest point of the other and, where
 * that is well measured, the direction to it.  Returns the least gap. */
static double segment_patch(const vvi_core *a, const vvi_core *b, const vvi_apart *near, vvi_spots *s)
{
  const double back[3] = {-near->n[0], -near->n[1], -near->n[2]};
  vvi_core_feature fa, fb;
  vvi_core_segment(a, near->n, &fa);
  vvi_core_segment(b, back, &fb);
  if (fa.points != 2 || fb.points != 2) return INFINITY;
  double u[3], w[3], cross[3];
  vvi_sub3(fa.x[1], fa.x[0], u);
  vvi_sub3(fb.x[1], fb.x[0], w);
  vvi_cross3(u, w, cross);
  const double uu = vvi_dot3(u, u), ww = vvi_dot3(w, w), un = vvi_dot3(u, near->n), wn = vvi_dot3(w, near->n);
  if (vvi_dot3(cross, cross) > 0.01 * uu * ww || un * un > 0.01 * uu || wn * wn > 0.01 * ww) return INFINITY;
  /* the ends of b along a, as parts of a */
  double t[2], d[3], least = INFINITY;
  for (int i = 0; i < 2; i++) {
    vvi_sub3(fb.x[i], fa.x[0], d);
    t[i] = vvi_dot3(d, u) / uu;
  }
  const bool turned = t[1] < t[0];
  const double lo = turned ? t[1] : t[0], hi = turned ? t[0] : t[1];
  const double end[2] = {fmax(0.0, lo), fmin(1.0, hi)};
  if (end[1] - end[0] <= 1e-9) return INFINITY;
  for (int i = 0; i < 2; i++) {
    const bool of_b = i == 0 ? lo >= 0.0 : hi <= 1.0;
    const int k = of_b ? (i == 0) == turned : i;
    const double *end_point = of_b ? fb.x[k] : fa.x[k];
    double other[3], p[3], q[3], n[3];
    vvi_sub3(end_point, of_b ? fa.x[0] : fb.x[0], d);
    if (of_b)
      vvi_mad3(fa.x[0], vvi_clamp(vvi_dot3(d, u) / uu, 0.0, 1.0), u, other);
    else
      vvi_mad3(fb.x[0], vvi_clamp(vvi_dot3(d, w) / ww, 0.0, 1.0), w, other);
    for (int m = 0; m < 3; m++) p[m] = of_b ? other[m] : end_point[m], q[m] = of_b ? end_point[m] : other[m];
    vvi_sub3(q, p, d);
    const double along = vvi_dot3(d, near->n), length = vvi_norm3(d);
    const bool own = along > 0.0 && length > 1e-3 * (a->size + b->size);
    const double beside =
        sqrt(fmax(0.0, length * length - along * along)); /* crossing segments part sideways as well */
    const double gap = (along > 0.0 ? length : along + beside) - a->round - b->round;
    for (int m = 0; m < 3; m++) n[m] = own ? d[m] / length : near->n[m];
    for (int m = 0; m < 3; m++) p[m] = 0.5 * (p[m] + a->round * n[m] + q[m] - b->round * n[m]);
    if (gap < least) least = gap;
    vvi_spot_add(s, p, n, gap,
                 vvi_pair_key(7u, of_b ? fb.id[k] : fa.id[k], of_b ? VVI_KEY_VERTEX_B : VVI_KEY_VERTEX_A));
  }
  return least;
}

/* n is the normal of the face (of a, or turned round of b) up to rounding. */
static bool same_direction(const double n[3], const vvi_core_feature *face, bool of_a)
{
  double off[3];
  vvi_mad3(n, of_a ? -1.0 : 1.0, face->n, off);
  return vvi_dot3(off, off) < 1e-20;
}

void vvi_cores_spots(const vvi_core *a, const vvi_core *b, const vvi_apart *near, vvi_spots *s)
{
  const double gap = near->gap - a->round - b->round, back[3] = {-near->n[0], -near->n[1], -near->n[2]};
  const double same = 1e-13 * (a->size + b->size);
  vvi_core_feature fa, fb;
  vvi_core_face(a, near->n, &fa);
  vvi_core_face(b, back, &fb);
  const double ca = fa.points ? vvi_dot3(fa.n, near->n) : -1.0, cb = fb.points ? vvi_dot3(fb.n, back) : -1.0;
  double least;
  const bool by_a = ca >= cb - 1e-12;
  if (fmax(ca, cb) > FACING)
    least = by_a ? face_patch(a, b, &fa, true, s) : face_patch(b, a, &fb, false, s);
  else
    least = segment_patch(a, b, near, s);
  /* the nearest points themselves, unless the patch has them */
  if (least <= gap + same && (fmax(ca, cb) <= FACING || same_direction(near->n, by_a ? &fa : &fb, by_a))) return;
  double x[3];
  const bool ball = b->type == VVI_CORE_POINTS && b->points == 1;
  for (int i = 0; i < 3; i++) {
    const double from_a = near->a[i] + (a->round + 0.5 * gap) * near->n[i];
    const double from_b = near->b[i] - (b->round + 0.5 * gap) * near->n[i];
    x[i] = ball ? from_b : a->points == 1 ? from_a : 0.5 * (from_a + from_b);
  }
  vvi_spot_add(s, x, near->n, gap, vvi_pair_key(near->id_a, near->id_b, VVI_KEY_NEAREST));
}

/* A direction of a face of one of them, from a to b, with the largest separation. */
typedef struct quick {
  double n[3], gap;
  bool of_a;
} quick;

static void quick_faces(const vvi_core *a, const vvi_core *b, const vvi_core *k, bool of_a, quick *best)
{
  if (k->type != VVI_CORE_BLOCK && k->type != VVI_CORE_CYLINDER) return;
  double d[3];
  vvi_sub3(b->c, a->c, d);
  for (int i = k->type == VVI_CORE_BLOCK ? 0 : 2; i < 3; i++) {
    const double *e = k->e + 3 * i, sign = vvi_dot3(d, e) < 0.0 ? -1.0 : 1.0,
                 n[3] = {sign * e[0], sign * e[1], sign * e[2]};
    const double gap = vvi_cores_separation(a, b, n);
    if (!(gap > best->gap)) continue;
    best->gap = gap, best->of_a = of_a;
    for (int c = 0; c < 3; c++) best->n[c] = n[c];
  }
}

/* Resting on a face: where the best face direction has a point over the face at that very gap, it is the answer, and no
 * iteration is needed.  Only for cores with few faces.  True: done. */
static bool touch_quickly(const vvi_core *a, const vvi_core *b, vvi_spots *s)
{
  enum { ROOM = 32 };
  if (a->type == VVI_CORE_POLYHEDRON || b->type == VVI_CORE_POLYHEDRON) return false;
  const double round = a->round + b->round;
  quick best = {.gap = -INFINITY};
  quick_faces(a, b, a, true, &best);
  quick_faces(a, b, b, false, &best);
  if (best.gap - round >= s->margin) {
    vvi_spots_bound(s, best.gap - round);
    return true;
  }
  if (best.gap < -1e-6 * fmin(a->size, b->size)) return false; /* overlapping cores, or a corner between the faces */
  vvi_spot found[ROOM];
  vvi_spots few = {.out = found, .room = ROOM, .margin = s->margin, .bound = INFINITY};
  vvi_core_feature f;
  const double back[3] = {-best.n[0], -best.n[1], -best.n[2]};
  vvi_core_face(best.of_a ? a : b, best.of_a ? best.n : back, &f);
  const double least = face_patch(best.of_a ? a : b, best.of_a ? b : a, &f, best.of_a, &few);
  if (!(least <= best.gap - round + 1e-13 * (a->size + b->size))) return false;
  for (int i = 0; i < few.n; i++) vvi_spot_add(s, found[i].x, found[i].n, found[i].gap, found[i].key);
  return true;
}

void vvi_cores_touch(const vvi_core *a, const vvi_core *b, vvi_spots *s)
{
  vvi_apart near;
  if (touch_quickly(a, b, s)) return;
  const double round = a->round + b->round;
  if (!vvi_cores_apart(a, b, s->margin + round, NULL, &near) || !(near.gap - round < s->margin)) {
    vvi_spots_bound(s, near.gap - round);
    return;
  }
  vvi_cores_spots(a, b, &near, s);
}
