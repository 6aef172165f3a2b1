/* body/bar/bar.c  Kick, drift and audit of elastic bars, and the surface that contact sees. */
#include "body/bar/bar.h"

#include "ledger/ledger.h"
#include "math/math.h"

enum { PARALLEL_FROM = 16384, SEGMENTS = 64, SEGMENT_NODES = 512, LANES = 8 };

/* Is a loop over n nodes worth waking the other threads for?  (docs/performance.md) */
static bool shared(const vv_block *b, int64_t n)
{
  return n >= PARALLEL_FROM && b->threads > 1;
}

/* p_i += h (N_i - N_{i-1}); both neighbours compute the same N, so pairs cancel bit for bit.              [bars 2] */
VV_HOT static void kick_range(int64_t i0, int64_t i1, double h, const double *restrict k, const double *restrict u,
                              double *restrict p)
{
  for (int64_t i = i0; i < i1; i++) p[i] += h * (k[i] * (u[i + 1] - u[i]) - k[i - 1] * (u[i] - u[i - 1]));
}

static void kick_nonlinear(const vv_block *b, int64_t i0, int64_t n, double h, const double *u, double *p)
{
  double left = 0.0;
  for (int64_t i = i0; i < i0 + n; i++) {
    const double right = i + 1 < i0 + n ? bar_force(b, i, u[i + 1] - u[i]) : 0.0;
    p[i] += h * (right - left);
    left = right;
  }
}

/* The nodes [i0, i0 + n), with nothing attached beyond them. */
void bar_kick_slice(const vv_block *b, int64_t i0, int64_t n, double h, const double *u, double *p)
{
  if (n < 2) return;
  if (!bar_is_linear(b)) {
    kick_nonlinear(b, i0, n, h, u, p);
    return;
  }
  const double *k = bar_node(b, BAR_STIFFNESS) + i0;
  u += i0, p += i0;
  p[0] += h * (k[0] * (u[1] - u[0]));
  if (!shared(b, n)) {
    kick_range(1, n - 1, h, k, u, p);
  } else {
#pragma omp parallel for schedule(static) num_threads(b->threads)
    for (int64_t s = 0; s < SEGMENTS; s++)
      kick_range(1 + (n - 2) * s / SEGMENTS, 1 + (n - 2) * (s + 1) / SEGMENTS, h, k, u, p);
  }
  p[n - 1] += h * (0.0 - k[n - 2] * (u[n - 1] - u[n - 2]));
}

static void kick_loads(const vv_block *b, const vv_body *body, double t, double h, double *p)
{
  for (int32_t i = body->load0; i < body->load0 + body->n_load; i++) {
    const vv_load *l = &b->load[i];
    if (!l->motion) p[l->node] += h * l->value[0] * vv_history_at(&l->history, t);
  }
}

/* One bar with supports, loads or gravity.  The momentum of a held end is 0 (fixed) or m v (driven, constant during a
 * step): the kick leaves it as it is. */
static void kick_booked(const vv_block *b, int32_t j, double t, double h, const double *u, double *p)
{
  const vv_body *body = b->body[j];
  const double *r = bar_body(b, j), *m = bar_node(b, BAR_MASS), g = r[BAR_GRAVITY];
  const int64_t first = body->node0, last = body->node0 + body->n_node - 1;
  const double p_first = p[first], p_last = p[last];
  if (bar_is_elastic(b, j))
    bar_kick_slice(b, first, body->n_node, h, u, p);
  else
    bar_flow_kick(b, j, h, u, p);
  for (int64_t i = first; g != 0.0 && i <= last; i++) p[i] += h * (m[i] * g);
  kick_loads(b, body, t, h, p);
  if (r[BAR_HELD_FIRST] != 0.0) p[first] = p_first;
  if (r[BAR_HELD_LAST] != 0.0) p[last] = p_last;
}

static void bar_kick(const vv_block *b, double t, double h, const double *u, double *p)
{
  if (!b->booked && b->z_reals == 0)
    bar_kick_slice(b, 0, b->nodes, h, u, p);
  else
    for (int32_t j = 0; j < b->n_body; j++) kick_booked(b, j, t, h, u, p);
}

/* u += h M^-1 p; fixed ends have p = 0, driven ends p = m v                                              [bars 3] */
VV_HOT static void bar_drift_range(int64_t i0, int64_t i1, double h, const double *restrict minv,
                                   const double *restrict p, double *restrict u)
{
  for (int64_t i = i0; i < i1; i++) u[i] += h * (minv[i] * p[i]);
}

