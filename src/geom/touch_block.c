/* geom/touch_block.c  Two blocks: fifteen axes in the frame of the first, then the faces clipped against each other.
 *
 * With R_ij = a_i.b_j and t the centre of b in the axes of a, sep(n) of [solid 1] is on the axes of a, of b and a_i x b_j
 *
 *   |t_i| - h_i - sum_j k_j |R_ij|,      |t.R_.j| - k_j - sum_i h_i |R_ij|,
 *   (|t.l| - sum_i h_i |l_i| - sum_j k_j |l.R_.j|)/|l|,   l = a_i x b_j,                                         [solid 3]
 *
 * h, k the half edges.  The largest of them is the distance where a vertex is over a face or two edges cross; then that
 * axis is the normal.  Where no such witness is found (a vertex next to a vertex or an edge), the general iteration is. */
#include "geom/core.h"

#define FACING 0.97 /* as in patch.c */

typedef struct pair {
  const vvi_placed *a, *b;
  double r[9], t[3], back[3]; /* R; centre of b in axes of a; and in axes of b */
  double face, edge;          /* largest separations */
  int i, j;                   /* face: axis of a (0..2) or of b (3..5) in i; */
  int ei, ej;                 /* edge: axes of a and b */
  double length;              /* |l| of the edge axis */
} pair;

/* A corner of the clipped face: u, v along the reference face, w over it. */
typedef struct point {
  double u, v, w;
  int tag;  /* 0..7 a vertex; 16 + 4 edge + side; 64 + corner */
  int edge; /* to the next point: 0..11 of the block, 16 + side of the reference */
} point;

static inline int edge_id(int axis, unsigned vertex)
{
  return 4 * axis + (int)(vertex >> ((axis + 1) % 3) & 1u) + 2 * (int)(vertex >> ((axis + 2) % 3) & 1u);
}

/* Name of a block's edge by its vertices, as everywhere. */
static inline uint32_t edge_name(int edge)
{
  const int axis = edge / 4;
  const uint32_t v = (uint32_t)(edge & 1) << ((axis + 1) % 3) | (uint32_t)(edge >> 1 & 1) << ((axis + 2) % 3);
  return vvi_edge_name(v, v | 1u << axis);
}

/* ---- axes ---- */

/* False: apart by at least the margin. */
static bool face_axes(pair *p, double margin)
{
  const double *h = p->a->part->half, *k = p->b->part->half, *r = p->r;
  p->face = -INFINITY;
  p->i = 0;
  const double prefer = 2e-13 * (h[0] + h[1] + h[2] + k[0] + k[1] + k[2]);
  for (int i = 0; i < 3; i++) {
    const double s =
        fabs(p->t[i]) - (h[i] + k[0] * fabs(r[3 * i]) + k[1] * fabs(r[3 * i + 1]) + k[2] * fabs(r[3 * i + 2]));
    if (s > p->face + (i ? prefer : 0.0)) p->face = s, p->i = i;
  }
  if (p->face >= margin) return false;
  for (int j = 0; j < 3; j++) {
    const double s = fabs(p->back[j]) - (k[j] + h[0] * fabs(r[j]) + h[1] * fabs(r[3 + j]) + h[2] * fabs(r[6 + j]));
    if (s > p->face + prefer) p->face = s, p->i = 3 + j;
  }
  p->edge = p->face + prefer;
  return p->face < margin;
}

/* Edge axes that are longer than 1e-3: shorter ones are face axes up to their noise.  Compared by squares; a root only for
 * a winner. */
static void edge_axes(pair *p)
{
  const double *h = p->a->part->half, *k = p->b->part->half, *r = p->r, *t = p->t;
  p->ei = -1;
  for (int i = 0; i < 3; i++) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; j++) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double x = r[3 * i1 + j], y = r[3 * i2 + j], ll = x * x + y * y;
      const double s = fabs(x * t[i2] - y * t[i1]) - (h[i1] * fabs(y) + h[i2] * fabs(x)) -
                       (k[j1] * fabs(r[3 * i + j2]) + k[j2] * fabs(r[3 * i + j1]));
      const double best = p->edge, ss = s * fabs(s), bb = best * fabs(best) * ll;
      if (!(ss > bb) || ll < 1e-6) continue;
      p->length = sqrt(ll);
      p->edge = s / p->length, p->ei = i, p->ej = j;
    }
  }
}

/* ---- faces ---- */

