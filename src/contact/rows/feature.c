/* contact/rows/feature.c  Rows of one pair of features: impulses on its vertices as forces and moments on movers. */
#include "contact/rows/feature.h"

#include "math/math.h"

#include <string.h>

/* ---- rows without moment ---- */

/* Arms of the points from..n from their centre of mass; adds their inertia about it. */
static void add_arms(int from, int n, const double x[4][3], const double mass[4], double r[4][3], double inertia[6])
{
  double centre[3] = {0, 0, 0}, sum = 0.0;
  for (int k = from; k < n; k++) sum += mass[k];
  for (int k = from; k < n; k++)
    for (int i = 0; i < 3; i++) centre[i] += mass[k] / sum * x[k][i];
  for (int k = from; k < n; k++) {
    for (int i = 0; i < 3; i++) r[k][i] = x[k][i] - centre[i];
    const double *a = r[k], m = mass[k];
    inertia[0] += m * (a[1] * a[1] + a[2] * a[2]), inertia[1] += m * (a[0] * a[0] + a[2] * a[2]);
    inertia[2] += m * (a[0] * a[0] + a[1] * a[1]);
    inertia[3] -= m * a[1] * a[2], inertia[4] -= m * a[0] * a[2], inertia[5] -= m * a[0] * a[1];
  }
}

/* I w = moment; points on a line have the same inertia about all axes across it, and no moment along it. */
static bool turn_by(const double inertia[6], const double moment[3], double w[3])
{
  if (vvi_solve6(inertia, moment, w)) return true;
  const double across = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
  double turned[3], off = 0.0, size = 0.0;
  for (int i = 0; i < 3; i++) w[i] = across > 0.0 ? moment[i] / across : 0.0;
  vvi_times6(inertia, w, turned);
  for (int i = 0; i < 3; i++) off = fmax(off, fabs(turned[i] - moment[i])), size = fmax(size, fabs(moment[i]));
  return off <= 1e-9 * size;
}

/* Arms that w hardly sees make it large, and what should vanish, sum h and sum r x h, a difference of large numbers: what is
 * left of it is given out once more.  False: that was not needed. */
static bool level(int n, const double r[4][3], const double mass[4], const double inertia[6], double h[4][3])
{
  double sum[3] = {0, 0, 0}, moment[3] = {0, 0, 0}, w[3], turn[3], size = 0.0, arms = 0.0, all = 0.0;
  for (int k = 0; k < n; k++) {
    vvi_cross3(r[k], h[k], turn);
    all += mass[k], size += vvi_norm3(h[k]), arms += vvi_norm3(r[k]) * vvi_norm3(h[k]);
    for (int i = 0; i < 3; i++) sum[i] += h[k][i], moment[i] -= turn[i];
  }
  const bool off = vvi_norm3(sum) > 4e-16 * size || vvi_norm3(moment) > 4e-16 * arms;
  if (!off || !turn_by(inertia, moment, w)) return false;
  for (int k = 0; k < n; k++) {
    vvi_cross3(w, r[k], turn);
    for (int i = 0; i < 3; i++) h[k][i] += mass[k] * (turn[i] - sum[i] / all);
  }
  return true;
}

/* From one side to the other, sum c_k x_k. */
static void way_between(int n, const double x[4][3], const double c[4], double d[3])
{
  for (int i = 0; i < 3; i++) d[i] = 0.0;
  for (int k = 1; k < n; k++)
    for (int i = 0; i < 3; i++) d[i] += c[k] * (x[k][i] - x[0][i]);
}

/* Do the moments of unit forces along three axes ask the points for less than one such force? */
static bool is_strong(int n, const double mass[4], const double r[4][3], const double inertia[6], const double d[3])
{
  double sum = 0.0;
  for (int e = 0; e < 3; e++) {
    const double t[3] = {e == 0, e == 1, e == 2};
    double moment[3], w[3], turn[3];
    vvi_cross3(t, d, moment);
    if (!turn_by(inertia, moment, w)) return false;
    for (int k = 0; k < n; k++) {
      vvi_cross3(w, r[k], turn);
      sum += mass[k] * mass[k] * vvi_dot3(turn, turn);
    }
  }
  return sum <= 1.0;
}