int bar_drift(const vv_block *b, double h, double *u, double *p)
{
  const double *minv = bar_node(b, BAR_INVERSE_MASS);
  const int64_t n = b->nodes;
  if (!shared(b, n)) {
    bar_drift_range(0, n, h, minv, p, u);
    return 0;
  }
#pragma omp parallel for schedule(static) num_threads(b->threads)
  for (int64_t s = 0; s < SEGMENTS; s++) bar_drift_range(n * s / SEGMENTS, n * (s + 1) / SEGMENTS, h, minv, p, u);
  return 0;
}

/* The driven ends move on straight lines through the history's values at the ends of the step: then contact times stay
 * exact quadratics.  The change of their momentum and kinetic energy is external. */
static void bar_drive(const vv_block *b, double t, double h, double *u, double *p, vv_posted *post)
{
  for (int32_t i = 0; i < b->n_load; i++) {
    const vv_load *l = &b->load[i];
    if (!l->motion) continue;
    const double *r = bar_body(b, l->body), m = bar_node(b, BAR_MASS)[l->node];
    const double now = vv_history_at(&l->history, t), rest = vv_history_at(&l->history, 0.0);
    const double next = vv_history_at(&l->history, t + h), old = p[l->node];
    u[l->node] = l->value[0] * (now - rest);
    p[l->node] = m * l->value[0] * (next - now) / h;
    vvi_sum_add(&post->external_work, (p[l->node] - old) * (p[l->node] + old) / (2.0 * m));
    double j[3], x[3];
    for (int c = 0; c < 3; c++) j[c] = (p[l->node] - old) * r[BAR_AXIS + c], x[c] = r[BAR_ORIGIN + c];
    vvi_post_impulse(post, x, j);
  }
}

/* Internal force on a node of a body, without the loads on it. */
static double spring_force(const vv_block *b, int32_t j, const double *u, int64_t i)
{
  const vv_body *body = b->body[j];
  const int64_t e = i - body->node0;
  if (!bar_is_elastic(b, j))
    return (e + 1 < body->n_node ? bar_flow_force(b, j, e, u) : 0.0) - (e > 0 ? bar_flow_force(b, j, e - 1, u) : 0.0);
  const double right = i + 1 < body->node0 + body->n_node ? bar_force(b, i, u[i + 1] - u[i]) : 0.0;
  const double left = i > body->node0 ? bar_force(b, i - 1, u[i] - u[i - 1]) : 0.0;
  return right - left;
}

/* Books what came from outside in a kick of length h beside a drift with momentum p: loads and gravity push, supports hold
 * against the springs.  Work of a load: h g.v with the velocity of the drift, so that two half kicks give
 * 1/2 (g0 + g1).dq; gravity's work is in the potential.                                                [ledger 3] */
static void post_body(const vv_block *b, int32_t j, double t, double h, const double *u, const double *p,
                      vv_posted *post)
{
  const double *m = bar_node(b, BAR_MASS), *r = bar_body(b, j), g = r[BAR_GRAVITY];
  const vv_body *body = b->body[j];
  const int64_t end[2] = {body->node0, body->node0 + body->n_node - 1};
  double total = 0.0;
  for (int64_t i = end[0]; g != 0.0 && i <= end[1]; i++) total += m[i];
  double impulse = h * g * total, size = fabs(impulse);
  for (int e = 0; e < 2; e++) {
    if (r[BAR_HELD_FIRST + e] == 0.0) continue;
    const double reaction = -spring_force(b, j, u, end[e]) - m[end[e]] * g;
    impulse += h * reaction, size += fabs(h * reaction);
    vvi_sum_add(&post->external_work, h * reaction * (p[end[e]] / m[end[e]]));
  }
  for (int32_t i = body->load0; i < body->load0 + body->n_load; i++) {
    const vv_load *l = &b->load[i];
    if (l->motion) continue;
    const double force = l->value[0] * vv_history_at(&l->history, t);
    impulse += h * force, size += fabs(h * force);
    vvi_sum_add(&post->external_work, h * force * (p[l->node] / m[l->node]));
  }
  double along[3], arm[3];
  for (int c = 0; c < 3; c++) along[c] = impulse * r[BAR_AXIS + c];
  vvi_post_impulse(post, r + BAR_ORIGIN, along);
  vvi_cross3(r + BAR_ORIGIN, r + BAR_AXIS, arm);
  post->impulse_abs += size;
  post->moment_abs += size * vvi_norm3(arm);
}

