/* contact/joints/step.c  Joints in a step of the leapfrog: impulses that keep them over a drift, and momenta that do.
 *
 * D = G M^-1 G^T has a block for every two joints that share a node; in a chain it is a band, and in a tree the order of least
 * degree leaves nothing but what is there: a chain of n bodies costs n.  Rows that others make superfluous (a closed loop of
 * hinges) have pivots that are rounding, and get no impulse. */
#include "contact/joints.h"
#include "math/math.h"

#include <float.h>
#include <string.h>

enum { ROUNDS = 60, SHARED_FROM = 64 };
/* Sections of the memory: how many past impulses are known, the step they belong to; whether a step was made, and the work of
 * its second impulse; past impulses, the last first, over h. */
enum { KNOWN, STEP, BEGUN, PENDING, PAST, DEEP = 3 };
static const double REDUNDANT = 1e-11; /* of its diagonal: what rounding leaves of a pivot that is zero */

int64_t vvi_joints_memory(const vv_model *m)
{
  return m->joints != NULL ? PAST + DEEP * VVI_JOINT_ROWS * (int64_t)m->joints->n : 0;
}

/* ---- creation ---- */

static int32_t listed_at(const struct vvi_joints *k, int32_t end)
{
  const int32_t n = k->joint[end / 2].end[end % 2].node;
  return n >= 0 && k->whole[n] >= 0 ? k->whole[n] : n;
}

static void list_ends(struct vvi_joint_step *w)
{
  const struct vvi_joints *k = w->joints;
  for (int32_t i = 0; i < 2 * k->n; i++)
    if (listed_at(k, i) >= 0) w->first[listed_at(k, i) + 1]++;
  for (int32_t i = 0; i < k->nodes; i++) w->first[i + 1] += w->first[i];
  int32_t *at = w->first; /* moved on by one node while they are filled */
  for (int32_t i = 2 * k->n - 1; i >= 0; i--) {
    const int32_t n = listed_at(k, i);
    if (n >= 0) w->end[--at[n + 1]] = i;
  }
  /* first[n + 1] is now where n begins: back by one */
  for (int32_t i = 0; i < k->nodes; i++) w->first[i] = w->first[i + 1];
  int32_t ends = 0;
  for (int32_t i = 0; i < 2 * k->n; i++) ends += k->joint[i / 2].end[i % 2].node >= 0;
  w->first[k->nodes] = ends;
}

/* Every two ends of different joints at a node: how many, and which blocks. */
static int64_t couples(struct vvi_joint_step *w, const vvi_assembly *a, vvi_assembly_work *o)
{
  int64_t n = 0;
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
    for (int32_t x = w->first[i]; x < w->first[i + 1]; x++)
      for (int32_t y = w->first[i]; y < x; y++) {
        const int32_t jx = w->end[x] / 2 - a->joint0, jy = w->end[y] / 2 - a->joint0;
        if (jx == jy) continue;
        if (o->pair != NULL) {
          bool turned;
          const int32_t block = vvi_sparse_find(&o->sparse, jx, jy, &turned);
          o->pair[n] = turned ? ~block : block;
        } else {
          vvi_sparse_pair(&o->sparse, jx, jy);
        }
        n++;
      }
  return n;
}

static vv_status plan(struct vvi_joint_step *w, vvi_arena *arena, int32_t i)
{
  const vvi_assembly *a = &w->joints->assembly[i];
  vvi_assembly_work *o = &w->assembly[i];
  o->dim = VVI_ARENA_NEW(arena, uint8_t, a->joints);
  o->at = VVI_ARENA_NEW(arena, int32_t, a->joints + 1);
  if (o->dim == NULL || o->at == NULL) return VV_NOMEM;
  for (int32_t k = 0; k < a->joints; k++) o->dim[k] = w->joints->joint[a->joint0 + k].rows > 3 ? 6 : 3;
  for (int32_t k = 0; k <= a->joints; k++) o->at[k] = VVI_JOINT_ROWS * k;
  vvi_sparse *f = &o->sparse;
  *f = (vvi_sparse){.arena = arena, .block_limit = INT32_MAX, .redundant = REDUNDANT};
  if (!vvi_sparse_reserve(f, a->joints)) return VV_NOMEM;
  f->n = a->joints, f->dim = o->dim, f->at = o->at;
  vvi_sparse_begin(f);
  const int64_t n = couples(w, a, o);
  if (!vvi_sparse_plan(f)) return VV_NOMEM;
  if ((o->pair = VVI_ARENA_NEW(arena, int32_t, n + 1)) == NULL) return VV_NOMEM;
  couples(w, a, o);
  vvi_sparse *g = &o->newton;
  *g = *f;
  g->diag = vvi_arena_alloc(arena, sizeof *g->diag * (size_t)(a->joints + 1));
  g->below = VVI_ARENA_NEW(arena, double, 2 * f->values + 2);
  g->scratch = VVI_ARENA_NEW(arena, double, VVI_JOINT_ROWS *(int64_t)(a->joints + 1));
  if (g->diag == NULL || g->below == NULL || g->scratch == NULL) return VV_NOMEM;
  g->right = g->below + f->values + 1;
  return VV_OK;
}