/* The reference face and the other block seen from it. */
typedef struct view {
  const vvi_placed *ref, *other;
  int axis, u, v;
  double sign;    /* outward normal: sign times the axis */
  double c[3][3]; /* axes of the other block in (u, v, w) */
  double p[3];    /* its centre; w from the face */
  bool of_a;      /* the reference face is of a */
} view;

static void look(const pair *p, view *s)
{
  const bool of_a = p->i < 3;
  const int i = of_a ? p->i : p->i - 3, u = (i + 1) % 3, v = (i + 2) % 3;
  const double *t = of_a ? p->t : p->back, side = of_a ? 1.0 : -1.0; /* centre of the other: t, or -back */
  s->of_a = of_a, s->axis = i, s->u = u, s->v = v;
  s->ref = of_a ? p->a : p->b, s->other = of_a ? p->b : p->a;
  s->sign = side * t[i] < 0.0 ? -1.0 : 1.0;
  s->p[0] = side * t[u], s->p[1] = side * t[v], s->p[2] = s->sign * side * t[i] - s->ref->part->half[i];
  for (int j = 0; j < 3; j++) {
    s->c[j][0] = of_a ? p->r[3 * u + j] : p->r[3 * j + u];
    s->c[j][1] = of_a ? p->r[3 * v + j] : p->r[3 * j + v];
    s->c[j][2] = s->sign * (of_a ? p->r[3 * i + j] : p->r[3 * j + i]);
  }
}