static void bar_post(const vv_block *b, double t, double h, const double *u, const double *p, vv_posted *post)
{
  for (int32_t j = 0; j < b->n_body; j++) post_body(b, j, t, h, u, p, post);
}

/* ---- one pass over memory per step ---- */

/* Eight neighbours at once.  BEHIND(a, b): b moved up by one place, with the last of a in front. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
#if __has_builtin(__builtin_shufflevector)
#define BEHIND(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#else
typedef int64_t places __attribute__((vector_size(LANES * sizeof(int64_t))));
#define BEHIND(a, b) __builtin_shuffle(a, b, (places){7, 8, 9, 10, 11, 12, 13, 14})
#endif

/* N behind node i: the force across the border between i and i + 1. */
static double border_force(const vv_block *b, const double *u, int64_t i)
{
  return i < 0 || i + 1 >= b->nodes ? 0.0 : bar_node(b, BAR_STIFFNESS)[i] * (u[i + 1] - u[i]);
}

/* kick h/2, kick h/2, drift h of the nodes [i0, i1) with one evaluation of each force; the same bits as the three calls.
 * The force behind a node outlives the node's old u, so nothing is read twice.  before and after: forces across the borders
 * of the range, taken before anything moved. */
VV_HOT static void stride_range(int64_t i0, int64_t i1, double h, double before, double after, const double *restrict k,
                                const double *restrict minv, double *restrict u, double *restrict p)
{
  const double half = 0.5 * h;
  lanes left, last = {0};
  int64_t i = i0;
  last[LANES - 1] = before;
  for (; i + LANES < i1; i += LANES) {
    const lanes old = *(const lanes *)(u + i), force = *(const lanes *)(k + i) * (*(const lanes *)(u + i + 1) - old);
    left = BEHIND(last, force);
    last = force;
    const lanes f = half * (force - left), now = (*(const lanes *)(p + i) + f) + f;
    *(lanes *)(p + i) = now;
    *(lanes *)(u + i) = old + h * (*(const lanes *)(minv + i) * now);
  }
  before = last[LANES - 1];
  for (; i < i1; i++) {
    const double force = i + 1 < i1 ? k[i] * (u[i + 1] - u[i]) : after, f = half * (force - before);
    before = force;
    p[i] = (p[i] + f) + f;
    u[i] += h * (minv[i] * p[i]);
  }
}

/* Finishes one step and begins the next, reading and writing every array once. */
static void bar_stride(const vv_block *b, double h, double *u, double *p)
{
  const double *k = bar_node(b, BAR_STIFFNESS), *minv = bar_node(b, BAR_INVERSE_MASS);
  const int64_t n = b->nodes;
  if (!bar_is_linear(b) || b->z_reals > 0) {
    bar_kick(b, 0.0, 0.5 * h, u, p);
    bar_kick(b, 0.0, 0.5 * h, u, p);
    bar_drift(b, h, u, p);
    return;
  }
  if (n < 2) { /* without a spring nothing kicks, not even by +0 */
    bar_drift(b, h, u, p);
    return;
  }
  if (!shared(b, n)) {
    stride_range(0, n, h, 0.0, 0.0, k, minv, u, p);
    return;
  }
#pragma omp parallel num_threads(b->threads)
  {
    const int64_t team = vvi_team_size(), me = vvi_team_rank();
    const int64_t i0 = n * me / team, i1 = n * (me + 1) / team;
    const double before = border_force(b, u, i0 - 1), after = border_force(b, u, i1 - 1);
#pragma omp barrier
    stride_range(i0, i1, h, before, after, k, minv, u, p);
  }
}

/* Bodies one by one where some of them have internal variables. */
static void bar_flow_stride(const vv_block *b, double h, double *u, double *p, vv_posted *post)
{
  const double *k = bar_node(b, BAR_STIFFNESS), *minv = bar_node(b, BAR_INVERSE_MASS);
  if (!bar_is_linear(b)) {
    bar_flow(b, h, u, p, post);
    bar_stride(b, h, u, p);
    return;
  }
  for (int32_t j = 0; j < b->n_body; j++) {
    const int64_t first = b->body[j]->node0, n = b->body[j]->n_node;
    if (!bar_is_elastic(b, j) && n > 1)
      bar_flow_stride_body(b, j, h, u, p, post);
    else if (n > 1)
      stride_range(0, n, h, 0.0, 0.0, k + first, minv + first, u + first, p + first);
    else
      bar_drift_range(first, first + n, h, minv, p, u);
  }
}