vv_status vvi_joint_create(const vv_model *m, vvi_arena *arena, double *memory, struct vvi_joint_step **out)
{
  const struct vvi_joints *k = m->joints;
  struct vvi_joint_step *w = *out = VVI_ARENA_NEW(arena, struct vvi_joint_step, 1);
  if (w == NULL) return VV_NOMEM;
  w->model = m, w->joints = k, w->memory = memory, w->threads = vv_ctx_threads(m->ctx);
  w->now = VVI_ARENA_NEW(arena, vv_mover, k->nodes);
  w->ahead = VVI_ARENA_NEW(arena, vv_mover, k->nodes);
  w->rows = VVI_ARENA_NEW(arena, vvi_joint_rows, 2 * (int64_t)k->n);
  w->assembly = VVI_ARENA_NEW(arena, vvi_assembly_work, k->assemblies);
  w->first = VVI_ARENA_NEW(arena, int32_t, k->nodes + 2);
  w->end = VVI_ARENA_NEW(arena, int32_t, 2 * k->n);
  w->push = vvi_arena_alloc(arena, 4 * sizeof *w->push * (size_t)k->nodes);
  w->impulse = VVI_ARENA_NEW(arena, double, 4 * VVI_JOINT_ROWS * (int64_t)k->n);
  w->fly_q = VVI_ARENA_NEW(arena, double, m->nq + m->np);
  if (!w->now || !w->ahead || !w->rows || !w->assembly || !w->first || !w->end || !w->push || !w->impulse || !w->fly_q)
    return VV_NOMEM;
  w->extra = w->push + k->nodes, w->tie = w->extra + k->nodes, w->turned = w->tie + k->nodes;
  memset(w->push, 0, 4 * sizeof *w->push * (size_t)k->nodes);
  w->later = w->rows + k->n;
  w->rhs = w->impulse + VVI_JOINT_ROWS * (int64_t)k->n, w->kept = w->rhs + VVI_JOINT_ROWS * (int64_t)k->n;
  w->fly_p = w->fly_q + m->nq;
  list_ends(w);
  for (int32_t i = 0; i < k->assemblies; i++) VV_TRY(plan(w, arena, i));
  return VV_OK;
}

/* ---- rows and factors ---- */

static void load(struct vvi_joint_step *w, int32_t i, const double *q, const double *p, vv_mover *out)
{
  const vvi_joint_node *n = &w->joints->node[i];
  const vv_block *b = &w->model->block[n->block];
  b->kind->mover(b, n->node, q + b->q0, p + b->p0, out);
}

/* M^-1 of a row of y at the node of a row of x; link: they are of one body. */
static double answered(const vvi_joint_rows *y, int side, int row, const double *link, int k)
{
  if (link == NULL) return y->answer[side][row][k];
  double sum = 0.0;
  for (int i = 0; i < 6; i++) sum += link[6 * k + i] * y->leg[side][row][i];
  return sum;
}

/* block += x M^-1 y^T by columns, x of m rows. */
static void add_block(const vvi_joint_rows *x, int side_x, int mx, const vvi_joint_rows *y, int side_y, int my, int m,
                      const double *link, double *block)
{
  for (int c = 0; c < my; c++) {
    double a[6];
    for (int k = 0; k < 6; k++) a[k] = answered(y, side_y, c, link, k);
    for (int r = 0; r < mx; r++) {
      double sum = 0.0;
      for (int k = 0; k < 6; k++) sum += x->leg[side_x][r][k] * a[k];
      block[m * c + r] += sum;
    }
  }
}

