/* model/parts.c  Splits a motion into a rigid and a shape part, with the locked inertia. */
#include "model/parts.h"

#include "math/math.h"

/* What moves at a node: its mass (0: nothing does), its own inertia, and how. */
typedef struct moving {
  double mass, inertia[6], x[3], v[3], spin[3];
} moving;

/* The inverse of a positive matrix; all zero where it is singular, as that of a point or a needle. */
static void invert(const double a[6], double out[6])
{
  const double det = vvi_adjoint6(a, out), trace = a[0] + a[1] + a[2];
  for (int c = 0; c < 6; c++) out[c] = det > 1e-12 * trace * trace * trace ? out[c] / det : 0.0;
}

static moving moving_at(const vv_block *b, int64_t node, const vv_state *s)
{
  vv_mover k;
  moving out = {0};
  b->kind->mover(b, node, s->q + b->q0, s->p + b->p0, &k);
  const double sum = k.inverse_mass[0] + k.inverse_mass[1] + k.inverse_mass[2];
  const bool guided = k.inverse_mass[0] != k.inverse_mass[1] || k.inverse_mass[1] != k.inverse_mass[2];
  out.mass = sum > 0.0 ? (guided ? 1.0 : 3.0) / sum : 0.0;
  invert(k.inverse_inertia, out.inertia);
  for (int c = 0; c < 3; c++) out.x[c] = k.place[c], out.v[c] = k.velocity[c], out.spin[c] = k.spin[c];
  return out;
}

typedef void visit(const moving *k, void *user);

static void each(const vv_model *m, const vv_state *s, visit *f, void *user)
{
  for (int i = 0; i < m->n_block; i++)
    for (int64_t node = 0; m->block[i].kind->mover != NULL && node < m->block[i].nodes; node++) {
      const moving k = moving_at(&m->block[i], node, s);
      if (k.mass > 0.0) f(&k, user);
    }
}

static void add_mass(const moving *k, void *user)
{
  vvi_parts *p = user;
  p->mass += k->mass;
  for (int c = 0; c < 3; c++) p->centre[c] += k->mass * k->x[c], p->velocity[c] += k->mass * k->v[c];
}

/* spin holds L for now. */
static void add_inertia(const moving *k, void *user)
{
  vvi_parts *p = user;
  double r[3], v[3], L[3], own[3];
  for (int c = 0; c < 3; c++) r[c] = k->x[c] - p->centre[c], v[c] = k->mass * (k->v[c] - p->velocity[c]);
  vvi_cross3(r, v, L);
  vvi_times6(k->inertia, k->spin, own);
  const double rr = vvi_dot3(r, r);
  for (int c = 0; c < 3; c++) {
    p->spin[c] += L[c] + own[c];
    p->inertia[c] += k->mass * (rr - r[c] * r[c]) + k->inertia[c];
    p->inertia[3 + c] += k->inertia[3 + c] - k->mass * r[(c + 1) % 3] * r[(c + 2) % 3];
  }
}

static void add_shape(const moving *k, void *user)
{
  vvi_parts *p = user;
  double r[3], turn[3], dv[3], dw[3];
  for (int c = 0; c < 3; c++) r[c] = k->x[c] - p->centre[c], dw[c] = k->spin[c] - p->spin[c];
  vvi_cross3(p->spin, r, turn);
  for (int c = 0; c < 3; c++) dv[c] = k->v[c] - p->velocity[c] - turn[c];
  p->shape += 0.5 * k->mass * vvi_dot3(dv, dv) + 0.5 * vvi_form6(k->inertia, dw, dw);
}

/* I W = L.  Nodes on one line have no inertia about it, and no L: a unit of it there changes nothing. */
static void find_spin(vvi_parts *p)
{
  double L[3] = {p->spin[0], p->spin[1], p->spin[2]}, a[6], adj[6], e[3];
  for (int c = 0; c < 6; c++) a[c] = p->inertia[c];
  if (vvi_solve6(a, L, p->spin)) return;
  vvi_adjoint6(a, adj); /* of rank one: its columns are along the line */
  const int most = adj[0] >= adj[1] && adj[0] >= adj[2] ? 0 : adj[1] >= adj[2] ? 1 : 2;
  const double unit[3] = {most == 0, most == 1, most == 2}, trace = a[0] + a[1] + a[2];
  vvi_times6(adj, unit, e);
  const double size = vvi_norm3(e);
  for (int c = 0; c < 3 && size > 0.0; c++) {
    a[c] += trace * e[c] * e[c] / (size * size);
    a[3 + c] += trace * e[(c + 1) % 3] * e[(c + 2) % 3] / (size * size);
  }
  if (!vvi_solve6(a, L, p->spin)) p->spin[0] = p->spin[1] = p->spin[2] = 0.0; /* a point */
}

void vvi_parts_of(const vv_model *m, const vv_state *s, vvi_parts *p)
{
  *p = (vvi_parts){0};
  each(m, s, add_mass, p);
  if (!(p->mass > 0.0)) return;
  for (int c = 0; c < 3; c++) p->centre[c] /= p->mass, p->velocity[c] /= p->mass;
  each(m, s, add_inertia, p);
  const double L[3] = {p->spin[0], p->spin[1], p->spin[2]};
  find_spin(p);
  p->rigid = 0.5 * p->mass * vvi_dot3(p->velocity, p->velocity) + 0.5 * vvi_dot3(L, p->spin);
  each(m, s, add_shape, p);
}