/* ---- audit ---- */

/* Sums over a slice in a fixed order: segments that follow from its length, 8 lanes each, whatever the number of threads. */
typedef struct slice_sums {
  double kinetic, momentum, momentum_abs, strain, weight;
} slice_sums;

typedef struct lane_sums {
  double kinetic[LANES], momentum[LANES], momentum_abs[LANES], strain[LANES], weight[LANES];
} lane_sums;

/* Node i goes to lane l. */
static inline void add_node(lane_sums *s, int l, int64_t i, const double *restrict m, const double *restrict minv,
                            const double *restrict k, const double *restrict u, const double *restrict p)
{
  const double du = u[i + 1] - u[i];
  s->kinetic[l] += minv[i] * p[i] * p[i];
  s->momentum[l] += p[i];
  s->momentum_abs[l] += fabs(p[i]);
  s->strain[l] += k[i] * du * du;
  s->weight[l] += m[i] * u[i];
}

VV_HOT static slice_sums sum_segment(int64_t i0, int64_t i1, const double *restrict m, const double *restrict minv,
                                     const double *restrict k, const double *restrict u, const double *restrict p)
{
  lane_sums lane = {0};
  int64_t i = i0;
  for (; i + LANES <= i1; i += LANES) /* whole lanes: a fixed count, so that they become vectors */
#pragma omp simd
    for (int l = 0; l < LANES; l++) add_node(&lane, l, i + l, m, minv, k, u, p);
  for (int l = 0; i + l < i1; l++) add_node(&lane, l, i + l, m, minv, k, u, p);
  slice_sums s = {0};
  for (int l = 0; l < LANES; l++) {
    s.kinetic += lane.kinetic[l], s.momentum += lane.momentum[l], s.momentum_abs += lane.momentum_abs[l];
    s.strain += lane.strain[l], s.weight += lane.weight[l];
  }
  return s;
}

static slice_sums sum_slice(const vv_block *b, int64_t i0, int64_t n, const double *u, const double *p)
{
  const double *m = bar_node(b, BAR_MASS) + i0, *minv = bar_node(b, BAR_INVERSE_MASS) + i0;
  const double *k = bar_node(b, BAR_STIFFNESS) + i0;
  const int64_t segments = n < 2 * SEGMENT_NODES ? 1 : n < SEGMENTS * SEGMENT_NODES ? n / SEGMENT_NODES : SEGMENTS;
  slice_sums part[SEGMENTS], s = {0};
  u += i0, p += i0;
  /* the last node has no right neighbour: it is added by hand */
  if (!shared(b, n)) {
    for (int64_t j = 0; j < segments; j++)
      part[j] = sum_segment((n - 1) * j / segments, (n - 1) * (j + 1) / segments, m, minv, k, u, p);
  } else {
#pragma omp parallel for schedule(static) num_threads(b->threads)
    for (int64_t j = 0; j < segments; j++)
      part[j] = sum_segment((n - 1) * j / segments, (n - 1) * (j + 1) / segments, m, minv, k, u, p);
  }
  for (int64_t j = 0; j < segments; j++) {
    s.kinetic += part[j].kinetic, s.momentum += part[j].momentum, s.momentum_abs += part[j].momentum_abs;
    s.strain += part[j].strain, s.weight += part[j].weight;
  }
  const double last = p[n - 1];
  s.kinetic += minv[n - 1] * last * last;
  s.momentum += last;
  s.momentum_abs += fabs(last);
  s.weight += m[n - 1] * u[n - 1];
  return s;
}

static double strain_energy(const vv_block *b, int32_t j, const double *u)
{
  const vv_body *body = b->body[j];
  double sum = 0.0;
  if (!bar_is_elastic(b, j)) {
    for (int64_t e = 0; e < body->n_element; e++) sum += bar_flow_energy(b, j, e, u);
    return sum;
  }
  for (int64_t i = body->node0; i + 1 < body->node0 + body->n_node; i++) sum += bar_energy(b, i, u[i + 1] - u[i]);
  return sum;
}