/* The transpose of the block of x and y: rows of y come first. */
static void add_turned(const vvi_joint_rows *x, int side_x, int mx, const vvi_joint_rows *y, int side_y, int my, int m,
                       double *block)
{
  for (int c = 0; c < mx; c++)
    for (int r = 0; r < my; r++) {
      double sum = 0.0;
      for (int k = 0; k < 6; k++) sum += x->leg[side_x][c][k] * y->answer[side_y][r][k];
      block[m * c + r] += sum;
    }
}

double *vvi_joint_link(const struct vvi_joint_step *w, int32_t to, int32_t by)
{
  const int32_t *whole = w->joints->whole;
  if (w->link == NULL || whole[to] < 0 || whole[to] != whole[by]) return NULL;
  return w->link + w->link0[to] + 36 * (int64_t)w->member[by];
}

vv_status vvi_joints_link(struct vvi_joint_step *w, vvi_arena *arena)
{
  const int32_t n = w->joints->nodes, *whole = w->joints->whole;
  int64_t blocks = 0;
  w->link0 = VVI_ARENA_NEW(arena, int64_t, n);
  w->member = VVI_ARENA_NEW(arena, int32_t, n);
  if (w->link0 == NULL || w->member == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < n; i++) {
    int32_t size = 0;
    for (int32_t k = 0; k < n && whole[i] >= 0; k++) {
      if (whole[k] != whole[i]) continue;
      if (k == i) w->member[i] = size;
      size++;
    }
    w->link0[i] = 36 * blocks;
    blocks += size;
  }
  w->link = blocks > 0 ? VVI_ARENA_NEW(arena, double, 36 * blocks) : NULL;
  return blocks > 0 && w->link == NULL ? VV_NOMEM : VV_OK;
}

/* D of `rows` on both sides where f is the symmetric one; else of `later` and `rows`. */
static void assemble(struct vvi_joint_step *w, int32_t which, vvi_sparse *f, const vvi_joint_rows *left)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  const vvi_joint *joint = w->joints->joint;
  vvi_assembly_work *o = &w->assembly[which];
  const bool both = left != w->rows;
  int64_t n = 0;
  if (both)
    vvi_sparse_clear_both(f);
  else
    vvi_sparse_clear(f);
  for (int32_t k = 0; k < a->joints; k++) { /* rows that are not there stand alone */
    const int32_t j = a->joint0 + k;
    double *diag = f->diag[f->place[k]];
    for (int r = joint[j].rows; r < o->dim[k]; r++) diag[(o->dim[k] + 1) * r] = 1.0;
    for (int s = 0; s < 4; s++) { /* of both ends, and between two of one body */
      const int32_t to = joint[j].end[s / 2].node, by = joint[j].end[s % 2].node;
      const double *link = to >= 0 && by >= 0 ? vvi_joint_link(w, to, by) : NULL;
      if (to < 0 || by < 0 || (to != by && link == NULL)) continue;
      add_block(&left[j], s / 2, joint[j].rows, &w->rows[j], s % 2, joint[j].rows, o->dim[k], link, diag);
    }
  }
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
    for (int32_t x = w->first[i]; x < w->first[i + 1]; x++)
      for (int32_t y = w->first[i]; y < x; y++) {
        const int32_t jx = w->end[x] / 2, jy = w->end[y] / 2;
        const int sx = w->end[x] % 2, sy = w->end[y] % 2;
        if (jx == jy) continue;
        const int32_t pair = o->pair[n++];
        const int32_t top = pair >= 0 ? jx : jy, low = pair >= 0 ? jy : jx;
        const int stop = pair >= 0 ? sx : sy, slow = pair >= 0 ? sy : sx;
        const int64_t at = f->value[pair >= 0 ? pair : ~pair];
        const int rows = o->dim[top - a->joint0];
        const int32_t to = joint[top].end[stop].node, by = joint[low].end[slow].node;
        const double *link = vvi_joint_link(w, to, by);
        if (to != by && link == NULL) continue;
        add_block(&left[top], stop, joint[top].rows, &w->rows[low], slow, joint[low].rows, rows, link, f->below + at);
        if (both)
          add_turned(&left[low], slow, joint[low].rows, &w->rows[top], stop, joint[top].rows, rows, f->right + at);
      }
}

