/* body/bar/implicit.c  Bars in energy-momentum steps: a discrete gradient of the springs.
 *
 * The force of a spring in a step is what its energy changes by, over what its length changes by: the mean force of a linear
 * one, and of a neo-Hookean one with stretches L_n, L_n+1
 *   N = (k l/3) ((L_n + L_n+1)/2 - 1/(L_n L_n+1))                                                                   [bars 57]
 *   (2/h^2) m (z_i - h v_i) = N_i - N_i-1 + m g + loads + contacts,   p_n+1 = p_n + (2/h) (m z - h p_n)
 * by Newton's method; the tangent has three diagonals. */
#include "body/bar/bar.h"
#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

enum { ROW = VV_IMPLICIT_ROW };

typedef struct bar_step {
  const vv_block *b;
  int32_t body;
  int64_t first, n;
  double t, h; /* t: middle of the step, at which loads are looked at */
  const double *load;
  double *q, *p, *z;                 /* [n] at n; the step */
  double *du;                        /* [n] what the spring behind a node is longer by, at n */
  double *r, *x;                     /* [n] */
  double *diagonal, *upper, *factor; /* [n] of the tangent, which is symmetric; factored */
} bar_step;
enum { STEP_REALS = (sizeof(bar_step) + 7) / 8, ARRAYS = 9 };

static bar_step *step_of(double *work)
{
  return (bar_step *)(void *)work;
}

static int64_t bar_work(const vv_block *b, int32_t j)
{
  return STEP_REALS + ARRAYS * b->body[j]->n_node;
}

static bool is_held(const bar_step *w, int64_t i)
{
  const double *r = bar_body(w->b, w->body);
  return (i == 0 && r[BAR_HELD_FIRST] != 0.0) || (i == w->n - 1 && r[BAR_HELD_LAST] != 0.0);
}

/* What springs are longer by is a sum of its changes: differences of displacements that have grown large have their rounding, and
 * the energy would walk.  v: what those lack.                                                                       [bars 57] */
static void bar_begin(const vv_block *b, int32_t j, double t, double h, const double *q, const double *p,
                      const double *v, double *work)
{
  bar_step *w = step_of(work);
  *w = (bar_step){.b = b, .body = j, .first = b->body[j]->node0, .n = b->body[j]->n_node, .t = t + 0.5 * h, .h = h};
  double *at = work + STEP_REALS,
         **const list[ARRAYS] = {&w->q, &w->p, &w->z, &w->r, &w->x, &w->diagonal, &w->upper, &w->factor, &w->du};
  for (int i = 0; i < ARRAYS; i++) *list[i] = at, at += w->n;
  for (int64_t i = 0; i < w->n; i++) {
    w->q[i] = q[w->first + i], w->p[i] = is_held(w, i) ? 0.0 : p[w->first + i];
    w->z[i] = h * bar_node(b, BAR_INVERSE_MASS)[w->first + i] * w->p[i];
  }
  for (int64_t i = 0; i + 1 < w->n; i++) w->du[i] = w->q[i + 1] - w->q[i] + v[w->first + i];
}

/* Force of the spring behind node i in the step, and its derivative by what it is longer at the end.                [bars 57] */
static double spring(const bar_step *w, int64_t i, double *stiff)
{
  const int64_t at = w->first + i;
  const double k = bar_node(w->b, BAR_STIFFNESS)[at], du = w->du[i], dz = w->z[i + 1] - w->z[i];
  *stiff = 0.5 * k;
  if (bar_is_linear(w->b) || bar_node(w->b, BAR_LAW)[at] == 0.0) return k * (du + 0.5 * dz);
  const double l = bar_node(w->b, BAR_SPAN)[at], s = 1.0 + du / l, s1 = 1.0 + (du + dz) / l;
  *stiff = k / 3.0 * (0.5 + 1.0 / (s * s1 * s1));
  return k * l / 3.0 * (0.5 * (s + s1) - 1.0 / (s * s1));
}