static void audit_body(const vv_block *b, int32_t j, const double *u, const double *p, vv_totals *sum)
{
  const double *r = bar_body(b, j);
  const slice_sums s = sum_slice(b, b->body[j]->node0, b->body[j]->n_node, u, p);
  double arm[3];
  vvi_cross3(r + BAR_ORIGIN, r + BAR_AXIS, arm); /* all momenta lie on the line: L = (origin x axis) sum p */
  sum->kinetic += 0.5 * s.kinetic;
  sum->strain += bar_is_linear(b) && bar_is_elastic(b, j) ? 0.5 * s.strain : strain_energy(b, j, u);
  sum->potential -= r[BAR_GRAVITY] * s.weight;
  if (!bar_is_elastic(b, j)) sum->contact += bar_flow_kept(b, j, u); /* the faces of cracks are in contact */
  sum->p_abs += s.momentum_abs;
  sum->L_abs += vvi_norm3(arm) * s.momentum_abs;
  for (int c = 0; c < 3; c++) {
    sum->p[c] += s.momentum * r[BAR_AXIS + c];
    sum->L[c] += s.momentum * arm[c];
  }
}

static void bar_audit(const vv_block *b, const double *u, const double *p, vv_totals *sum)
{
  for (int32_t j = 0; j < b->n_body; j++) audit_body(b, j, u, p, sum);
}

/* ---- the surface that contact sees: two tips, and the nodes between them once they are ends of pieces ---- */

static const double *line_of(const vv_block *b, const vv_patch *t)
{
  return bar_body(b, vv_body_of_node(b, t->node));
}

static int64_t node_at(const vv_patch *t, const vv_point *pt)
{
  return t->node + (int64_t)pt->xi[0];
}

static void bar_surface(const vv_block *b, const double *u, int n, const vv_point *pt, double *x)
{
  for (int i = 0; i < n; i++) {
    const vv_patch *t = &b->patch[pt[i].patch];
    const double *r = line_of(b, t), s = bar_node(b, BAR_X)[node_at(t, &pt[i])] + u[node_at(t, &pt[i])];
    for (int c = 0; c < 3; c++) x[3 * i + c] = r[BAR_ORIGIN + c] + s * r[BAR_AXIS + c] + t->reach * t->direction[c];
  }
}

static void bar_push(const vv_block *b, const double *u, const double *p, int n, const vv_point *pt, double *w)
{
  (void)u;
  for (int i = 0; i < n; i++) {
    const vv_patch *t = &b->patch[pt[i].patch];
    const int64_t node = node_at(t, &pt[i]);
    const double *r = line_of(b, t), v = bar_node(b, BAR_INVERSE_MASS)[node] * p[node];
    for (int c = 0; c < 3; c++) w[3 * i + c] = v * r[BAR_AXIS + c];
  }
}

static void bar_pull(const vv_block *b, const double *u, int n, const vv_point *pt, const double *impulse, double *p)
{
  (void)u;
  for (int i = 0; i < n; i++) {
    const vv_patch *t = &b->patch[pt[i].patch];
    if (!t->held) p[node_at(t, &pt[i])] += vvi_dot3(line_of(b, t) + BAR_AXIS, impulse + 3 * i);
  }
}

static void bar_inverse_mass(const vv_block *b, const double *u, int n, const vv_point *pt, double *a)
{
  (void)u;
  for (int i = 0; i < n; i++) {
    const vv_patch *t = &b->patch[pt[i].patch];
    const double *e = line_of(b, t) + BAR_AXIS;
    const double w = t->held ? 0.0 : bar_node(b, BAR_INVERSE_MASS)[node_at(t, &pt[i])];
    const double full[6] = {e[0] * e[0], e[1] * e[1], e[2] * e[2], e[1] * e[2], e[0] * e[2], e[0] * e[1]};
    for (int c = 0; c < 6; c++) a[6 * i + c] = w * full[c];
  }
}

/* Every node as a point that a guide lets move along the line only. */
static void bar_mover(const vv_block *b, int64_t i, const double *u, const double *p, vv_mover *out)
{
  const int32_t j = vv_body_of_node(b, i);
  const double *r = bar_body(b, j), *e = r + BAR_AXIS;
  const double full[6] = {e[0] * e[0], e[1] * e[1], e[2] * e[2], e[1] * e[2], e[0] * e[2], e[0] * e[1]};
  const int64_t first = b->body[j]->node0, last = first + b->body[j]->n_node - 1;
  const bool held = (i == first && r[BAR_HELD_FIRST] != 0.0) || (i == last && r[BAR_HELD_LAST] != 0.0);
  const double s = bar_node(b, BAR_X)[i] + u[i], minv = bar_node(b, BAR_INVERSE_MASS)[i];
  *out = (vv_mover){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int c = 0; c < 3; c++) {
    out->place[c] = r[BAR_ORIGIN + c] + s * e[c];
    out->velocity[c] = minv * p[i] * e[c];
  }
  for (int c = 0; c < 6 && !held; c++) out->inverse_mass[c] = minv * full[c];
}