static void note_gaps(struct vvi_joint_step *w, int32_t which, const vv_mover *at)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) {
    const vvi_joint *k = &w->joints->joint[j];
    double g[VVI_JOINT_ROWS], *most = &w->assembly[which].gap;
    vvi_joint_gaps(k, at, g);
    for (int r = 0; r < k->rows; r++)
      *most = fmax(*most, fabs(g[r]) * (k->tie[r].type == VVI_TIE_ANGLE ? k->size : 1.0));
  }
}

static void look_at(struct vvi_joint_step *w, int32_t which, const double *q)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++) load(w, i, q, w->fly_p, &w->now[i]);
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++)
    vvi_joint_rows_at(&w->joints->joint[j], w->now, &w->rows[j]);
  note_gaps(w, which, w->now);
  assemble(w, which, &w->assembly[which].sparse, w->rows);
  w->assembly[which].lost = !vvi_sparse_make(&w->assembly[which].sparse);
}

/* Assemblies do not know each other: the same bits for any number of threads. */
#define FOR_ASSEMBLIES(w, call)                                                                                   \
  do {                                                                                                            \
    const int32_t n_ = (w)->joints->assemblies;                                                                   \
    if ((w)->threads < 2 || n_ < 2 || (w)->joints->n < SHARED_FROM) {                                             \
      for (int32_t i = 0; i < n_; i++) call;                                                                      \
    } else {                                                                                                      \
      _Pragma("omp parallel for schedule(dynamic, 1) num_threads((w)->threads)") for (int32_t i = 0; i < n_; i++) \
          call;                                                                                                   \
    }                                                                                                             \
  } while (0)

void vvi_joints_look(struct vvi_joint_step *w, const double *q)
{
  if (w->ready) return;
  FOR_ASSEMBLIES(w, look_at(w, i, q));
  w->ready = true;
}

void vvi_joints_forget(struct vvi_joint_step *w)
{
  w->ready = false;
}

/* ---- impulses ---- */

/* push[] of the nodes of an assembly += G^T x. */
static void pull(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, double (*push)[6])
{
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) {
    const vvi_joint *k = &w->joints->joint[j];
    for (int s = 0; s < 2; s++) {
      if (k->end[s].node < 0) continue;
      double *to = push[k->end[s].node];
      for (int r = 0; r < k->rows; r++)
        for (int c = 0; c < 6; c++) to[c] += x[VVI_JOINT_ROWS * j + r] * w->rows[j].leg[s][r][c];
    }
  }
}

static void scatter(const struct vvi_joint_step *w, const vvi_assembly *a, const double *q, double (*push)[6],
                    double *p)
{
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++) {
    const vvi_joint_node *n = &w->joints->node[i];
    const vv_block *b = &w->model->block[n->block];
    b->kind->scatter(b, n->node, q + b->q0, push[i], p + b->p0);
  }
}

static void solve(const struct vvi_joint_step *w, int32_t which, const double *rhs, double *x)
{
  const int64_t first = VVI_JOINT_ROWS * (int64_t)w->joints->assembly[which].joint0;
  vvi_sparse_solve(&w->assembly[which].sparse, rhs + first, x + first);
}

/* rhs = minus what the rows see of x: of velocities by their legs, of impulses by what these answer. */
static void ask_less(struct vvi_joint_step *w, const vvi_assembly *a, bool impulses, double (*x)[6])
{
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) {
    const vvi_joint *k = &w->joints->joint[j];
    double *u = w->rhs + VVI_JOINT_ROWS * (int64_t)j;
    memset(u, 0, VVI_JOINT_ROWS * sizeof *u);
    for (int s = 0; s < 2; s++)
      for (int r = 0; r < k->rows && k->end[s].node >= 0; r++)
        for (int c = 0; c < 6; c++)
          u[r] -= (impulses ? w->rows[j].answer : w->rows[j].leg)[s][r][c] * x[k->end[s].node][c];
  }
}

void vvi_assembly_spread(struct vvi_joint_step *w, int32_t which, double (*impulse)[6])
{
  const vvi_assembly *a = &w->joints->assembly[which];
  ask_less(w, a, true, impulse);
  solve(w, which, w->rhs, w->rhs);
  pull(w, a, w->rhs, impulse);
}

