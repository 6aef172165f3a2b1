/* step/event/modified_gap.c  Gaps along the flow, and the next event. */
#include "step/event/modified.h"

#include "math/math.h"

#include <string.h>

/* Chebyshev moments of the rate of a pair, turned into weights at the points: then gap(a) costs n sines. */
static void add_weights(struct vv_step *s, const double *v, double factor, double *weight)
{
  vvi_modified_work *w = ((vvi_event_work *)s->own)->modified;
  const struct vvi_pairs *list = s->model->pairs;
  double *now = w->t0, *old = w->t1;
  memset(weight, 0, sizeof(double) * (size_t)(list->n * w->n));
  memcpy(now, v, sizeof(double) * (size_t)s->state->np);
  for (int k = 0; k < w->n; k++) {
    if (k > 0) {
      vvi_modified_chebyshev_next(s, now, old, k == 1);
      double *swap = now;
      now = old, old = swap;
    }
    for (int i = 0; i < list->n; i++) {
      if (!w->near[i]) continue;
      const double moment = factor * vvi_pair_rate(&list->pair[i], s->state->q, now);
      for (int j = 0; j < w->n; j++) weight[i * w->n + j] += (double)w->basis[k * w->n + j] * moment;
    }
  }
}

/* Gap (start: its value at a = 0) and its slope. */
static double gap_at(const vvi_modified_work *w, int pair, double start, double a, double *slope)
{
  const double *mu = w->mu + pair * w->n, *nu = w->nu + pair * w->n;
  double g = start, dg = 0.0;
  for (int j = 0; j < w->n; j++) {
    const double th = (double)w->theta[j], y = (double)w->y[j], sn = sin(th), turn = sin(a * th),
                 half = sin(0.5 * a * th);
    g += mu[j] * 2.0 * half * half / y + nu[j] * turn / sn;
    dg += mu[j] * th * turn / y + nu[j] * th * cos(a * th) / sn;
  }
  *slope = dg;
  return g;
}

typedef struct gap_curve {
  const vvi_modified_work *w;
  int pair;
  double start, sign;
  bool divided; /* by a: the root at zero is known */
} gap_curve;

static double curve(const gap_curve *c, double a)
{
  double slope;
  const double g = c->sign * gap_at(c->w, c->pair, c->start, a, &slope);
  if (!c->divided) return g;
  return a > 0.0 ? g / a : c->sign * slope;
}

/* Bracketed root, curve(lo) > 0 >= curve(hi): Illinois with bisection, from the side where the gap is not negative. */
static double curve_root(const gap_curve *c, double lo, double hi)
{
  double f_lo = curve(c, lo), f_hi = curve(c, hi);
  for (int it = 0; it < 200 && hi - lo > 4e-16 * hi; it++) {
    double mid = it % 4 == 3 ? 0.5 * (lo + hi) : lo + (hi - lo) * f_lo / (f_lo - f_hi);
    if (!(mid > lo && mid < hi)) mid = 0.5 * (lo + hi);
    if (!(mid > lo && mid < hi)) break;
    const double f = curve(c, mid);
    if (f > 0.0)
      lo = mid, f_lo = f, f_hi *= 0.5;
    else
      hi = mid, f_hi = f, f_lo *= 0.5;
  }
  return lo;
}

/* Where the slope turns from falling to rising between lo and hi. */
static double lowest(const gap_curve *c, double lo, double hi)
{
  for (int it = 0; it < 60; it++) {
    const double mid = 0.5 * (lo + hi);
    double slope;
    gap_at(c->w, c->pair, c->start, mid, &slope);
    if (c->sign * slope < 0.0)
      lo = mid;
    else
      hi = mid;
  }
  return 0.5 * (lo + hi);
}

typedef struct crossing_def {
  double start, sign, rest; /* gap at a = 0; -1 for a closed soft pair; how far to look */
  bool touching;
  double rounding, shallow; /* slope that is zero, depth that is zero */
} crossing_def;

/* First fraction in (0, rest] where the gap falls through zero, and then below the rounding depth.  The modes turn by less
 * than half a circle in a step, so 16 samples and the dips between them see every crossing. */