static void bar_movers(const vv_block *b, const double *u, const double *p, vv_mover *out)
{
  for (int64_t i = 0; i < b->nodes; i++) bar_mover(b, i, u, p, &out[i]);
}

/* A guide takes what is not along the bar. */
static void bar_scatter(const vv_block *b, int64_t node, const double *u, const double j[6], double *p)
{
  (void)u;
  p[node] += vvi_dot3(bar_body(b, vv_body_of_node(b, node)) + BAR_AXIS, j);
}

/* ---- output ---- */

enum bar_output {
  OUT_POSITION,
  OUT_DISPLACEMENT,
  OUT_VELOCITY,
  OUT_MOMENTUM,
  OUT_STRAIN,
  OUT_STRESS,
  OUT_PLASTIC,
  OUT_DAMAGE,
  OUT_ENERGY,
  OUT_DISSIPATED,
  OUT_MISES,
  OUT_CONFIGURATIONAL,
  OUT_PSEUDO,
  OUT_WHOLE,
  OUT_POWER
};
static const vv_output_field output_field[] = {
    {"position", "m", 3, false},
    {"displacement", "m", 3, false},
    {"velocity", "m/s", 3, false},
    {"momentum", "kg m/s", 3, false},
    {"strain", "1", 1, true},
    {"stress", "Pa", 1, true},
    {"plastic_strain", "1", 1, true},
    {"damage", "1", 1, true},
    {"energy_density", "J/m^3", 1, true},
    {"dissipated_density", "J/m^3", 1, true},
    {"mises", "Pa", 1, true},
    {"configurational_force", "N", 1, true},
    {"pseudomomentum", "kg m/s", 1, true},
    {"energy", "J", 1, true},
    {"power", "W", 1, true},
};

static double node_output(const vv_block *b, int field, const double *u, const double *p, int64_t i)
{
  switch (field) {
  case OUT_POSITION:
    return bar_node(b, BAR_X)[i] + u[i];
  case OUT_DISPLACEMENT:
    return u[i];
  case OUT_VELOCITY:
    return bar_node(b, BAR_INVERSE_MASS)[i] * p[i];
  default:
    return p[i];
  }
}

/* Element e of body j, counted from its first; plastic_strain: alpha, all that has flowed so far. */
static double element_output(const vv_block *b, int32_t j, int field, const double *u, int64_t e)
{
  const bar_inelastic *law = bar_law_of(b, j);
  const int64_t at = b->body[j]->element0 + e, node = b->element_node[2 * at];
  const double l = bar_element(b, BAR_LENGTH)[at], area = bar_element(b, BAR_AREA)[at], du = u[node + 1] - u[node];
  const bool elastic = bar_is_elastic(b, j);
  switch (field) {
  case OUT_STRAIN:
    return du / l;
  case OUT_STRESS:
    return (elastic ? bar_force(b, node, du) : bar_flow_force(b, j, e, u)) / area;
  case OUT_MISES:
    return fabs(element_output(b, j, OUT_STRESS, u, e));
  case OUT_PLASTIC:
    return law->plastic.yield > 0.0 ? bar_flow_column(b, j, BAR_Z_ALPHA, u)[e] : 0.0;
  case OUT_DAMAGE:
    return !elastic && law->damage >= 0.0 ? bar_flow_column(b, j, (int)law->damage, u)[e] : 0.0;
  case OUT_DISSIPATED:
    return elastic ? 0.0 : bar_flow_column(b, j, (int)law->lost, u)[e] / (l * area);
  default:
    return (elastic ? bar_energy(b, node, du) : bar_flow_energy(b, j, e, u)) / (l * area);
  }
}

/* How the Lagrangian of an element changes with its length, masses and spring going with it, and the momentum of shifts of the
 * bar along itself; m: what the element gives to its two nodes.                                              [bars 54, 55] */
