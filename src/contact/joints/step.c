/* contact/joints/step.c  Joints in a step of the leapfrog: impulses that keep them over a drift, and momenta that do. */
#include "contact/joints/inside.h"
#include "math/math.h"
#include "math/so3.h"
#include "model/columns.h"

#include <string.h>

enum { ROUNDS = 60 };
/* Sections of the memory: how many past impulses are known, the step they belong to; whether a step was made, and the work of
 * its second impulse; past impulses, the last first, over h. */
enum { KNOWN, STEP, BEGUN, PENDING, PAST, DEEP = 3 };

int64_t vvi_joints_memory(const vv_model *m)
{
  return m->joints != NULL ? PAST + DEEP * VVI_JOINT_ROWS * (int64_t)m->joints->n : 0;
}

/* Before the drift, after it, out of turn, or after a medium has taken its part. */
typedef enum when { BEFORE, AFTER, MENDED, FADED } when;

/* What comes from outside in impulses x: of joints with an end that is fixed, held or guided. */
static void note_outside(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, double out[6])
{
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++)
    for (int r = 0; w->rows[j].open && r < w->joints->joint[j].rows; r++)
      for (int c = 0; c < 6; c++) out[c] += x[VVI_JOINT_ROWS * j + r] * w->rows[j].apply[r][c];
}

/* Where forces are not constant kicks have an error (h^2/8) f.M^-1 f of their own, a function of the state as the work of one
 * impulse alone is: of these two the sum over both impulses at one place is booked, which is what the joint did.  [joint 8] */
static double work_of(struct vvi_joint_step *w, when at)
{
  double sum = 0.0;
  for (int32_t i = 0; i < w->joints->assemblies; i++) sum += w->assembly[i].work;
  if (!w->by_places || at == MENDED || at == FADED) return sum;
  const double last = w->memory[PENDING], begun = w->memory[BEGUN];
  if (at == AFTER) w->memory[BEGUN] = 1.0, w->memory[PENDING] = sum;
  return at == AFTER || begun == 0.0 ? 0.0 : last + sum;
}

static void book(struct vvi_joint_step *w, when at, vv_posted *post)
{
  const double work = work_of(w, at);
  vvi_sum_add(at == FADED ? &post->viscous_loss : &post->joint_work, at == FADED ? -work : work);
  for (int32_t i = 0; i < w->joints->assemblies; i++) {
    vvi_assembly_work *o = &w->assembly[i];
    for (int c = 0; c < 3; c++) {
      vvi_sum_add(&post->impulse[c], o->outside[c]);
      vvi_sum_add(&post->moment[c], o->outside[3 + c]);
      post->impulse_abs += fabs(o->outside[c]), post->moment_abs += fabs(o->outside[3 + c]);
    }
    post->joint_half = fmax(post->joint_half, o->half), post->joint_gap = fmax(post->joint_gap, o->gap);
    o->work = 0.0;
    memset(o->outside, 0, sizeof o->outside);
  }
}

/* ---- flights ---- */

static void fly_node(struct vvi_joint_step *w, int32_t i, double h, const double *q, const double *p, const double *f,
                     const double *extra)
{
  const vvi_joint_node *n = &w->joints->node[i];
  const vv_block *b = &w->model->block[n->block];
  vvi_node_sets_out(b, n->node, 0.5 * h, q, p, f, w->fly_q, w->fly_p);
  if (extra != NULL) b->kind->scatter(b, n->node, q + b->q0, extra, w->fly_p + b->p0);
  b->kind->scatter(b, n->node, q + b->q0, w->push[i], w->fly_p + b->p0);
  if (b->kind->drift_node != NULL) {
    b->kind->drift_node(b, n->node, h, w->fly_q + b->q0, w->fly_p + b->p0);
    vvi_joint_load(w, i, w->fly_q, w->fly_p, &w->ahead[i]);
    return;
  }
  vvi_joint_load(w, i, q, w->fly_p, &w->ahead[i]); /* a straight way */
  for (int c = 0; c < 3; c++) w->ahead[i].place[c] += h * w->ahead[i].velocity[c];
}