/* Force along the bar of one of its loads, and the node that it pushes. */
static double load_on(const bar_step *w, int32_t k, int64_t *node)
{
  const vv_load *l = &w->b->load[k];
  *node = l->node - w->first;
  return l->motion ? 0.0 : l->value[0] * vv_history_at(&l->history, w->t);
}

static void residual(bar_step *w)
{
  const vv_body *of = w->b->body[w->body];
  const double f = 2.0 / (w->h * w->h), *r = bar_body(w->b, w->body), *e = r + BAR_AXIS;
  const double *mass = bar_node(w->b, BAR_MASS) + w->first;
  for (int64_t i = 0; i < w->n; i++) {
    w->r[i] = f * (mass[i] * w->z[i] - w->h * w->p[i]) - mass[i] * r[BAR_GRAVITY];
    if (w->load != NULL) w->r[i] -= vvi_dot3(e, w->load + ROW * i);
    w->diagonal[i] = f * mass[i];
  }
  for (int32_t k = of->load0; k < of->load0 + of->n_load; k++) {
    int64_t i;
    const double force = load_on(w, k, &i);
    w->r[i] -= force;
  }
  for (int64_t i = 0; i + 1 < w->n; i++) {
    double stiff;
    const double N = spring(w, i, &stiff);
    w->r[i] -= N, w->r[i + 1] += N;
    w->diagonal[i] += stiff, w->diagonal[i + 1] += stiff, w->upper[i] = -stiff;
  }
}

/* x becomes K^-1 x; what is held stays. */
static void solve(const bar_step *w, double *x)
{
  for (int64_t i = 0; i < w->n; i++) {
    if (is_held(w, i)) x[i] = 0.0;
    if (i > 0) x[i] -= w->factor[i] * x[i - 1];
  }
  for (int64_t i = w->n - 1; i >= 0; i--) {
    if (i + 1 < w->n) x[i] -= w->upper[i] * x[i + 1];
    x[i] /= w->diagonal[i];
  }
}

static bool factor(const bar_step *w)
{
  for (int64_t i = 0; i < w->n; i++) {
    double beside = i > 0 ? w->upper[i - 1] : 0.0;
    if (is_held(w, i)) {
      w->diagonal[i] = 1.0, w->factor[i] = 0.0;
      if (i + 1 < w->n) w->upper[i] = 0.0;
      continue;
    }
    if (i > 0 && is_held(w, i - 1)) beside = 0.0;
    w->factor[i] = i > 0 ? beside / w->diagonal[i - 1] : 0.0;
    if (i > 0) w->diagonal[i] -= w->factor[i] * w->upper[i - 1];
    if (!(w->diagonal[i] > 0.0)) return false;
  }
  return true;
}

static bool bar_correct(double *work, const double *load, bool fresh, double *added, double *whole)
{
  (void)fresh;
  bar_step *w = step_of(work);
  w->load = load;
  residual(w);
  if (!factor(w)) return false;
  memcpy(w->x, w->r, sizeof(double) * (size_t)w->n);
  solve(w, w->x);
  *added = *whole = 0.0;
  for (int64_t i = 0; i < w->n; i++) {
    w->z[i] -= w->x[i];
    *added = fmax(*added, fabs(w->x[i])), *whole = fmax(*whole, fabs(w->z[i]));
    if (!isfinite(w->x[i])) return false;
  }
  const double l = bar_node(w->b, BAR_SPAN)[w->first];
  *added /= l, *whole /= l;
  return true;
}

static void bar_respond(double *work, double part, double *x)
{
  (void)part;
  const bar_step *w = step_of(work);
  const double *e = bar_body(w->b, w->body) + BAR_AXIS;
  for (int64_t i = 0; i < w->n; i++) w->x[i] = vvi_dot3(e, x + ROW * i);
  solve(w, w->x);
  for (int64_t i = 0; i < w->n; i++)
    for (int c = 0; c < 3; c++) x[ROW * i + c] = w->x[i] * e[c], x[ROW * i + 3 + c] = 0.0;
}