static double shift_output(const vv_block *b, int32_t j, int field, const double *u, const double *p, int64_t e)
{
  const int64_t at = b->body[j]->element0 + e, node = b->element_node[2 * at];
  const double *inverse = bar_node(b, BAR_INVERSE_MASS), *x = bar_node(b, BAR_X);
  const double l = bar_element(b, BAR_LENGTH)[at], area = bar_element(b, BAR_AREA)[at];
  const double m[2] = {bar_element(b, BAR_MASS_LEFT)[at], bar_element(b, BAR_MASS_RIGHT)[at]};
  const double stretch = 1.0 + (u[node + 1] - u[node]) / l, g = bar_body(b, j)[BAR_GRAVITY];
  double kinetic = 0.0, potential = 0.0, momentum = 0.0;
  for (int k = 0; k < 2; k++) {
    const double v = inverse[node + k] * p[node + k];
    kinetic += 0.5 * m[k] * v * v, momentum += m[k] * v, potential -= m[k] * g * (x[node + k] + u[node + k]);
  }
  if (field == OUT_PSEUDO) return momentum * stretch;
  return (kinetic - potential) / l - area * element_output(b, j, OUT_ENERGY, u, e) +
         area * element_output(b, j, OUT_STRESS, u, e) * stretch;
}

static double force_at(const vv_block *b, int32_t j, int64_t e, const double *u)
{
  if (e < 0 || e >= b->body[j]->n_element) return 0.0;
  return bar_element(b, BAR_AREA)[b->body[j]->element0 + e] * element_output(b, j, OUT_STRESS, u, e);
}

/* The energy of an element with its share of two nodes, and the power of the forces that the rest of the bar has on it: what a
 * node feels goes to its shares by their masses, and what the element itself gives is taken off.            [bars 58, 59] */
static double balance_output(const vv_block *b, int32_t j, int field, const double *u, const double *p, int64_t e)
{
  const int64_t at = b->body[j]->element0 + e, node = b->element_node[2 * at];
  const double share[2] = {bar_element(b, BAR_MASS_LEFT)[at] / bar_node(b, BAR_MASS)[node],
                           bar_element(b, BAR_MASS_RIGHT)[at] / bar_node(b, BAR_MASS)[node + 1]};
  const double N[3] = {force_at(b, j, e - 1, u), force_at(b, j, e, u), force_at(b, j, e + 1, u)};
  double energy =
      element_output(b, j, OUT_ENERGY, u, e) * bar_element(b, BAR_LENGTH)[at] * bar_element(b, BAR_AREA)[at];
  double power = 0.0;
  for (int k = 0; k < 2; k++) {
    const double m = bar_node(b, BAR_MASS)[node + k], v = bar_node(b, BAR_INVERSE_MASS)[node + k] * p[node + k];
    energy += share[k] * m * (0.5 * v * v - bar_body(b, j)[BAR_GRAVITY] * u[node + k]);
    power += (share[k] * (N[k + 1] - N[k]) - (k == 0 ? N[1] : -N[1])) * v;
  }
  return field == OUT_WHOLE ? energy : power;
}

static double single_output(const vv_block *b, int32_t j, int field, const double *u, const double *p, int64_t e)
{
  if (field >= OUT_WHOLE) return balance_output(b, j, field, u, p, e);
  return field >= OUT_CONFIGURATIONAL ? shift_output(b, j, field, u, p, e) : element_output(b, j, field, u, e);
}

static void bar_output(const vv_block *b, int field, const double *u, const double *p, double *out)
{
  if (output_field[field].on_elements) {
    for (int32_t j = 0; j < b->n_body; j++)
      for (int64_t e = 0; e < b->body[j]->n_element; e++)
        out[b->body[j]->element0 + e] = single_output(b, j, field, u, p, e);
    return;
  }
  for (int32_t j = 0; j < b->n_body; j++) {
    const double *r = bar_body(b, j);
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
      const double s = node_output(b, field, u, p, i);
      for (int c = 0; c < 3; c++)
        out[3 * i + c] = s * r[BAR_AXIS + c] + (field == OUT_POSITION ? r[BAR_ORIGIN + c] : 0.0);
    }
  }
}

static void bar_broken(const vv_block *b, const double *u, int32_t j, unsigned char *out)
{
  for (int64_t e = 0; e < b->body[j]->n_element; e++) out[e] = element_output(b, j, OUT_DAMAGE, u, e) >= 1.0;
}