/* The face of the other block that looks at the reference: its axis, its corners in order. */
static int incident_face(const view *s, point out[4])
{
  const double *h = s->other->part->half;
  int m = fabs(s->c[0][2]) >= fabs(s->c[1][2]) ? 0 : 1;
  if (fabs(s->c[2][2]) > fabs(s->c[m][2])) m = 2;
  const int p = (m + 1) % 3, q = (m + 2) % 3;
  const double side = s->c[m][2] > 0.0 ? -h[m] : h[m];
  const unsigned base = side > 0.0 ? 1u << m : 0u, bp = 1u << p, bq = 1u << q;
  static const int loop[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  double f[3], dp[3], dq[3];
  for (int c = 0; c < 3; c++) f[c] = s->p[c] + side * s->c[m][c], dp[c] = h[p] * s->c[p][c], dq[c] = h[q] * s->c[q][c];
  for (int k = 0; k < 4; k++) {
    const double sp = loop[k][0], sq = loop[k][1];
    const unsigned v = base | (sp > 0.0 ? bp : 0u) | (sq > 0.0 ? bq : 0u);
    out[k].u = f[0] + (sp * dp[0] + sq * dq[0]);
    out[k].v = f[1] + (sp * dp[1] + sq * dq[1]);
    out[k].w = f[2] + (sp * dp[2] + sq * dq[2]);
    out[k].tag = (int)v;
    out[k].edge = edge_id(k % 2 ? q : p, v);
  }
  return m;
}

/* Cuts at side k of the reference: u <= h, -u <= h, v <= h, -v <= h. */
static int cut(int n, const point *in, int k, double h, point *out)
{
  int m = 0;
  double d[9];
  for (int i = 0; i < n; i++) {
    const double c = k < 2 ? in[i].u : in[i].v;
    d[i] = (k & 1 ? -c : c) - h;
  }
  for (int i = 0; i < n; i++) {
    const int j = i + 1 < n ? i + 1 : 0;
    const bool inside = d[i] <= 0.0;
    if (inside) out[m++] = in[i];
    if (inside == (d[j] <= 0.0)) continue;
    const double t = d[i] / (d[i] - d[j]);
    point *o = &out[m++];
    o->u = in[i].u + t * (in[j].u - in[i].u);
    o->v = in[i].v + t * (in[j].v - in[i].v);
    o->w = in[i].w + t * (in[j].w - in[i].w);
    /* of two sides: the corner u = +-h (bit 0), v = +-h (bit 1) */
    const int e = in[i].edge, other = e - 16;
    o->tag = e < 16 ? 16 + 4 * e + k : 64 + ((k < 2 ? k : other) & 1) + 2 * ((k < 2 ? other : k) & 1);
    o->edge = inside ? 16 + k : e;
  }
  return m;
}

static unsigned ref_vertex(const view *s, int plus_u, int plus_v)
{
  return (plus_u ? 1u << s->u : 0u) | (plus_v ? 1u << s->v : 0u) | (s->sign > 0.0 ? 1u << s->axis : 0u);
}

static uint32_t point_key(const view *s, int tag)
{
  if (tag < 16) return vvi_vertex_key(!s->of_a, (uint32_t)tag);
  if (tag >= 64) return vvi_vertex_key(s->of_a, ref_vertex(s, !(tag & 1), !(tag >> 1 & 1)));
  const int side = tag & 3;
  const unsigned v = side < 2 ? ref_vertex(s, side == 0, 0) : ref_vertex(s, 0, side == 2);
  const uint32_t mine = edge_name(edge_id(side < 2 ? s->v : s->u, v)), its = edge_name((tag - 16) / 4);
  return s->of_a ? vvi_pair_key(mine, its, VVI_KEY_CROSSING) : vvi_pair_key(its, mine, VVI_KEY_CROSSING);
}

static int clip_faces(const view *s, int *axis, point out[9])
{
  const double hu = s->ref->part->half[s->u], hv = s->ref->part->half[s->v];
  point hold[9];
  *axis = incident_face(s, out);
  int n = 4;
  for (int k = 0; k < 4; k++) {
    const double h = k < 2 ? hu : hv;
    bool any = false;
    for (int i = 0; i < n; i++) {
      const double c = k < 2 ? out[i].u : out[i].v;
      any |= (k & 1 ? -c : c) > h;
    }
    if (!any) continue;
    const int m = cut(n, out, k, h, hold);
    for (int i = 0; i < m; i++) out[i] = hold[i];
    n = m;
  }
  return n;
}

static void emit(const view *s, const point *p, vvi_spots *list)
{
  if (!(p->w < list->margin)) return;
  const double *e = s->ref->e, *h = s->ref->part->half, *w = e + 3 * s->axis;
  const double up = s->sign * (h[s->axis] + 0.5 * p->w), turn = s->of_a ? s->sign : -s->sign;
  double x[3], n[3];
  for (int c = 0; c < 3; c++) {
    x[c] = s->ref->c[c] + (p->u * e[3 * s->u + c] + p->v * e[3 * s->v + c] + up * w[c]);
    n[c] = turn * w[c];
  }
  vvi_spot_add(list, x, n, p->w, point_key(s, p->tag));
}

/* Corners of the far side of the other block that are over the face and within the margin all the same. */
static void emit_far_side(const view *s, int m, vvi_spots *list)
{
  const double *h = s->other->part->half, *g = s->ref->part->half;
  const int p = (m + 1) % 3, q = (m + 2) % 3;
  const double side = s->c[m][2] > 0.0 ? h[m] : -h[m];
  const double low = s->p[2] + side * s->c[m][2] - h[p] * fabs(s->c[p][2]) - h[q] * fabs(s->c[q][2]);
  if (low >= list->margin) return;
  for (unsigned k = 0; k < 4; k++) {
    const double sp = k & 1u ? h[p] : -h[p], sq = k & 2u ? h[q] : -h[q];
    point x;
    x.u = s->p[0] + side * s->c[m][0] + sp * s->c[p][0] + sq * s->c[q][0];
    x.v = s->p[1] + side * s->c[m][1] + sp * s->c[p][1] + sq * s->c[q][1];
    x.w = s->p[2] + side * s->c[m][2] + sp * s->c[p][2] + sq * s->c[q][2];
    x.tag = (int)((side > 0.0 ? 1u << m : 0u) | (k & 1u ? 1u << p : 0u) | (k & 2u ? 1u << q : 0u));
    x.edge = 0;
    if (fabs(x.u) <= g[s->u] && fabs(x.v) <= g[s->v]) emit(s, &x, list);
  }
}

/* ---- edges ---- */

typedef struct crossing {
  double n[3], x[3]; /* in space */
  double local[3];   /* n in axes of a */
  uint32_t key;
  bool inside; /* both edges reach the point */
} crossing;

/* Nearest points of the two edges that meet along the edge axis. */
static void cross_edges(const pair *p, crossing *c)
{
  const int i = p->ei, j = p->ej, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  const double *h = p->a->part->half, *k = p->b->part->half, *r = p->r;
  double *n = c->local;
  n[i] = 0.0, n[i1] = -r[3 * i2 + j] / p->length, n[i2] = r[3 * i1 + j] / p->length;
  if (vvi_dot3(n, p->t) < 0.0) n[i1] = -n[i1], n[i2] = -n[i2];
  double x[3], y[3], d[3];
  unsigned va = 0, vb = 0;
  for (int m = 0; m < 3; m++) {
    if (n[m] > 0.0 && m != i) va |= 1u << m;
    x[m] = m == i ? 0.0 : n[m] > 0.0 ? h[m] : -h[m];
    y[m] = p->t[m];
  }
  for (int m = 0; m < 3; m++) {
    if (m == j) continue;
    const double side = n[0] * r[m] + n[1] * r[3 + m] + n[2] * r[6 + m];
    if (side < 0.0) vb |= 1u << m;
    for (int q = 0; q < 3; q++) y[q] += (side < 0.0 ? k[m] : -k[m]) * r[3 * q + m];
  }
  vvi_sub3(y, x, d);
  const double cosine = r[3 * i + j], da = d[i], db = d[0] * r[j] + d[1] * r[3 + j] + d[2] * r[6 + j];
  const double s = (da - cosine * db) / (p->length * p->length), t = s * cosine - db;
  c->inside = fabs(s) <= h[i] && fabs(t) <= k[j];
  x[i] += s;
  for (int q = 0; q < 3; q++) x[q] += 0.5 * p->edge * n[q];
  vvi_tapply33(p->a->e, n, c->n);
  vvi_tapply33(p->a->e, x, c->x);
  for (int q = 0; q < 3; q++) c->x[q] += p->a->c[q];
  c->key = vvi_pair_key(edge_name(edge_id(i, va)), edge_name(edge_id(j, vb)), VVI_KEY_NEAREST);
}

static void general(const pair *p, vvi_spots *s)
{
  vvi_core a, b;
  vvi_core_of(p->a, &a);
  vvi_core_of(p->b, &b);
  vvi_cores_touch(&a, &b, s);
}

/* The support corner of the other block, where the faces overlap nowhere and the blocks do. */
static void emit_support(const view *s, vvi_spots *list)
{
  const double *h = s->other->part->half;
  point x = {s->p[0], s->p[1], s->p[2], 0, 0};
  for (int m = 0; m < 3; m++) {
    const double side = s->c[m][2] > 0.0 ? -h[m] : h[m];
    x.u += side * s->c[m][0], x.v += side * s->c[m][1], x.w += side * s->c[m][2];
    if (side > 0.0) x.tag |= 1 << m;
  }
  emit(s, &x, list);
}

static void measure(pair *p)
{
  double d[3];
  vvi_sub3(p->b->c, p->a->c, d);
  for (int i = 0; i < 3; i++) {
    const double *e = p->a->e + 3 * i, *f = p->b->e;
    p->t[i] = vvi_dot3(e, d);
    p->back[i] = vvi_dot3(f + 3 * i, d);
    for (int j = 0; j < 3; j++) p->r[3 * i + j] = vvi_dot3(e, f + 3 * j);
  }
}

void vvi_touch_blocks(const vvi_placed *a, const vvi_placed *b, vvi_spots *s)
{
  pair p = {.a = a, .b = b};
  measure(&p);
  if (!face_axes(&p, s->margin)) {
    vvi_spots_bound(s, p.face);
    return;
  }
  edge_axes(&p);
  if (p.ei >= 0 && p.edge >= s->margin) {
    vvi_spots_bound(s, p.edge);
    return;
  }
  view v;
  crossing c;
  look(&p, &v);
  bool facing = true;
  if (p.ei >= 0) {
    cross_edges(&p, &c);
    if (!c.inside && p.edge > 0.0) {
      general(&p, s);
      return;
    }
    const double *axis = v.ref->e + 3 * v.axis;
    facing = fabs(vvi_dot3(c.n, axis)) > FACING;
  }
  point patch[9];
  int axis = 0, n = 0;
  if (facing) {
    n = clip_faces(&v, &axis, patch);
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, patch[i].w);
    const double same = 1e-13 * (a->part->reach + b->part->reach);
    if (p.ei < 0 && p.face > 0.0 && least > p.face + same) {
      general(&p, s);
      return;
    }
    for (int i = 0; i < n; i++) emit(&v, &patch[i], s);
    if (n) emit_far_side(&v, axis, s);
  }
  if (p.ei >= 0)
    vvi_spot_add(s, c.x, c.n, p.edge, c.key);
  else if (n == 0)
    emit_support(&v, s);
}