static void bar_node_at(const double *work, int64_t i, vv_implicit_node *out)
{
  const bar_step *w = (const bar_step *)(const void *)work;
  const double *r = bar_body(w->b, w->body), s = bar_node(w->b, BAR_X)[w->first + i] + w->q[i];
  for (int c = 0; c < 3; c++) {
    out->place[c] = r[BAR_ORIGIN + c] + s * r[BAR_AXIS + c];
    out->u[c] = w->z[i] * r[BAR_AXIS + c], out->theta[c] = 0.0;
  }
}

static void bar_rate(const double *work, int64_t i, double v[6])
{
  const bar_step *w = (const bar_step *)(const void *)work;
  const double *e = bar_body(w->b, w->body) + BAR_AXIS;
  const double speed = bar_node(w->b, BAR_INVERSE_MASS)[w->first + i] * w->p[i];
  for (int c = 0; c < 3; c++) v[c] = speed * e[c], v[3 + c] = 0.0;
}

static void bar_guide(const double *work, double e[3])
{
  const bar_step *w = (const bar_step *)(const void *)work;
  memcpy(e, bar_body(w->b, w->body) + BAR_AXIS, 3 * sizeof *e);
}

/* An impulse along the bar at a node, in the middle of the step. */
static void book_along(const bar_step *w, int64_t i, double along, vv_posted *post)
{
  vv_implicit_node n;
  double x[3], j[3];
  if (along == 0.0) return;
  bar_node_at((const double *)(const void *)w, i, &n);
  for (int c = 0; c < 3; c++) x[c] = n.place[c] + 0.5 * n.u[c], j[c] = along * bar_body(w->b, w->body)[BAR_AXIS + c];
  vvi_post_impulse(post, x, j);
}

/* Gravity along the axis, what held ends give, and loads with their work. */
static void book(bar_step *w, vv_posted *post)
{
  const double *r = bar_body(w->b, w->body), *mass = bar_node(w->b, BAR_MASS) + w->first;
  const vv_body *of = w->b->body[w->body];
  residual(w);
  for (int64_t i = 0; i < w->n; i++)
    book_along(w, i, w->h * (mass[i] * r[BAR_GRAVITY] + (is_held(w, i) ? w->r[i] : 0.0)), post);
  for (int32_t k = of->load0; k < of->load0 + of->n_load; k++) {
    int64_t i;
    const double force = load_on(w, k, &i);
    book_along(w, i, w->h * force, post);
    vvi_sum_add(&post->external_work, force * w->z[i]);
  }
}

static void bar_finish(double *work, double *q, double *p, double *v, vv_posted *post)
{
  bar_step *w = step_of(work);
  if (w->b->booked) book(w, post);
  for (int64_t i = 0; i < w->n; i++) {
    const double mass = bar_node(w->b, BAR_MASS)[w->first + i];
    q[w->first + i] += w->z[i];
    if (!is_held(w, i)) p[w->first + i] += 2.0 / w->h * (mass * w->z[i] - w->h * p[w->first + i]);
  }
  for (int64_t i = 0; i + 1 < w->n; i++)
    v[w->first + i] = w->du[i] + (w->z[i + 1] - w->z[i]) - (q[w->first + i + 1] - q[w->first + i]);
}

static const vv_implicit_parts parts = {
    .work = bar_work,
    .begin = bar_begin,
    .correct = bar_correct,
    .respond = bar_respond,
    .node = bar_node_at,
    .rate = bar_rate,
    .guide = bar_guide,
    .finish = bar_finish,
};

static void bar_start(const vv_block *b, const double *q, const double *p, double *v)
{
  (void)q, (void)p;
  memset(v, 0, sizeof(double) * (size_t)b->nodes);
}

static void bar_implicit_audit(const vv_block *b, const double *q, const double *v, vv_totals *sum)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const int64_t first = b->body[j]->node0, last = first + b->body[j]->n_node - 1;
    double part = 0.0;
    for (int64_t i = first; i < last; i++) part += bar_energy(b, i, q[i + 1] - q[i] + v[i]);
    sum->strain += part;
  }
}

const vv_implicit_table bar_implicit = {.node_v = 1, .start = bar_start, .audit = bar_implicit_audit, .parts = &parts};