/* Arms from the centre of each side and their inertia, so that what turns pushes no side; where that takes long levers, two edges that
 * are nearly parallel, or more than a line has, from the centre of all. */
static void balance(int n, int first, const double x[4][3], const double mass[4], const double d[3], double r[4][3],
                    double inertia[6])
{
  memset(inertia, 0, 6 * sizeof *inertia);
  add_arms(0, first, x, mass, r, inertia);
  add_arms(first, n, x, mass, r, inertia);
  if (is_strong(n, mass, (const double(*)[3])r, inertia, d)) return;
  memset(inertia, 0, 6 * sizeof *inertia);
  add_arms(0, n, x, mass, r, inertia);
}

/* I w = -(sum c_k x_k) x t.                                                                                   [sheets 6] */
bool vvi_torque_free(int n, int first, const double x[4][3], const double mass[4], const double c[4], const double t[3],
                     double h[4][3])
{
  double d[3], inertia[6], all[6] = {0}, moment[3], w[3], r[4][3];
  way_between(n, x, c, d);
  balance(n, first, x, mass, d, r, inertia);
  vvi_cross3(t, d, moment);
  if (!turn_by(inertia, moment, w)) return false;
  for (int k = 0; k < n; k++) {
    double turn[3];
    vvi_cross3(w, r[k], turn);
    for (int i = 0; i < 3; i++) h[k][i] = c[k] * t[i] + mass[k] * turn[i];
  }
  add_arms(0, n, x, mass, r, all);
  for (int pass = 0; pass < 3 && level(n, (const double(*)[3])r, mass, all, h); pass++) {
  }
  return true;
}

/* Column by column, each mended once by what it leaves of its moment. */
void vvi_torque_free_turn(int n, int first, const double x[4][3], const double mass[4], const double c[4],
                          double r[4][3], double turn[9])
{
  double d[3], inertia[6];
  way_between(n, x, c, d);
  balance(n, first, x, mass, d, r, inertia);
  for (int e = 0; e < 3; e++) {
    const double t[3] = {e == 0, e == 1, e == 2};
    double moment[3], w[3] = {0, 0, 0};
    vvi_cross3(t, d, moment);
    for (int pass = 0; pass < 2; pass++) {
      double more[3], made[3];
      if (!turn_by(inertia, moment, more)) break;
      vvi_times6(inertia, more, made);
      for (int i = 0; i < 3; i++) w[i] += more[i], moment[i] -= made[i];
    }
    for (int i = 0; i < 3; i++) turn[3 * i + e] = w[i];
  }
}

static vvi_row_part *part_of(vvi_row *r, int32_t mover)
{
  for (int i = 0; i < r->n; i++)
    if (r->part[i].mover == mover) return &r->part[i];
  if (r->n == VVI_ROW_PARTS) return NULL;
  r->part[r->n] = (vvi_row_part){.mover = mover};
  return &r->part[r->n++];
}

/* A force at the end of an arm. */
static bool add_force(vvi_row *r, int32_t mover, const double f[3], double weight, const double arm[3])
{
  vvi_row_part *p = part_of(r, mover);
  double moment[3] = {0, 0, 0};
  if (p == NULL) return false;
  if (arm != NULL) vvi_cross3(arm, f, moment);
  for (int i = 0; i < 3; i++) p->force[i] += weight * f[i], p->moment[i] += weight * moment[i];
  return true;
}

/* A guide takes what is not along it, a held tip gives nothing away. */
static void guide(const vvi_sheet_motion *m, const vv_patch *tip, vvi_row *r, vvi_row_part *p, double lost[3])
{
  const double along = tip->held ? 0.0 : vvi_dot3(tip->direction, p->force);
  for (int i = 0; i < 3; i++) {
    lost[i] = p->force[i] - along * tip->direction[i];
    p->force[i] = along * tip->direction[i];
  }
  if (tip->held) r->given += vvi_dot3(lost, m->frame[p->mover].velocity);
}