/* Impulses of the last steps, continued; a step of another length says little about them. */
static void guess(struct vvi_joint_step *w, const vvi_assembly *a, double h)
{
  const int64_t n = VVI_JOINT_ROWS * (int64_t)w->joints->n;
  const double *past = w->memory + PAST;
  const int known = w->memory[STEP] == h ? (int)w->memory[KNOWN] : w->memory[KNOWN] > 0.0 ? 1 : 0;
  for (int64_t i = VVI_JOINT_ROWS * (int64_t)a->joint0; i < VVI_JOINT_ROWS * (int64_t)(a->joint0 + a->joints); i++)
    w->impulse[i] = h * (known == 0   ? 0.0
                         : known == 1 ? past[i]
                         : known == 2 ? 2.0 * past[i] - past[n + i]
                                      : 3.0 * (past[i] - past[n + i]) + past[2 * n + i]);
}

void vvi_joints_keep(struct vvi_joint_step *w, double h)
{
  const int64_t n = VVI_JOINT_ROWS * (int64_t)w->joints->n;
  double *past = w->memory + PAST;
  if (w->memory[STEP] != h) w->memory[KNOWN] = 0.0, w->memory[STEP] = h;
  memmove(past + n, past, sizeof *past * (size_t)((DEEP - 1) * n));
  for (int64_t i = 0; i < n; i++) past[i] = w->impulse[i] / h;
  w->memory[KNOWN] = fmin(w->memory[KNOWN] + 1.0, DEEP);
}

void vvi_joints_recall(struct vvi_joint_step *w, const vvi_assembly *a)
{
  memset(w->turned + a->node0, 0, sizeof *w->turned * (size_t)a->nodes);
  if (w->memory == NULL) return;
  vvi_assembly_move(w, a, w->memory + PAST, w->turned);
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
    for (int c = 0; c < 6; c++) w->turned[i][c] *= w->memory[STEP];
}

/* Largest |g| over what rounding leaves of it; rhs = -g/h. */
static double gaps(struct vvi_joint_step *w, const vvi_assembly *a, double h)
{
  double most = 0.0;
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) {
    const vvi_joint *k = &w->joints->joint[j];
    double *g = w->rhs + VVI_JOINT_ROWS * (int64_t)j;
    memset(g, 0, VVI_JOINT_ROWS * sizeof *g);
    vvi_joint_gaps(k, w->ahead, g);
    for (int r = 0; r < k->rows; r++) {
      most = fmax(most, fabs(g[r]) / vvi_joint_floor(k, r, w->now));
      if (!isfinite(g[r])) return INFINITY;
      g[r] /= -h;
    }
  }
  return most;
}

static int rows_of(const vvi_sparse *f, int32_t k)
{
  return f->start[k + 1] - f->start[k];
}

/* Rows that say what others say have no factor in the symmetric D.  What makes them superfluous does so along the whole motion: they
 * stand alone here, too, and ask for nothing. */
static void leave_out(const vvi_sparse *d, vvi_sparse *f, double *rhs)
{
  for (int32_t k = 0; k < f->n; k++) {
    const int n = rows_of(f, k);
    for (int c = 0; c < n; c++) {
      if (d->diag[k][(n + 1) * c] != 0.0) continue;
      for (int i = 0; i < n; i++) f->diag[k][n * c + i] = f->diag[k][n * i + c] = i == c ? 1.0 : 0.0;
      rhs[f->at[f->node[k]] + c] = 0.0;
    }
    for (int32_t e = f->first[k]; e < f->first[k + 1]; e++) {
      const int m = rows_of(f, f->row[e]);
      const double *below = d->diag[f->row[e]];
      for (int c = 0; c < n; c++)
        for (int r = 0; r < m; r++)
          if (d->diag[k][(n + 1) * c] == 0.0 || below[(m + 1) * r] == 0.0)
            f->below[f->value[e] + m * c + r] = f->right[f->value[e] + m * c + r] = 0.0;
    }
  }
}

