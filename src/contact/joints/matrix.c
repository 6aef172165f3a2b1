/* contact/joints/matrix.c  D = G M^-1 G^T of an assembly: its plan, its blocks, its factors, and impulses by them.
 *
 * D has a block for every two joints that share a node; in a chain it is a band, and in a tree the order of least degree leaves
 * nothing but what is there: a chain of n bodies costs n.  Rows that others make superfluous (a closed loop of hinges) have pivots
 * that are rounding, and get no impulse. */
#include "contact/joints/inside.h"
#include "math/math.h"

#include <string.h>

static const double REDUNDANT = 1e-11; /* of its diagonal: what rounding leaves of a pivot that is zero */

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
  w->push = vvi_arena_alloc(arena, 5 * sizeof *w->push * (size_t)k->nodes);
  w->impulse = VVI_ARENA_NEW(arena, double, 4 * VVI_JOINT_ROWS * (int64_t)k->n);
  w->fly_q = VVI_ARENA_NEW(arena, double, m->nq + m->np);
  if (!w->now || !w->ahead || !w->rows || !w->assembly || !w->first || !w->end || !w->push || !w->impulse || !w->fly_q)
    return VV_NOMEM;
  w->extra = w->push + k->nodes, w->tie = w->extra + k->nodes, w->turned = w->tie + k->nodes,
  w->before = w->turned + k->nodes;
  memset(w->push, 0, 5 * sizeof *w->push * (size_t)k->nodes);
  w->later = w->rows + k->n;
  w->rhs = w->impulse + VVI_JOINT_ROWS * (int64_t)k->n, w->kept = w->rhs + VVI_JOINT_ROWS * (int64_t)k->n;
  w->fly_p = w->fly_q + m->nq;
  list_ends(w);
  for (int32_t i = 0; i < k->assemblies; i++) VV_TRY(plan(w, arena, i));
  return VV_OK;
}

/* ---- rows and factors ---- */

void vvi_joint_load(struct vvi_joint_step *w, int32_t i, const double *q, const double *p, vv_mover *out)
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
                       const double *link, double *block)
{
  for (int r = 0; r < my; r++) {
    double a[6];
    for (int k = 0; k < 6; k++) a[k] = answered(y, side_y, r, link, k);
    for (int c = 0; c < mx; c++) {
      double sum = 0.0;
      for (int k = 0; k < 6; k++) sum += x->leg[side_x][c][k] * a[k];
      block[m * c + r] += sum;
    }
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
void vvi_assembly_matrix(struct vvi_joint_step *w, int32_t which, vvi_sparse *f, const vvi_joint_rows *left)
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
          add_turned(&left[low], slow, joint[low].rows, &w->rows[top], stop, joint[top].rows, rows,
                     vvi_joint_link(w, by, to), f->right + at);
      }
}

void vvi_assembly_note_gaps(struct vvi_joint_step *w, int32_t which, const vv_mover *at)
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
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++) vvi_joint_load(w, i, q, w->fly_p, &w->now[i]);
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++)
    vvi_joint_rows_at(&w->joints->joint[j], w->now, &w->rows[j]);
  vvi_joints_recall(w, a);
  vvi_assembly_note_gaps(w, which, w->now);
  vvi_assembly_matrix(w, which, &w->assembly[which].sparse, w->rows);
  w->assembly[which].lost = !vvi_sparse_make(&w->assembly[which].sparse);
}

void vvi_joints_look(struct vvi_joint_step *w, const double *q)
{
  if (w->ready) return;
  VVI_FOR_ASSEMBLIES(w, look_at(w, i, q));
  w->ready = true;
}

void vvi_joints_forget(struct vvi_joint_step *w)
{
  w->ready = false;
}

/* ---- impulses ---- */

/* push[] of the nodes of an assembly += G^T x. */
void vvi_assembly_pull(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, double (*push)[6])
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

void vvi_assembly_scatter(const struct vvi_joint_step *w, const vvi_assembly *a, const double *q, double (*push)[6],
                          double *p)
{
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++) {
    const vvi_joint_node *n = &w->joints->node[i];
    const vv_block *b = &w->model->block[n->block];
    b->kind->scatter(b, n->node, q + b->q0, push[i], p + b->p0);
  }
}

void vvi_assembly_solve(const struct vvi_joint_step *w, int32_t which, const double *rhs, double *x)
{
  const int64_t first = VVI_JOINT_ROWS * (int64_t)w->joints->assembly[which].joint0;
  vvi_sparse_solve(&w->assembly[which].sparse, rhs + first, x + first);
}

/* rhs = minus what the rows see of x: of velocities by their legs, of impulses by what these answer. */
void vvi_assembly_ask(struct vvi_joint_step *w, const vvi_assembly *a, bool impulses, double (*x)[6])
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
  vvi_assembly_ask(w, a, true, impulse);
  vvi_assembly_solve(w, which, w->rhs, w->rhs);
  vvi_assembly_pull(w, a, w->rhs, impulse);
}

/* to[] of the nodes of an assembly += M^-1 G^T x. */
void vvi_assembly_move(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, double (*to)[6])
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
  vvi_assembly_solve(w, which, w->rhs, w->rhs);
  memset(w->tie + a->node0, 0, sizeof *w->tie * (size_t)a->nodes);
  memset(w->push + a->node0, 0, sizeof *w->push * (size_t)a->nodes);
  vvi_assembly_pull(w, a, w->rhs, w->tie);
  vvi_assembly_move(w, a, w->rhs, w->push);
  for (int32_t i = a->node0; i < a->node0 + a->nodes; i++)
    for (int c = 0; c < 3; c++) rates[i].velocity[c] += w->push[i][c], rates[i].spin[c] += w->push[i][3 + c];
}