/* What is held is taken out and goes outside. */
static void hold(const vvi_sheet_motion *m, vvi_row *r, vvi_row_part *p)
{
  const struct vvi_sheets *s = m->sheets;
  const int held = s->held[p->mover];
  double lost[3] = {0, 0, 0}, x[3], turn[3];
  if (held == 0) return;
  const int32_t body = s->body_of_mover[p->mover];
  const vv_patch *tip = s->body[body].tip;
  for (int i = 0; i < 3 && tip == NULL; i++)
    if (held >> i & 1) lost[i] = p->force[i], p->force[i] = 0.0;
  if (tip != NULL) guide(m, tip, r, p, lost);
  if (s->body[body].carrier == VVI_CARRY_POINTS)
    vvi_sheet_node(m, body, p->mover, false, x);
  else
    memcpy(x, m->frame[p->mover].place, sizeof x);
  vvi_cross3(x, lost, turn);
  for (int i = 0; i < 3; i++) r->outside[i] -= lost[i], r->x[i] -= turn[i];
  for (int i = 0; i < 3 && (held & 8) != 0; i++) r->x[i] -= p->moment[i], p->moment[i] = 0.0;
  r->open = true;
}

static void finish(const vvi_sheet_motion *m, vvi_row *r)
{
  const struct vvi_sheets *s = m->sheets;
  r->inverse = 0.0;
  for (int i = 0; i < r->n; i++) {
    vvi_row_part *p = &r->part[i];
    hold(m, r, p);
    if (s->body[s->body_of_mover[p->mover]].carrier == VVI_CARRY_POINTS) {
      r->inverse += s->inverse[p->mover] * vvi_dot3(p->force, p->force);
      continue;
    }
    double dv[3], dw[3];
    vvi_times6(m->frame[p->mover].inverse_mass, p->force, dv);
    vvi_times6(m->frame[p->mover].inverse_inertia, p->moment, dw);
    r->inverse += vvi_dot3(p->moment, dw) + vvi_dot3(p->force, dv);
  }
}

/* Vertices to movers; x: where the forces act.  False: too many. */
static bool compile(const vvi_sheet_motion *m, const vvi_feature_pair *k, const double x[4][3], const double h[4][3],
                    vvi_row *r)
{
  const struct vvi_sheets *s = m->sheets;
  bool fixed = k->vertices == 1;
  r->n = 0, r->open = false, r->given = 0.0;
  for (int i = 0; i < 3; i++) r->outside[i] = r->x[i] = 0.0;
  for (int i = 0; i < k->vertices; i++) fixed |= s->body[s->body_of[k->vertex[i]]].carrier == VVI_CARRY_NONE;
  for (int i = 0; i < k->vertices; i++) {
    const int32_t v = k->vertex[i];
    const vvi_sheet_body *b = &s->body[s->body_of[v]];
    bool room = true;
    if (b->carrier == VVI_CARRY_NONE) continue;
    if (b->loose) {
      for (int32_t j = s->stencil0[v]; j < s->stencil0[v + 1]; j++)
        room = room && add_force(r, s->stencil[j], h[i], s->weight[j], NULL);
    } else if (b->carrier == VVI_CARRY_POINTS) {
      room = add_force(r, s->mover[v], h[i], 1.0, NULL);
    } else {
      double arm[3];
      for (int c = 0; c < 3; c++) arm[c] = x[i][c] - m->frame[s->mover[v]].place[c];
      room = add_force(r, s->mover[v], h[i], 1.0, arm);
    }
    if (!room) return false;
    if (!fixed) continue; /* else what is fixed in space takes the opposite, wherever it is */
    double turn[3];
    vvi_cross3(x[i], h[i], turn);
    for (int c = 0; c < 3; c++) r->outside[c] += h[i][c], r->x[c] += turn[c];
    r->open = true;
  }
  finish(m, r);
  return true;
}

/* The mass that a vertex brings to the balance; 0: it does not move. */
static double mass_of(const vvi_sheet_motion *m, int32_t v)
{
  const struct vvi_sheets *s = m->sheets;
  const vvi_sheet_body *b = &s->body[s->body_of[v]];
  double inverse = 0.0;
  if (b->carrier == VVI_CARRY_NONE) return 0.0;
  if (b->carrier == VVI_CARRY_FRAMES) {
    const double *a = m->frame[s->mover[v]].inverse_mass;
    inverse = (a[0] + a[1] + a[2]) / 3.0;
  } else if (b->loose) {
    for (int32_t j = s->stencil0[v]; j < s->stencil0[v + 1]; j++)
      inverse += s->weight[j] * s->weight[j] * s->inverse[s->stencil[j]];
  } else {
    inverse = s->inverse[s->mover[v]];
  }
  return inverse > 0.0 ? 1.0 / inverse : -1.0;
}

