/* contact/response/dcr.c  See dcr.h. */
#include "contact/response/dcr.h"

#include "contact/friction.h"
#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

/* ---- rows ---- */

/* By the adjoint, and one correction. */
bool vvi_solve_symmetric(const double a[6], const double b[3], double x[3])
{
  const double m[9] = {a[1] * a[2] - a[3] * a[3], a[4] * a[3] - a[5] * a[2], a[5] * a[3] - a[4] * a[1],
                       a[4] * a[3] - a[5] * a[2], a[0] * a[2] - a[4] * a[4], a[4] * a[5] - a[0] * a[3],
                       a[5] * a[3] - a[4] * a[1], a[4] * a[5] - a[0] * a[3], a[0] * a[1] - a[5] * a[5]};
  const double det = a[0] * m[0] + a[5] * m[1] + a[4] * m[2], trace = a[0] + a[1] + a[2];
  if (!(det > 1e-12 * trace * trace * trace)) return false;
  double r[3] = {b[0], b[1], b[2]};
  x[0] = x[1] = x[2] = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 3; i++) x[i] += vvi_dot3(m + 3 * i, r) / det;
    r[0] = b[0] - (a[0] * x[0] + a[5] * x[1] + a[4] * x[2]);
    r[1] = b[1] - (a[5] * x[0] + a[1] * x[1] + a[3] * x[2]);
    r[2] = b[2] - (a[4] * x[0] + a[3] * x[1] + a[2] * x[2]);
  }
  return true;
}

static void apply6(const double a[6], const double x[3], double y[3])
{
  y[0] = a[0] * x[0] + a[5] * x[1] + a[4] * x[2];
  y[1] = a[5] * x[0] + a[1] * x[1] + a[3] * x[2];
  y[2] = a[4] * x[0] + a[3] * x[1] + a[2] * x[2];
}

/* I w = moment; points on a line have the same inertia about all axes across it, and no moment along it. */
static bool turn_by(const double inertia[6], const double moment[3], double w[3])
{
  if (vvi_solve_symmetric(inertia, moment, w)) return true;
  const double across = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
  double turned[3], off = 0.0, size = 0.0;
  for (int i = 0; i < 3; i++) w[i] = across > 0.0 ? moment[i] / across : 0.0;
  apply6(inertia, w, turned);
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
  const bool off = vvi_norm3(sum) > 1e-14 * size || vvi_norm3(moment) > 1e-13 * arms;
  if (!off || !turn_by(inertia, moment, w)) return false;
  for (int k = 0; k < n; k++) {
    vvi_cross3(w, r[k], turn);
    for (int i = 0; i < 3; i++) h[k][i] += mass[k] * (turn[i] - sum[i] / all);
  }
  return true;
}

/* With arms r_k from the centre of mass of the four, I w = -(sum c_k x_k) x t.                                [sheets 6] */
bool vvi_torque_free(int n, const double x[4][3], const double mass[4], const double c[4], const double t[3],
                     double h[4][3])
{
  double centre[3] = {0, 0, 0}, d[3] = {0, 0, 0}, inertia[6] = {0}, moment[3], w[3], sum = 0.0, r[4][3];
  for (int k = 0; k < n; k++) sum += mass[k];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++) centre[i] += mass[k] / sum * x[k][i], h[k][i] = c[k] * t[i];
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < 3; i++) r[k][i] = x[k][i] - centre[i], d[i] += c[k] * r[k][i];
    const double *a = r[k], m = mass[k];
    inertia[0] += m * (a[1] * a[1] + a[2] * a[2]), inertia[1] += m * (a[0] * a[0] + a[2] * a[2]);
    inertia[2] += m * (a[0] * a[0] + a[1] * a[1]);
    inertia[3] -= m * a[1] * a[2], inertia[4] -= m * a[0] * a[2], inertia[5] -= m * a[0] * a[1];
  }
  vvi_cross3(t, d, moment);
  if (!turn_by(inertia, moment, w)) return false;
  for (int k = 0; k < n; k++) {
    double turn[3];
    vvi_cross3(w, r[k], turn);
    for (int i = 0; i < 3; i++) h[k][i] += mass[k] * turn[i];
  }
  for (int pass = 0; pass < 3 && level(n, (const double(*)[3])r, mass, inertia, h); pass++) {
  }
  return true;
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
      for (int c = 0; c < 3; c++) p->dv[c] = s->inverse[p->mover] * p->force[c];
    } else {
      apply6(m->frame[p->mover].inverse_mass, p->force, p->dv);
      apply6(m->frame[p->mover].inverse_inertia, p->moment, p->dw);
      r->inverse += vvi_dot3(p->moment, p->dw);
    }
    r->inverse += vvi_dot3(p->force, p->dv);
  }
}

