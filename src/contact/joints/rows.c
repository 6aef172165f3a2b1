/* contact/joints/rows.c  The equations of joints, and what unit impulses along their rows do.
 *
 * With d = x_b - x_a between the points of the ends, e an axis that a carries, f one that b carries:          [joint 1, 2]
 *   place    g = d_i            force e_i on b at x_b, -e_i on a at x_a
 *   along    g = e.d            e on b, -e on a, both at x_b: e turns with a
 *   angle    g = e.f            moment f x e on b, e x f on a
 *   length   g = |d| - length   n = d/|d| on b, -n on a, on one line
 * Forces are opposite, and moments about any point add up to zero: for `place` because d is zero. */
#include "contact/joints.h"
#include "math/so3.h"

#include <float.h>
#include <string.h>

/* A point and its axes in space. */
typedef struct posed {
  double x[3], axis[3][3];
} posed;

static void pose(const vvi_joint_end *e, const vv_mover *at, posed *out)
{
  if (e->node < 0) {
    memcpy(out->x, e->arm, sizeof out->x);
    memcpy(out->axis, e->axis, sizeof out->axis);
    return;
  }
  const vv_mover *m = &at[e->node];
  vvi_apply33(m->turn, e->arm, out->x);
  for (int c = 0; c < 3; c++) out->x[c] += m->place[c];
  for (int i = 0; i < 3; i++) vvi_apply33(m->turn, e->axis[i], out->axis[i]);
}

void vvi_joint_gaps(const vvi_joint *j, const vv_mover *at, double *g)
{
  posed a, b;
  pose(&j->end[0], at, &a);
  pose(&j->end[1], at, &b);
  const double d[3] = {b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]};
  for (int r = 0; r < j->rows; r++) {
    const vvi_tie *t = &j->tie[r];
    g[r] = t->type == VVI_TIE_PLACE   ? d[t->i]
           : t->type == VVI_TIE_ALONG ? vvi_dot3(a.axis[t->i], d)
           : t->type == VVI_TIE_ANGLE ? vvi_dot3(a.axis[t->i], b.axis[t->k])
                                      : vvi_norm3(d) - j->length;
  }
}

bool vvi_joint_turned(const vvi_joint *j, double h, const vv_mover *at)
{
  const double most =
      0.5; /* rad: the bodies of a chain that cracks like a whip turn as far, and the equations have other roots */
  double line[3] = {0}, rate[3] = {0}, across[3];
  for (int s = 0; s < 2; s++) {
    const vvi_joint_end *e = &j->end[s];
    posed a;
    pose(e, at, &a);
    double v[3] = {0}, sign = s == 0 ? -1.0 : 1.0;
    if (e->node >= 0) {
      const vv_mover *m = &at[e->node];
      const double arm[3] = {a.x[0] - m->place[0], a.x[1] - m->place[1], a.x[2] - m->place[2]};
      vvi_cross3(m->spin, arm, v);
      if (fabs(h) * vvi_norm3(v) > most * vvi_norm3(arm)) return true;
      for (int c = 0; c < 3; c++) v[c] += m->velocity[c];
    }
    for (int c = 0; c < 3; c++) line[c] += sign * a.x[c], rate[c] += sign * v[c];
  }
  if (j->tie[0].type != VVI_TIE_LENGTH) return false;
  vvi_cross3(line, rate, across);
  return fabs(h) * vvi_norm3(across) > most * vvi_dot3(line, line);
}

/* Places round at eps of their size, and arms at eps of theirs. */
double vvi_joint_floor(const vvi_joint *j, int row, const vv_mover *at)
{
  if (j->tie[row].type == VVI_TIE_ANGLE) return 8.0 * DBL_EPSILON;
  double far = j->size;
  for (int s = 0; s < 2; s++)
    for (int c = 0; c < 3; c++) {
      const vvi_joint_end *e = &j->end[s];
      far = fmax(far, fabs(e->node < 0 ? e->arm[c] : at[e->node].place[c]));
    }
  return 4.0 * DBL_EPSILON * far;
}

static double trace(const double a[6])
{
  return a[0] + a[1] + a[2];
}

/* What of a force arrives where a guide lets a node move along one line only: the part along it. */
static void guide(const vv_mover *m, double f[3])
{
  const double *a = m->inverse_mass, sum = trace(a);
  if (a[0] == a[1] && a[1] == a[2] && a[3] == 0.0 && a[4] == 0.0 && a[5] == 0.0) return;
  double along[3];
  vvi_times6(a, f, along);
  for (int c = 0; c < 3; c++) f[c] = along[c] / sum;
}