/* to[] of the nodes of an assembly += M^-1 G^T x. */
static void move(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, double (*to)[6])
{
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) {
    const vvi_joint *k = &w->joints->joint[j];
    for (int s = 0; s < 2; s++)
      for (int r = 0; r < k->rows && k->end[s].node >= 0; r++)
        for (int c = 0; c < 6; c++) to[k->end[s].node][c] += x[VVI_JOINT_ROWS * j + r] * w->rows[j].answer[s][r][c];
  }
}

void vvi_assembly_allow(struct vvi_joint_step *w, int32_t which, vv_mover *rates)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) {
    double *u = w->rhs + VVI_JOINT_ROWS * (int64_t)j;
    memset(u, 0, VVI_JOINT_ROWS * sizeof *u);
    vvi_joint_speeds(&w->joints->joint[j], &w->rows[j], rates, u);
    for (int r = 0; r < VVI_JOINT_ROWS; r++) u[r] = -u[r];
  }
  solve(w, which, w->rhs, w->rhs);
  memset(w->tie + a->node0, 0, sizeof *w->tie * (size_t)a->nodes);
  memset(w->push + a->node0, 0, sizeof *w->push * (size_t)a->nodes);
  pull(w, a, w->rhs, w->tie);
  move(w, a, w->rhs, w->push);
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
    for (int c = 0; c < 3; c++) rates[i].velocity[c] += w->push[i][c], rates[i].spin[c] += w->push[i][3 + c];
}

/* Before the drift, after it, or out of turn. */
typedef enum when { BEFORE, AFTER, MENDED } when;

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
  if (!w->by_places || at == MENDED) return sum;
  const double last = w->memory[PENDING], begun = w->memory[BEGUN];
  if (at == AFTER) w->memory[BEGUN] = 1.0, w->memory[PENDING] = sum;
  return at == AFTER || begun == 0.0 ? 0.0 : last + sum;
}

static void book(struct vvi_joint_step *w, when at, vv_posted *post)
{
  vvi_sum_add(&post->joint_work, work_of(w, at));
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
  for (int c = 0; c < b->kind->node_q; c++) {
    const int64_t k = b->q0 + c * b->column + n->node;
    w->fly_q[k] = q[k];
  }
  for (int c = 0; c < b->kind->node_p; c++) {
    const int64_t k = b->p0 + c * b->column + n->node;
    w->fly_p[k] = p[k] + (f != NULL ? 0.5 * h * f[k] : 0.0);
  }
  if (extra != NULL) b->kind->scatter(b, n->node, q + b->q0, extra, w->fly_p + b->p0);
  b->kind->scatter(b, n->node, q + b->q0, w->push[i], w->fly_p + b->p0);
  if (b->kind->drift_node != NULL) {
    b->kind->drift_node(b, n->node, h, w->fly_q + b->q0, w->fly_p + b->p0);
    load(w, i, w->fly_q, w->fly_p, &w->ahead[i]);
    return;
  }
  load(w, i, q, w->fly_p, &w->ahead[i]); /* a straight way */
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

/* Some rows say what others say: a matrix that is not symmetric has no way to leave them out. */
static bool is_redundant(const vvi_sparse *f)
{
  for (int32_t k = 0; k < f->n; k++)
    for (int c = 0, n = f->start[k + 1] - f->start[k]; c < n; c++)
      if (f->diag[k][(n + 1) * c] == 0.0) return true;
  return false;
}

/* The true derivative of g after the drift, but for what the turning within it adds: of second order in h omega. */
static bool newton(struct vvi_joint_step *w, int32_t which)
{
  const vvi_assembly *a = &w->joints->assembly[which];
  vvi_sparse *f = &w->assembly[which].newton;
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++)
    vvi_joint_rows_at(&w->joints->joint[j], w->ahead, &w->later[j]);
  assemble(w, which, f, w->later);
  if (!vvi_sparse_make_both(f)) return false;
  double *x = w->rhs + VVI_JOINT_ROWS * (int64_t)a->joint0;
  vvi_sparse_solve_both(f, x, x);
  return true;
}