/* The true derivative of g at the end of the step, but for what the turning within it adds: of second order in h omega. */
static bool newton(struct vvi_joint_step *w, int32_t which, double *rhs)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  vvi_sparse *f = &w->assembly[which].newton;
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++)
    vvi_joint_rows_at(&w->joints->joint[j], w->ahead, &w->later[j]);
  vvi_assembly_matrix(w, which, f, w->later);
  double *x = rhs + VVI_JOINT_ROWS * (int64_t)a->joint0;
  leave_out(&w->assembly[which].sparse, f, x);
  if (!vvi_sparse_make_both(f)) return false;
  vvi_sparse_solve_both(f, x, x);
  return true;
}

/* D x = -g/h, again and again with the D of the start: what is left shrinks by h omega in each round; where that is slow,
 * Newton's method.                                                                                         [joint 7, 7a] */
bool vvi_assembly_fly(struct vvi_joint_step *w, int32_t which, double h, const double *q, const double *p,
                      const double *f, double (*extra)[6])
{
  const vvi_assembly *a = &w->joints->assembly[which];
  vvi_assembly_work *o = &w->assembly[which];
  double before = INFINITY;
  bool slow = false;
  int stale = 0;
  guess(w, a, h);
  for (o->rounds = 0; o->rounds < ROUNDS && !o->lost; o->rounds++) {
    memset(w->push + a->node0, 0, sizeof *w->push * (size_t)a->nodes);
    vvi_assembly_pull(w, a, w->impulse, w->push);
    for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
      fly_node(w, i, h, q, p, f, extra != NULL ? extra[i] : NULL);
    const double left = o->left = gaps(w, a, h);
    stale = left > 0.5 * before ? stale + 1 : 0;
    if (left <= 0.5 || (left <= 64.0 && stale >= 2)) return true; /* rounding */
    if (!isfinite(left) || (o->rounds > 8 && left > 4.0 * before)) return false;
    slow |= left > 0.2 * before && left > 64.0;
    before = left;
    if (!slow || !newton(w, which, w->rhs)) vvi_assembly_solve(w, which, w->rhs, w->rhs);
    for (int64_t i = VVI_JOINT_ROWS * (int64_t)a->joint0; i < VVI_JOINT_ROWS * (int64_t)(a->joint0 + a->joints); i++)
      w->impulse[i] += w->rhs[i];
  }
  return false;
}

/* u = G M^-1 p of an assembly, into rhs. */
static double speeds(struct vvi_joint_step *w, const vvi_assembly *a, const double *q, const double *p)
{
  double most = 0.0;
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++) vvi_joint_load(w, i, q, p, &w->ahead[i]);
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) {
    double *u = w->rhs + VVI_JOINT_ROWS * (int64_t)j;
    memset(u, 0, VVI_JOINT_ROWS * sizeof *u);
    vvi_joint_speeds(&w->joints->joint[j], &w->rows[j], w->ahead, u);
    for (int r = 0; r < w->joints->joint[j].rows; r++) most = fmax(most, fabs(u[r]));
  }
  return most;
}

static double product(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, const double *y)
{
  double sum = 0.0;
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++)
    for (int r = 0; r < w->joints->joint[j].rows; r++) {
      const int64_t i = VVI_JOINT_ROWS * (int64_t)j + r;
      sum += x[i] * y[i];
    }
  return sum;
}

/* Impulses that keep the joints, and are those of a motion that the step can follow. */
static bool found(struct vvi_joint_step *w, int32_t which, double h, const double *q, const double *f, const double *p)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  if (!vvi_assembly_fly(w, which, h, q, p, f, NULL)) return false;
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++)
    if (vvi_joint_turned(&w->joints->joint[j], h, w->ahead)) return false;
  return true;
}

/* T(p + G^T x) - T(p) = x.(u + u')/2, u before and u' after. */
static void hold(struct vvi_joint_step *w, int32_t which, double h, const double *q, const double *f, double *p)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  vvi_assembly_work *o = &w->assembly[which];
  if (!found(w, which, h, q, f, p)) {
    o->lost = true;
    return;
  }
  speeds(w, a, q, p);
  const double before = product(w, a, w->impulse, w->rhs);
  vvi_assembly_scatter(w, a, q, w->push, p);
  speeds(w, a, q, p);
  const double after = product(w, a, w->impulse, w->rhs);
  o->work += 0.5 * (before + after);
  o->half = fmax(o->half, 0.5 * (after - before)); /* of this impulse, which is half that of a whole step */
  note_outside(w, a, w->impulse, o->outside);
}