/* Force and moment of one end: what is held takes nothing, and what it would have got goes outside. */
static void arrive(const vvi_joint_end *e, const vv_mover *at, const double force[3], const double moment[3],
                   vvi_joint_rows *out, int side, int row)
{
  double *leg = out->leg[side][row], *answer = out->answer[side][row], turn[3];
  memset(leg, 0, sizeof out->leg[side][row]);
  memset(answer, 0, sizeof out->answer[side][row]);
  if (e->node < 0) return;
  const vv_mover *m = &at[e->node];
  const bool place = trace(m->inverse_mass) > 0.0, frame = trace(m->inverse_inertia) > 0.0;
  for (int c = 0; c < 3; c++) leg[c] = place ? force[c] : 0.0, leg[3 + c] = frame ? moment[c] : 0.0;
  if (place) guide(m, leg);
  vvi_times6(m->inverse_mass, leg, answer);
  vvi_times6(m->inverse_inertia, leg + 3, answer + 3);
  vvi_cross3(m->place, leg, turn);
  for (int c = 0; c < 3; c++) out->apply[row][c] += leg[c], out->apply[row][3 + c] += turn[c] + leg[3 + c];
}

/* Something outside takes part: an end is fixed, or a node is held or guided. */
static bool is_open(const vvi_joint *j, const vv_mover *at)
{
  for (int s = 0; s < 2; s++) {
    const int32_t n = j->end[s].node;
    if (n < 0 || !(trace(at[n].inverse_mass) > 0.0)) return true;
    const double *a = at[n].inverse_mass;
    if (a[0] != a[1] || a[1] != a[2] || !(trace(at[n].inverse_inertia) > 0.0)) return true;
  }
  return false;
}

void vvi_joint_rows_at(const vvi_joint *j, const vv_mover *at, vvi_joint_rows *out)
{
  static const double none[3] = {0};
  posed p[2];
  double arm[2][3];
  for (int s = 0; s < 2; s++) {
    pose(&j->end[s], at, &p[s]);
    const double *from = j->end[s].node >= 0 ? at[j->end[s].node].place : none;
    for (int c = 0; c < 3; c++) arm[s][c] = p[s].x[c] - from[c];
  }
  const double d[3] = {p[1].x[0] - p[0].x[0], p[1].x[1] - p[0].x[1], p[1].x[2] - p[0].x[2]};
  out->open = is_open(j, at);
  memset(out->apply, 0, sizeof out->apply);
  for (int r = 0; r < j->rows; r++) {
    const vvi_tie *t = &j->tie[r];
    double n[3] = {0}, back[3], moment[2][3];
    if (t->type == VVI_TIE_ANGLE) {
      vvi_cross3(p[1].axis[t->k], p[0].axis[t->i], moment[1]);
      for (int c = 0; c < 3; c++) moment[0][c] = -moment[1][c];
      arrive(&j->end[0], at, none, moment[0], out, 0, r);
      arrive(&j->end[1], at, none, moment[1], out, 1, r);
      continue;
    }
    const double size = t->type == VVI_TIE_LENGTH ? vvi_norm3(d) : 1.0;
    for (int c = 0; c < 3; c++)
      n[c] = t->type == VVI_TIE_PLACE   ? (double)(c == t->i)
             : t->type == VVI_TIE_ALONG ? p[0].axis[t->i][c]
                                        : d[c] / size;
    double far[3]; /* a's arm: of `along` to the point of b */
    for (int c = 0; c < 3; c++) far[c] = arm[0][c] + (t->type == VVI_TIE_ALONG ? d[c] : 0.0), back[c] = -n[c];
    vvi_cross3(far, back, moment[0]);
    vvi_cross3(arm[1], n, moment[1]);
    arrive(&j->end[0], at, back, moment[0], out, 0, r);
    arrive(&j->end[1], at, n, moment[1], out, 1, r);
  }
}

static double along(const double leg[6], const vv_mover *m)
{
  return vvi_dot3(leg, m->velocity) + vvi_dot3(leg + 3, m->spin);
}

void vvi_joint_speeds(const vvi_joint *j, const vvi_joint_rows *r, const vv_mover *at, double *u)
{
  for (int k = 0; k < j->rows; k++) {
    u[k] = 0.0;
    for (int s = 0; s < 2; s++)
      if (j->end[s].node >= 0) u[k] += along(r->leg[s][k], &at[j->end[s].node]);
  }
}