static double first_crossing(const vvi_modified_work *w, int pair, const crossing_def *d)
{
  enum { SAMPLES = 16 };
  const double sign = d->sign;
  gap_curve c = {.w = w, .pair = pair, .start = d->touching ? 0.0 : d->start, .sign = sign, .divided = d->touching};
  double slope, before = 0.0, slope_before;
  const double g0 = sign * gap_at(w, pair, c.start, 0.0, &slope_before);
  const double left = d->shallow + fmin(d->sign * d->start, 0.0); /* what is left of the rounding depth */
  const double shallow = fmax(left, 0.1 * d->shallow);            /* a pair that is too deep may always come out */
  if (!d->touching && g0 <= 0.0) c.divided = true, c.start = 0.0;
  const bool still = fabs(slope_before) <= d->rounding, falls = !still && sign * slope_before < 0.0;
  for (int i = 1; i <= SAMPLES; i++) {
    const double a = d->rest * i / SAMPLES, g = sign * gap_at(w, pair, c.start, a, &slope);
    double low = a, deepest = g;
    if (g >= -shallow && sign * slope_before < 0.0 && sign * slope > 0.0) {
      low = lowest(&c, before, a);
      deepest = sign * gap_at(w, pair, c.start, low, &slope);
    }
    if (deepest < -shallow) {
      const double soon = 1e-3 * d->rest; /* a pair that does not move: does it press, or does it rise first? */
      if (c.divided && i == 1 && (falls || (still && curve(&c, soon) <= 0.0))) return 0.0;
      return curve_root(&c, c.divided && i == 1 && still ? soon : before, low);
    }
    gap_at(w, pair, c.start, a, &slope);
    before = a, slope_before = slope;
  }
  return INFINITY;
}

/* Which pairs need a close look.  At the end of a plain step the gap is the quadratic of [bars 5] exactly, so no pair can be
 * missed there; inside the step it is near it, and a pair whose quadratic keeps a quarter of its path away from zero is left
 * out. */
static bool look_around(struct vv_step *s, double rest)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  const struct vvi_pairs *list = s->model->pairs;
  const double h = fabs(s->h);
  bool any = false;
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    const double sign = c->compliance > 0.0 && s->state->memory[i] != 0.0 ? -1.0 : 1.0;
    const double c1 = e->direction * vvi_pair_rate(c, s->state->q, s->state->p);
    const double c2 = 0.5 * vvi_pair_rate(c, s->state->q, e->f), path = h * (fabs(c1) + h * fabs(c2));
    w->gap[i] = vvi_pair_gap(c, s->state->q);
    w->near[i] = rest < 1.0 || e->touch[i] == TOUCHING ||
                 vvi_event_lowest(sign * w->gap[i], sign * c1, sign * c2, h) < 0.25 * path;
    any |= w->near[i];
  }
  return any;
}

/* Earliest event in the fraction `rest` of the step. */
double vvi_modified_next(struct vv_step *s, double rest)
{
  vvi_event_work *e = s->own;
  vvi_modified_work *w = e->modified;
  const struct vvi_pairs *list = s->model->pairs;
  double first = INFINITY;
  e->n_set = 0;
  if (!look_around(s, rest)) return INFINITY;
  add_weights(s, e->f, 0.25 * s->h * s->h, w->mu);
  add_weights(s, s->state->p, s->h, w->nu);
  for (int i = 0; i < list->n; i++) {
    const bool closed = list->pair[i].compliance > 0.0 && s->state->memory[i] != 0.0;
    const bool skip = !w->near[i] || e->touch[i] == HELD;
    const crossing_def d = {.start = w->gap[i],
                            .sign = closed ? -1.0 : 1.0,
                            .rest = rest,
                            .touching = e->touch[i] == TOUCHING,
                            .rounding = vvi_event_rounding(s, i) * fabs(s->h),
                            .shallow = vvi_event_shallow(s)};
    e->when[i] = skip ? INFINITY : first_crossing(w, i, &d);
    first = fmin(first, e->when[i]);
  }
  for (int i = 0; i < list->n; i++)
    if (e->when[i] <= first + 1e-13) e->set[e->n_set++] = i;
  return first;
}