bool vvi_joints_hold(struct vvi_joint_step *w, double h, const double *q, const double *f, double *p, vv_posted *post)
{
  bool found = true;
  vvi_joints_look(w, q);
  VVI_FOR_ASSEMBLIES(w, hold(w, i, h, q, f, p));
  for (int32_t i = 0; i < w->joints->assemblies; i++) found &= !w->assembly[i].lost;
  if (!found) return false;
  vvi_joints_keep(w, h);
  book(w, BEFORE, post);
  w->ready = false;
  return true;
}

static void project(struct vvi_joint_step *w, int32_t which, const double *q, double *p)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  vvi_assembly_work *o = &w->assembly[which];
  double *x = w->impulse;
  const int64_t first = VVI_JOINT_ROWS * (int64_t)a->joint0, n = VVI_JOINT_ROWS * (int64_t)a->joints;
  if (o->lost) return;
  speeds(w, a, q, p);
  for (int64_t i = first; i < first + n; i++) x[i] = -w->rhs[i];
  vvi_assembly_solve(w, which, x, x);
  o->work += 0.5 * product(w, a, x, w->rhs);
  note_outside(w, a, x, o->outside);
  memset(w->push + a->node0, 0, sizeof *w->push * (size_t)a->nodes);
  vvi_assembly_pull(w, a, x, w->push);
  vvi_assembly_scatter(w, a, q, w->push, p);
}

void vvi_joints_project(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post)
{
  vvi_joints_look(w, q);
  VVI_FOR_ASSEMBLIES(w, project(w, i, q, p));
  if (post != NULL) book(w, AFTER, post);
}

/* J: the kinetic energy of a rate, velocity and spin. */
static double energy_of(const vv_mover *m, const double v[6])
{
  const double *a = m->inverse_mass, *b = m->inverse_inertia;
  const double mass[9] = {a[0], a[5], a[4], a[5], a[1], a[3], a[4], a[3], a[2]};
  const double turn[9] = {b[0], b[5], b[4], b[5], b[1], b[3], b[4], b[3], b[2]};
  double p[3] = {0}, l[3] = {0};
  if (a[0] + a[1] + a[2] > 0.0) vvi_solve33(mass, v, p);
  if (b[0] + b[1] + b[2] > 0.0) vvi_solve33(turn, v + 3, l);
  const double sum = 0.5 * (vvi_dot3(v, p) + vvi_dot3(v + 3, l));
  return isfinite(sum) ? sum : 0.0;
}

/* J: that of half the impulse of the last step, T_a, from what is remembered of it. */
static double last_half(struct vvi_joint_step *w, const vvi_assembly *a)
{
  double sum = 0.0;
  for (int64_t i = VVI_JOINT_ROWS * (int64_t)a->joint0; i < VVI_JOINT_ROWS * (int64_t)(a->joint0 + a->joints); i++)
    w->impulse[i] = w->memory[STEP] * w->memory[PAST + i];
  memset(w->push + a->node0, 0, sizeof *w->push * (size_t)a->nodes);
  vvi_assembly_pull(w, a, w->impulse, w->push);
  for (int32_t k = a->node0; k < a->node0 + a->nodes; k++)
    sum += 0.5 * (vvi_dot3(w->push[k], w->turned[k]) + vvi_dot3(w->push[k] + 3, w->turned[k] + 3));
  return sum;
}

void vvi_joints_before_fade(struct vvi_joint_step *w, const double *q, const double *p)
{
  for (int32_t i = 0; i < w->joints->nodes; i++) {
    vvi_joint_load(w, i, q, p, &w->ahead[i]);
    memcpy(w->before[i], w->ahead[i].velocity, 3 * sizeof(double));
    memcpy(w->before[i] + 3, w->ahead[i].spin, 3 * sizeof(double));
  }
}