/* Strains of linear springs; an open crack is none, and what flows may do so as far as it likes.                [ledger 20] */
static double bar_stretch(const vv_block *b, const double *u)
{
  double worst = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    if (!bar_is_elastic(b, j) && bar_law_of(b, j)->plastic.yield > 0.0) continue;
    for (int64_t e = 0; e < b->body[j]->n_element; e++) {
      const double strain = element_output(b, j, OUT_STRAIN, u, e);
      const int64_t node = b->element_node[2 * (b->body[j]->element0 + e)];
      if (strain > worst && (bar_is_linear(b) || bar_node(b, BAR_LAW)[node] == 0.0) &&
          !(element_output(b, j, OUT_DAMAGE, u, e) > 0.0))
        worst = strain;
    }
  }
  return worst;
}

/* -strain: an element of length 0 has -1, one that is inside out less. */
static double bar_distortion(const vv_block *b, const double *u)
{
  const double *l = bar_element(b, BAR_LENGTH);
  double worst = 0.0;
  for (int64_t e = 0; e < b->elements; e++) {
    const int32_t *node = b->element_node + 2 * e;
    const double flat = (u[node[0]] - u[node[1]]) / l[e];
    if (flat > worst) worst = flat;
  }
  return worst;
}

/* ---- single elements ---- */

/* Of an element alone, with half of what its nodes weigh: a node has two elements.                        [grids 20] */
static void element_steps(const vv_block *b, double *out)
{
  const double *minv = bar_node(b, BAR_INVERSE_MASS), *k = bar_node(b, BAR_STIFFNESS);
  for (int64_t e = 0; e < b->elements; e++) {
    const int32_t *n = b->element_node + 2 * e;
    out[e] = 2.0 / sqrt(2.0 * k[n[0]] * (minv[n[0]] + minv[n[1]]));
  }
}

static void element_kick(const vv_block *b, int64_t element, double h, const double *u, double *p)
{
  const int32_t *n = b->element_node + 2 * element;
  const double r = h * bar_force(b, n[0], u[n[1]] - u[n[0]]);
  p[n[0]] += r, p[n[1]] -= r;
}

static void node_drift(const vv_block *b, int64_t node, double h, double *u, double *p)
{
  u[node] += h * (bar_node(b, BAR_INVERSE_MASS)[node] * p[node]);
}

static const vv_apart_table bar_apart = {element_steps, element_kick, node_drift};

const vv_body_kind vv_bar_kind = {
    .name = "bar",
    .doc = "elastic bar guided on a line",
    .example =
        "{kind: bar, length: 2, elements: 9, grading: 1.7, material: {young: 3, density: 2}, section: {area: 0.5}, "
        "axis: [1, 2, -2], origin: [0.3, -1, 2], velocity: 0.4, vibration: [{mode: 1, amplitude: 0.1}]}",
    .claims = VV_EXPLICIT | VV_FLAT | VV_LINEAR | VV_SYMPLECTIC | VV_KEEPS_MOMENTUM,
    .schema = &bar_schema,
    .node_q = 1,
    .node_p = 1,
    .node_reals = BAR_NODE_COLUMNS,
    .element_reals = BAR_ELEMENT_COLUMNS,
    .element_nodes = 2,
    .body_reals = BAR_BODY_COLUMNS,
    .n_output = VV_COUNT(output_field),
    .output_field = output_field,
    .measure = bar_measure,
    .fill = bar_fill,
    .kick = bar_kick,
    .drift = bar_drift,
    .flow = bar_flow,
    .broken = bar_broken,
    .viscous = bar_viscous,
    .drive = bar_drive,
    .post = bar_post,
    .distortion = bar_distortion,
    .stretch = bar_stretch,
    .stride = bar_stride,
    .flow_stride = bar_flow_stride,
    .audit = bar_audit,
    .audit_body = audit_body,
    .stable_step = bar_stable_step,
    .stable_steps = bar_stable_steps,
    .surface = bar_surface,
    .push = bar_push,
    .pull = bar_pull,
    .inverse_mass = bar_inverse_mass,
    .output = bar_output,
    .movers = bar_movers,
    .mover = bar_mover,
    .scatter = bar_scatter,
    .apart = &bar_apart,
    .vary = &bar_vary,
    .space = &bar_space,
    .transfer = bar_transfer,
    .implicit = &bar_implicit,
    .device = &bar_device_table,
};