/* Vertices to movers; x: where the forces act.  False: too many. */
static bool compile(const vvi_sheet_motion *m, const vvi_dcr *k, const double x[4][3], const double h[4][3], vvi_row *r)
{
  const struct vvi_sheets *s = m->sheets;
  r->n = 0, r->open = false, r->given = 0.0;
  for (int i = 0; i < 3; i++) r->outside[i] = r->x[i] = 0.0;
  for (int i = 0; i < k->vertices; i++) {
    const int32_t v = k->vertex[i];
    const vvi_sheet_body *b = &s->body[s->body_of[v]];
    bool room = true;
    if (b->loose) {
      for (int32_t j = s->stencil0[v]; j < s->stencil0[v + 1]; j++)
        room = room && add_force(r, s->stencil[j], h[i], s->weight[j], NULL);
    } else if (b->carrier == VVI_CARRY_POINTS) {
      room = add_force(r, s->mover[v], h[i], 1.0, NULL);
    } else if (b->carrier == VVI_CARRY_FRAMES) {
      double arm[3];
      for (int c = 0; c < 3; c++) arm[c] = x[i][c] - m->frame[s->mover[v]].place[c];
      room = add_force(r, s->mover[v], h[i], 1.0, arm);
    } else {
      double turn[3];
      vvi_cross3(x[i], h[i], turn);
      for (int c = 0; c < 3; c++) r->outside[c] -= h[i][c], r->x[c] -= turn[c];
      r->open = true;
    }
    if (!room) return false;
  }
  if (k->vertices == 1) { /* an obstacle takes the opposite */
    double turn[3];
    vvi_cross3(x[0], h[0], turn);
    for (int c = 0; c < 3; c++) r->outside[c] += h[0][c], r->x[c] += turn[c];
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

/* Masses of the balance: any positive ones will do; held vertices get the largest of the others. */
static bool balance(const vvi_sheet_motion *m, vvi_dcr *k)
{
  double most = 0.0;
  bool fixed = k->vertices == 1;
  for (int i = 0; i < k->vertices; i++) {
    k->mass[i] = mass_of(m, k->vertex[i]);
    fixed |= k->mass[i] == 0.0;
    most = fmax(most, k->mass[i]);
  }
  for (int i = 0; i < k->vertices; i++)
    k->mass[i] = fixed ? 0.0 : k->mass[i] < 0.0 ? most : fmax(k->mass[i], 1e-3 * most);
  return most > 0.0;
}

static bool row_along(const vvi_sheet_motion *m, const vvi_dcr *k, const double x[4][3], const double t[3], vvi_row *r)
{
  double h[4][3];
  if (k->mass[0] > 0.0) {
    if (!vvi_torque_free(k->vertices, x, k->mass, k->c, t, h)) return false;
  } else {
    for (int i = 0; i < k->vertices; i++)
      for (int c = 0; c < 3; c++) h[i][c] = k->c[i] * t[c];
  }
  return compile(m, k, x, (const double(*)[3])h, r);
}

static bool open_pair(const vvi_sheet_motion *m, vvi_dcr *k)
{
  for (int i = 0; i < k->vertices; i++) vvi_sheet_place(m, k->vertex[i], false, k->x[i]);
  return balance(m, k);
}

bool vvi_dcr_prepare(const vvi_sheet_motion *m, vvi_dcr *k)
{
  if (!open_pair(m, k) || !row_along(m, k, (const double(*)[3])k->x, k->n, &k->normal)) return false;
  k->speed = vvi_row_speed(m, &k->normal);
  return k->normal.inverse > 0.0;
}

bool vvi_dcr_prepare_row(const vvi_sheet_motion *m, vvi_dcr *k, const double h[4][3])
{
  if (!open_pair(m, k) || !compile(m, k, (const double(*)[3])k->x, h, &k->normal)) return false;
  k->speed = vvi_row_speed(m, &k->normal);
  return k->normal.inverse > 0.0;
}

/* ---- speeds and impulses ---- */

/* G.M^-1 of a momentum or a force in the columns of the blocks. */
static double rate(const vvi_sheet_motion *m, const vvi_row *r, bool of_force)
{
  const struct vvi_sheets *s = m->sheets;
  double sum = 0.0;
  for (int i = 0; i < r->n; i++) {
    const vvi_row_part *p = &r->part[i];
    const int32_t body = s->body_of_mover[p->mover];
    if (s->body[body].carrier == VVI_CARRY_FRAMES) {
      const double *v = of_force ? m->frame[p->mover].acceleration : m->frame[p->mover].velocity;
      sum += vvi_dot3(p->force, v) + vvi_dot3(p->moment, v + 3);
      continue;
    }
    const vvi_sheet_columns *k = &m->at[body];
    const double *y = (of_force ? k->f : k->p) + (p->mover - s->body[body].mover0);
    sum += p->dv[0] * y[0] + p->dv[1] * y[k->column] + p->dv[2] * y[2 * k->column];
  }
  return sum;
}

double vvi_row_speed(const vvi_sheet_motion *m, const vvi_row *r)
{
  return rate(m, r, false) + r->given;
}

double vvi_row_acceleration(const vvi_sheet_motion *m, const vvi_row *r)
{
  return rate(m, r, true);
}

static void pull_tip(vvi_sheet_motion *m, int32_t body, const vvi_row_part *p, double l)
{
  const vvi_sheet_body *k = &m->sheets->body[body];
  const vv_point pt = vvi_sheet_tip_point(k);
  const double impulse[3] = {l * p->force[0], l * p->force[1], l * p->force[2]};
  vvi_sheet_frame *f = &m->frame[p->mover];
  k->block->kind->pull(k->block, m->at[body].q - k->node0, 1, &pt, impulse, m->at[body].p - k->node0);
  for (int c = 0; c < 3; c++) f->velocity[c] += l * p->dv[c];
  if (m->fly != NULL) m->fly(m, p->mover);
}

void vvi_row_apply(vvi_sheet_motion *m, const vvi_row *r, double l, vv_posted *post)
{
  const struct vvi_sheets *s = m->sheets;
  for (int i = 0; i < r->n; i++) {
    const vvi_row_part *p = &r->part[i];
    const int32_t body = s->body_of_mover[p->mover];
    const vvi_sheet_columns *k = &m->at[body];
    if (s->body[body].tip != NULL) {
      pull_tip(m, body, p, l);
      continue;
    }
    double *y = k->p + (p->mover - s->body[body].mover0);
    for (int c = 0; c < 3; c++) y[c * k->column] += l * p->force[c];
    if (s->body[body].carrier != VVI_CARRY_FRAMES) continue;
    for (int c = 0; c < 3; c++) y[(3 + c) * k->column] += l * p->moment[c];
    vvi_sheet_frame *f = &m->frame[p->mover];
    for (int c = 0; c < 3; c++) f->velocity[c] += l * p->dv[c], f->velocity[3 + c] += l * p->dw[c];
    if (m->fly != NULL) m->fly(m, p->mover);
  }
  for (int c = 0; c < 3 && r->open && post != NULL; c++) {
    vvi_sum_add(&post->impulse[c], l * r->outside[c]);
    vvi_sum_add(&post->moment[c], l * r->x[c]);
  }
  if (r->given != 0.0 && post != NULL) vvi_sum_add(&post->external_work, -l * r->given);
}

static double cross(const vvi_row *a, const vvi_row *b)
{
  double sum = 0.0;
  for (int i = 0; i < a->n; i++)
    sum += vvi_dot3(a->part[i].force, b->part[i].dv) + vvi_dot3(a->part[i].moment, b->part[i].dw);
  return sum;
}

/* Where friction acts: balls, capsules and round beams are rubbed on their surface, and so begin to spin.    [sheets 15] */
static void rubbed_points(const vvi_sheet_motion *m, const vvi_dcr *k, double x[4][3])
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

bool vvi_dcr_rows(const vvi_sheet_motion *m, vvi_dcr *k, const double t[2][3], vvi_row *rub)
{
  double x[4][3];
  if (!vvi_dcr_prepare(m, k)) return false;
  if (rub == NULL) return true;
  rubbed_points(m, k, x);
  for (int i = 0; i < 2; i++)
    if (!row_along(m, k, (const double(*)[3])x, t[i], &rub[i])) rub[i].n = -1;
  return true;
}

/* ---- sliding: K = k[0] k[1] / k[1] k[2], of the speeds along two tangents ---- */

/* A guide leaves one direction to slide along: then K = k g g, and all speeds lie along g. */
static bool guided(const double k[3])
{
  return !(k[0] * k[2] - k[1] * k[1] > 1e-14 * k[0] * k[2]);
}

/* s.K^-1 s, up to a factor. */
static double in_metric(const double k[3], const double s[2])
{
  return guided(k) ? s[0] * s[0] + s[1] * s[1] : k[2] * s[0] * s[0] - 2.0 * k[1] * s[0] * s[1] + k[0] * s[1] * s[1];
}

/* K j = change */
static void impulse_for(const double k[3], const double change[2], double j[2])
{
  const double det = k[0] * k[2] - k[1] * k[1], trace = k[0] + k[2];
  if (!guided(k)) {
    j[0] = (k[2] * change[0] - k[1] * change[1]) / det, j[1] = (k[0] * change[1] - k[1] * change[0]) / det;
    return;
  }
  const double g[2] = {k[0] >= k[2] ? k[0] : k[1], k[0] >= k[2] ? k[1] : k[2]}, size = g[0] * g[0] + g[1] * g[1];
  for (int i = 0; i < 2; i++) j[i] = (g[0] * change[0] + g[1] * change[1]) / size * g[i] / trace;
}

/* The wanted change of the sliding speeds s.  What slides in the coming drift is s + w, w from the half kick; s+ = -w stops
 * it.  Shortened to |s+| <= |s| in the metric of K^-1 it brings no energy.                                  [sheets 19] */
static void stop_ahead(const vvi_sheet_motion *m, vvi_sliding how, const vvi_row row[2], const double k[3],
                       const double s[2], double change[2])
{
  const double half = how == VVI_RUB_NOW ? 0.0 : 0.5 * m->h;
  const double w[2] = {half * vvi_row_acceleration(m, &row[0]), half * vvi_row_acceleration(m, &row[1])};
  const double ss = in_metric(k, s), ww = in_metric(k, w);
  const double part = how == VVI_RUB_AHEAD && ww > ss ? sqrt(fmax(ss, 0.0) / ww) : 1.0;
  for (int i = 0; i < 2; i++) change[i] = -part * w[i] - s[i];
}

/* K dj = s+ - s if j + dj is inside the disc, else on its rim; lost: -(dj.s + dj.K dj/2).                      [sheets 7, 19] */
double vvi_dcr_rub(vvi_sheet_motion *m, const vvi_dcr *k, double limit, vvi_sliding how, double j[3], double *slide,
                   vv_posted *post)
{
  vvi_row row[2];
  double t[2][3], x[4][3];
  *slide = 0.0;
  vvi_across(k->n, t);
  rubbed_points(m, k, x);
  const double old[2] = {vvi_dot3(j, t[0]), vvi_dot3(j, t[1])};
  if (!(limit > 0.0 || old[0] != 0.0 || old[1] != 0.0) || !row_along(m, k, (const double(*)[3])x, t[0], &row[0]) ||
      !row_along(m, k, (const double(*)[3])x, t[1], &row[1]))
    return 0.0;
  const double s[2] = {vvi_row_speed(m, &row[0]), vvi_row_speed(m, &row[1])};
  const double kt[3] = {row[0].inverse, cross(&row[0], &row[1]), row[1].inverse};
  if (!(kt[0] + kt[2] > 1e-12 * k->normal.inverse)) return 0.0;
  double change[2], dj[2];
  stop_ahead(m, how, row, kt, s, change);
  impulse_for(kt, change, dj);
  const double sum[2] = {old[0] + dj[0], old[1] + dj[1]}, size = sqrt(sum[0] * sum[0] + sum[1] * sum[1]);
  const double cut = size > limit ? limit / size : 1.0;
  for (int i = 0; i < 3; i++) j[i] = cut * (sum[0] * t[0][i] + sum[1] * t[1][i]);
  for (int i = 0; i < 2; i++) {
    dj[i] = cut * sum[i] - old[i];
    vvi_row_apply(m, &row[i], dj[i], post);
  }
  *slide = sqrt(dj[0] * dj[0] + dj[1] * dj[1]);
  return -(dj[0] * s[0] + dj[1] * s[1] + 0.5 * (dj[0] * dj[0] * kt[0] + dj[1] * dj[1] * kt[2]) + dj[0] * dj[1] * kt[1]);
}