/* J: T_a times |v - v_before|/|v_before|, of all assemblies.                                                    [joint 8c] */
static double faded(struct vvi_joint_step *w, const double *q, const double *p)
{
  double sum = 0.0;
  for (int32_t i = 0; i < w->joints->assemblies; i++) {
    const vvi_assembly *a = &w->joints->assembly[i];
    double was = 0.0, went = 0.0;
    for (int32_t k = a->node0; k < a->node0 + a->nodes; k++) {
      vv_mover *m = &w->ahead[k];
      double change[6];
      vvi_joint_load(w, k, q, p, m);
      for (int c = 0; c < 3; c++)
        change[c] = m->velocity[c] - w->before[k][c], change[3 + c] = m->spin[c] - w->before[k][3 + c];
      was += energy_of(m, w->before[k]), went += energy_of(m, change);
    }
    if (was > 0.0) sum += sqrt(went / was) * last_half(w, a);
  }
  return sum;
}

void vvi_joints_fade(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post)
{
  vvi_joints_look(w, q);
  VVI_FOR_ASSEMBLIES(w, project(w, i, q, p));
  post->joint_faded += faded(w, q, p);
  book(w, FADED, post);
}

void vvi_joints_mend(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post)
{
  double most = 0.0, speed = 0.0; /* rounded with what joints did last */
  if (w->ready) return;
  vvi_joints_look(w, q);
  for (int32_t i = 0; i < w->joints->assemblies; i++) most = fmax(most, speeds(w, &w->joints->assembly[i], q, p));
  for (int32_t i = 0; i < w->joints->nodes; i++) {
    const vv_mover *m = &w->ahead[i];
    speed = fmax(speed, fmax(vvi_norm3(m->velocity), vvi_norm3(m->spin)));
    speed = fmax(speed, fmax(vvi_norm3(w->turned[i]), vvi_norm3(w->turned[i] + 3)));
  }
  if (!(most > 1e-10 * speed)) return;
  VVI_FOR_ASSEMBLIES(w, project(w, i, q, p));
  if (post != NULL) book(w, MENDED, post);
}

/* ---- in parts ---- */

void vvi_joints_rows(struct vvi_joint_step *w, bool factor)
{
  for (int32_t j = 0; j < w->joints->n; j++) vvi_joint_rows_at(&w->joints->joint[j], w->now, &w->rows[j]);
  for (int32_t i = 0; factor && i < w->joints->assemblies; i++) {
    vvi_assembly_matrix(w, i, &w->assembly[i].sparse, w->rows);
    vvi_sparse_make(&w->assembly[i].sparse);
  }
}

void vvi_joints_pull(struct vvi_joint_step *w)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++)
    vvi_assembly_pull(w, &w->joints->assembly[i], w->impulse, w->push);
}

void vvi_joints_solve(struct vvi_joint_step *w, double *x)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++) vvi_assembly_solve(w, i, x, x);
}

void vvi_joints_newton(struct vvi_joint_step *w, double *x)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++)
    if (!newton(w, i, x)) vvi_assembly_solve(w, i, x, x);
}

void vvi_assembly_undo(struct vvi_joint_step *w, int32_t which, double (*v)[6], double (*push)[6])
{
  const vvi_assembly *a = &w->joints->assembly[which];
  vvi_assembly_ask(w, a, false, v);
  vvi_assembly_solve(w, which, w->rhs, w->rhs);
  memset(push + a->node0, 0, sizeof *push * (size_t)a->nodes);
  vvi_assembly_pull(w, a, w->rhs, push);
}

void vvi_joints_guess(struct vvi_joint_step *w, double h)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++) guess(w, &w->joints->assembly[i], h);
}

void vvi_joints_post(struct vvi_joint_step *w, vv_posted *post)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++) {
    vvi_assembly_note_gaps(w, i, w->ahead);
    note_outside(w, &w->joints->assembly[i], w->impulse, w->assembly[i].outside);
  }
  book(w, MENDED, post);
}