/* D x = -g/h, again and again with the D of the start: what is left shrinks by h omega in each round; where that is slow,
 * Newton's method.                                                                                             [joint 7] */
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
    pull(w, a, w->impulse, w->push);
    for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
      fly_node(w, i, h, q, p, f, extra != NULL ? extra[i] : NULL);
    const double left = o->left = gaps(w, a, h);
    stale = left > 0.5 * before ? stale + 1 : 0;
    if (left <= 0.5 || (left <= 64.0 && stale >= 2)) return true; /* rounding */
    if (!isfinite(left) || (o->rounds > 8 && left > 4.0 * before)) return false;
    slow |= left > 0.2 * before && left > 64.0 && !is_redundant(&o->sparse);
    before = left;
    if (!slow || !newton(w, which)) solve(w, which, w->rhs, w->rhs);
    for (int64_t i = VVI_JOINT_ROWS * (int64_t)a->joint0; i < VVI_JOINT_ROWS * (int64_t)(a->joint0 + a->joints); i++)
      w->impulse[i] += w->rhs[i];
  }
  return false;
}

/* u = G M^-1 p of an assembly, into rhs. */
static double speeds(struct vvi_joint_step *w, const vvi_assembly *a, const double *q, const double *p)
{
  double most = 0.0;
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++) load(w, i, q, p, &w->ahead[i]);
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
  scatter(w, a, q, w->push, p);
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
  FOR_ASSEMBLIES(w, hold(w, i, h, q, f, p));
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
  solve(w, which, x, x);
  o->work += 0.5 * product(w, a, x, w->rhs);
  note_outside(w, a, x, o->outside);
  memset(w->push + a->node0, 0, sizeof *w->push * (size_t)a->nodes);
  memset(w->turned + a->node0, 0, sizeof *w->turned * (size_t)a->nodes);
  pull(w, a, x, w->push);
  move(w, a, x, w->turned);
  scatter(w, a, q, w->push, p);
}

void vvi_joints_project(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post)
{
  vvi_joints_look(w, q);
  FOR_ASSEMBLIES(w, project(w, i, q, p));
  if (post != NULL) book(w, AFTER, post);
}

void vvi_joints_mend(struct vvi_joint_step *w, const double *q, double *p, vv_posted *post)
{
  double most = 0.0, speed = 0.0;
  if (w->ready) return;
  vvi_joints_look(w, q);
  for (int32_t i = 0; i < w->joints->assemblies; i++) most = fmax(most, speeds(w, &w->joints->assembly[i], q, p));
  for (int32_t i = 0; i < w->joints->nodes; i++) {
    const vv_mover *m = &w->ahead[i];
    speed = fmax(speed, fmax(vvi_norm3(m->velocity), vvi_norm3(m->spin)));
  }
  if (!(most > 1e-10 * speed)) return;
  FOR_ASSEMBLIES(w, project(w, i, q, p));
  if (post != NULL) book(w, MENDED, post);
}

/* ---- in parts ---- */

void vvi_joints_rows(struct vvi_joint_step *w, bool factor)
{
  for (int32_t j = 0; j < w->joints->n; j++) vvi_joint_rows_at(&w->joints->joint[j], w->now, &w->rows[j]);
  for (int32_t i = 0; factor && i < w->joints->assemblies; i++) {
    assemble(w, i, &w->assembly[i].sparse, w->rows);
    vvi_sparse_make(&w->assembly[i].sparse);
  }
}

void vvi_joints_pull(struct vvi_joint_step *w)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++) pull(w, &w->joints->assembly[i], w->impulse, w->push);
}

void vvi_joints_solve(struct vvi_joint_step *w, double *x)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++) solve(w, i, x, x);
}

void vvi_assembly_undo(struct vvi_joint_step *w, int32_t which, double (*v)[6], double (*push)[6])
{
  const vvi_assembly *a = &w->joints->assembly[which];
  ask_less(w, a, false, v);
  solve(w, which, w->rhs, w->rhs);
  memset(push + a->node0, 0, sizeof *push * (size_t)a->nodes);
  pull(w, a, w->rhs, push);
}

void vvi_joints_guess(struct vvi_joint_step *w, double h)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++) guess(w, &w->joints->assembly[i], h);
}

void vvi_joints_post(struct vvi_joint_step *w, vv_posted *post)
{
  for (int32_t i = 0; i < w->joints->assemblies; i++) {
    note_gaps(w, i, w->ahead);
    note_outside(w, &w->joints->assembly[i], w->impulse, w->assembly[i].outside);
  }
  book(w, MENDED, post);
}