/* Any positive ones will do; held vertices get the largest of the others. */
bool vvi_sheet_masses(const vvi_sheet_motion *m, int n, const int32_t vertex[4], double mass[4])
{
  double most = 0.0;
  bool fixed = n == 1;
  for (int i = 0; i < n; i++) {
    mass[i] = mass_of(m, vertex[i]);
    fixed |= mass[i] == 0.0;
    most = fmax(most, mass[i]);
  }
  for (int i = 0; i < n; i++) mass[i] = fixed ? 0.0 : mass[i] < 0.0 ? most : fmax(mass[i], 1e-3 * most);
  return most > 0.0;
}

/* Two tips on one line: points on a line have no inertia about it, and what [sheets 6] leaves of that is rounding over nothing.  They
 * push each other at one point between them, which has no moment. */
static bool tips_along(const vvi_sheet_motion *m, const vvi_feature_pair *k, const double x[4][3], const double t[3],
                       vvi_row *r)
{
  double h[4][3] = {{0}}, at[4][3] = {{0}};
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 3; c++) at[i][c] = 0.5 * (x[0][c] + x[1][c]), h[i][c] = k->c[i] * t[c];
  return compile(m, k, (const double(*)[3])at, (const double(*)[3])h, r);
}

static bool row_along(const vvi_sheet_motion *m, const vvi_feature_pair *k, const double x[4][3], const double t[3],
                      vvi_row *r)
{
  double h[4][3];
  if (k->vertices == 2) return tips_along(m, k, x, t, r);
  if (k->mass[0] > 0.0) {
    if (!vvi_torque_free(k->vertices, k->first, x, k->mass, k->c, t, h)) return false;
  } else {
    for (int i = 0; i < k->vertices; i++)
      for (int c = 0; c < 3; c++) h[i][c] = k->c[i] * t[c];
  }
  return compile(m, k, x, (const double(*)[3])h, r);
}

/* Where friction acts: balls, capsules and round beams are rubbed on their surface, and so begin to spin.    [sheets 15] */
static void rubbed_points(const vvi_sheet_motion *m, const vvi_feature_pair *k, double x[4][3])
{
  const struct vvi_sheets *s = m->sheets;
  memcpy(x, k->x, sizeof k->x);
  for (int i = 0; i < k->vertices; i++) {
    const int32_t body = s->body_of[k->vertex[i]];
    const bool round = s->body[body].carrier == VVI_CARRY_FRAMES && !s->body[body].turns && s->body[body].tip == NULL;
    if (!s->body[body].rigid && !round) continue;
    const double out = body == s->body_of[k->vertex[0]] ? -s->body[body].half : s->body[body].half;
    for (int c = 0; c < 3; c++) x[i][c] += out * k->n[c];
  }
}

/* 1/kg: a row that moves less has a normal at right angles to the way between its features, within 1e-6: without moment its legs are
 * what rounding leaves of their difference, and the impulse that it takes to part them has no bound. */
static double nothing(const vvi_feature_pair *k)
{
  double sum = 0.0;
  for (int i = 0; i < k->vertices && k->mass[0] > 0.0; i++) sum += k->c[i] * k->c[i] / k->mass[i];
  return 1e-12 * sum;
}

bool vvi_feature_rows(const vvi_sheet_motion *m, vvi_feature_pair *k, const double given[4][3], const double t[2][3],
                      vvi_row *rub)
{
  const double(*at)[3] = (const double(*)[3])k->x;
  double x[4][3];
  for (int i = 0; i < k->vertices; i++) vvi_sheet_place(m, k->vertex[i], false, k->x[i]);
  if (!vvi_sheet_masses(m, k->vertices, k->vertex, k->mass)) return false;
  const bool found = given != NULL ? compile(m, k, at, given, &k->normal) : row_along(m, k, at, k->n, &k->normal);
  if (!found || !(k->normal.inverse > nothing(k))) return false;
  if (rub == NULL) return true;
  rubbed_points(m, k, x);
  for (int i = 0; i < 2; i++)
    if (!row_along(m, k, (const double(*)[3])x, t[i], &rub[i])) rub[i].n = -1;
  return true;
}
