/* step/variational/variational.c  Steps whose length the discrete energy equation chooses.
 *
 * The times of a discrete action are varied like its places.  Where two slabs meet their momenta agree, which is the plain step,
 * and their energies, which fixes the length of the next one.  For kick, drift, kick the energy of a slab of length h is
 * H + h^2 (v.K v/4 - f.M^-1 f/8) + ..., which may rise or fall with h: there need not be a root.  Two drifts with three kicks,
 *
 *   kick(c h)  drift(h/2)  kick((1 - 2c) h)  drift(h/2)  kick(c h),   c = (3 - sqrt 5)/4,                        [grids 4]
 *
 * have H + d h^2 (v.K v + f.M^-1 f) + ..., d = 0.0182: it rises with h, and in linear vibration the bracket is constant.  The
 * time grid has a Lagrangian of its own, a function of the lengths alone, that says how long a slab is where nothing vibrates:
 *
 *   E_d(q, p, h) + (k/4) (r^2 - 1/r^2) = E,   r = h/h0,   E: that of the first slab, of length h0                [grids 7]
 *
 * Contacts are those of massless tips, which are springs.  A slab has its own length; steps are counted in units of h0, and one
 * counted step takes all slabs that begin in it. */
#include "math/math.h"
#include "step/kdk.h"
#include "step/variation.h"

#include <stdio.h>
#include <string.h>

/* 2 c: the golden section.  Linear vibrations are stable up to the second number times the limit of kick, drift, kick.
 * [grids 4, 6] */
static const double golden = 0.38196601125010515, golden_limit = 1.272;

enum { STARTED, TARGET, STIFFNESS, LENGTH, SHORTEST, LONGEST, SLABS, MEMORY };
enum { MOST_SLABS = 10000, SEARCH = 64, REFINE = 100 };

typedef struct variational_work {
  vvi_kdk kdk;
  double *q1, *p1, *f1, *closed; /* of a trial: [nq], [np], [np], [pairs] */
  double outer;                  /* of the kicks at both ends of a slab, over half its length */
  vv_totals slab;                /* energies of the last slab; kinetic is not a number: none was taken yet */
} variational_work;

static double *memory_of(const struct vv_step *s)
{
  return s->state->memory + VVI_PAIR_MEMORY * s->model->pairs->n;
}

static int64_t memory(const vv_model *m)
{
  (void)m;
  return MEMORY;
}

static void start(const vv_model *m, vv_state *x)
{
  double *own = x->memory + VVI_PAIR_MEMORY * m->pairs->n;
  for (int i = 0; i < MEMORY; i++) own[i] = 0.0;
}

/* Two steps of kick, drift, kick: the energy equation as it is for the slabs of the papers. */
static bool plain_kicks(const vv_model *m)
{
  return vv_is(vv_sub(vv_sub(m->root, "time"), "step"), "kicks", "plain");
}

static vv_status prepare(struct vv_step *s)
{
  variational_work *w = VVI_ARENA_NEW(s->arena, variational_work, 1);
  if (w == NULL) return VV_NOMEM;
  s->own = w;
  VV_TRY(vvi_kdk_prepare(s, &w->kdk));
  w->q1 = VVI_ARENA_NEW(s->arena, double, s->state->nq);
  w->p1 = VVI_ARENA_NEW(s->arena, double, s->state->np);
  w->f1 = VVI_ARENA_NEW(s->arena, double, s->state->np);
  w->closed = VVI_ARENA_NEW(s->arena, double, s->model->pairs->n + 1);
  if (w->q1 == NULL || w->p1 == NULL || w->f1 == NULL || w->closed == NULL) return VV_NOMEM;
  w->outer = plain_kicks(s->model) ? 0.5 : golden;
  w->slab.kinetic = NAN;
  s->energy = "slab";
  s->exact = vvi_variational_weight(s->model) > 0.0;
  return VV_OK;
}

double vvi_variational_weight(const vv_model *m)
{
  return vv_number(vv_sub(vv_sub(m->root, "time"), "step"), "variational");
}

/* ---- energies of a slab ---- */

static void springs_at(const struct vv_step *s, const double *q, double *closed)
{
  for (int i = 0; i < s->model->pairs->n; i++) closed[i] = vvi_pair_gap(&s->model->pairs->pair[i], q) < 0.0;
}

static double grid_energy(const struct vv_step *s, double h)
{
  const double k = memory_of(s)[STIFFNESS], r2 = (h / s->h) * (h / s->h);
  return k > 0.0 ? 0.25 * k * (r2 - 1.0 / r2) : 0.0;
}

/* d/dh of it */
static double grid_slope(const struct vv_step *s, double h)
{
  const double k = memory_of(s)[STIFFNESS], r2 = (h / s->h) * (h / s->h);
  return k > 0.0 ? 0.5 * k * (r2 + 1.0 / r2) / h : 0.0;
}

/* kick(first h), drift(h), kick(last h) of (q, p), without books. */
typedef struct half {
  double h, first, last;
} half;

static half half_of(const struct vv_step *s, double h, int number)
{
  const double outer = ((const variational_work *)s->own)->outer;
  return (half){0.5 * h, number == 0 ? outer : 1.0 - outer, number == 0 ? 1.0 - outer : outer};
}

static void force_at(const struct vv_step *s, const double *closed, const double *q, double *f)
{
  memset(f, 0, sizeof(double) * (size_t)s->state->np);
  vvi_sys_kick(s->model, s->state->t, 1.0, q, f);
  vvi_springs_kick(s->model, closed, 1.0, q, f);
}

static void potential(const struct vv_step *s, const double *closed, const double *q, const double *p, vv_totals *out)
{
  vvi_sys_audit(s->model, q, p, out);
  out->contact = vvi_springs_energy(s->model, closed, q);
}

static void add_part(vv_totals *sum, double part, const vv_totals *at)
{
  sum->strain += part * at->strain, sum->potential += part * at->potential, sum->contact += part * at->contact;
}

/* The energies of a slab of length h: its two drifts, the potential where it is kicked, and that of the time grid in the column
 * `potential`.  f: the force at its start.                                                                   [grids 7] */
static void weigh_slab(struct vv_step *s, const double *f, double h, vv_totals *out)
{
  variational_work *w = s->own;
  const vv_state *x = s->state;
  vv_totals at;
  memcpy(w->q1, x->q, sizeof(double) * (size_t)x->nq);
  memcpy(w->p1, x->p, sizeof(double) * (size_t)x->np);
  potential(s, x->memory, x->q, x->p, &at);
  *out = at;
  out->kinetic = out->strain = out->potential = out->contact = 0.0;
  for (int i = 0; i < 2; i++) {
    const half k = half_of(s, h, i);
    add_part(out, 0.5 * k.first, &at);
    vvi_axpy(x->np, k.first * k.h, i > 0 ? w->f1 : f, w->p1);
    out->kinetic += 0.5 * vvi_drift_energy(s->model, k.h, w->q1, w->p1);
    vvi_sys_drift(s->model, k.h, w->q1, w->p1);
    springs_at(s, w->q1, w->closed);
    potential(s, w->closed, w->q1, w->p1, &at);
    add_part(out, 0.5 * k.last, &at);
    if (i > 0) break;
    force_at(s, w->closed, w->q1, w->f1);
    vvi_axpy(x->np, k.last * k.h, w->f1, w->p1);
  }
  out->potential += grid_energy(s, h);
}

/* What a slab of length h has above the target. */
static double excess(struct vv_step *s, const double *f, double h)
{
  vv_totals sum;
  weigh_slab(s, f, h, &sum);
  return vv_totals_energy(&sum) - memory_of(s)[TARGET];
}

/* J: what the weight of the grid is counted in: the energy of the start, or the weight of all bodies times their size. */
static double reference(const struct vv_step *s, const double *f)
{
  vv_totals sum;
  vvi_sys_audit(s->model, s->state->q, s->state->p, &sum);
  const double given = sum.kinetic + sum.strain + vvi_springs_energy(s->model, s->state->memory, s->state->q);
  if (given > vvi_sys_energy_floor(s->model, s->state->q)) return given;
  vvi_sys_audit(s->model, s->state->q, f, &sum); /* forces as momenta: their sum is the weight */
  return vvi_norm3(sum.p) * s->model->length_scale;
}

/* The first slab has the length of the scene, and says what all others must have. */
static void begin(struct vv_step *s, const double *f)
{
  double *own = memory_of(s);
  vv_totals sum;
  const double ratio = s->h / s->model->stable_step;
  if (own[LENGTH] == 0.0) {
    own[STIFFNESS] = vvi_variational_weight(s->model) * reference(s, f) * ratio * ratio;
    own[LENGTH] = fabs(s->h);
  }
  weigh_slab(s, f, copysign(own[LENGTH], s->h), &sum);
  own[TARGET] = vv_totals_energy(&sum);
}

/* ---- the root ---- */

typedef struct bracket {
  double lo, hi, at_lo, at_hi; /* lengths, and the excess there */
} bracket;

/* The longest slab that is tried: what vibrates linearly is stable up to its limit, what does not needs room. */
static double most_length(const vv_model *m)
{
  const double limit = plain_kicks(m) ? 2.0 : golden_limit;
  return ((vvi_sys_claims(m) & VV_LINEAR) != 0 ? VVI_MODIFIED_LIMIT * limit : 1.0) * m->stable_step;
}

/* Looks on both sides of the last length, ever farther, for a change of sign; the nearest one is taken.  A root of more than
 * twice the last length belongs to another branch.  false: there is none within the lengths that are allowed. */
static bool enclose(struct vv_step *s, const double *f, double h0, double at, bracket *b)
{
  const double most = fmin(most_length(s->model), fmax(2.0 * h0, fabs(s->h))), least = 1e-3 * fabs(s->h),
               way = copysign(1.0, s->h);
  bracket low = {h0, h0, at, at}, high = low;
  double step = 1.02;
  for (int i = 0; i < SEARCH && (low.lo > least || high.hi < most); i++, step *= step < 1.5 ? step : 1.0) {
    if (low.lo > least) {
      low.hi = low.lo, low.at_hi = low.at_lo, low.lo = fmax(least, low.lo / step);
      low.at_lo = excess(s, f, way * low.lo);
      if (low.at_lo * at <= 0.0) return *b = low, true;
    }
    if (high.hi < most) {
      high.lo = high.hi, high.at_lo = high.at_hi, high.hi = fmin(most, high.hi * step);
      high.at_hi = excess(s, f, way * high.hi);
      if (high.at_hi * at <= 0.0) return *b = high, true;
    }
  }
  return false;
}

/* False position, the end that stays halved. */
static double refine(struct vv_step *s, const double *f, bracket b, double enough)
{
  const double way = copysign(1.0, s->h);
  int side = 0;
  if (fabs(b.at_lo) <= enough) return b.lo;
  if (fabs(b.at_hi) <= enough) return b.hi;
  for (int i = 0; i < REFINE && b.hi - b.lo > 2e-16 * b.hi; i++) {
    double mid = b.at_hi != b.at_lo ? b.lo - b.at_lo * (b.hi - b.lo) / (b.at_hi - b.at_lo) : b.lo;
    if (!(mid > b.lo && mid < b.hi) || i % 8 == 7) mid = 0.5 * (b.lo + b.hi);
    const double now = excess(s, f, way * mid);
    if (fabs(now) <= enough) return mid;
    if ((now < 0.0) == (b.at_lo < 0.0)) {
      b.lo = mid, b.at_lo = now, b.at_hi *= side == 1 ? 0.5 : 1.0, side = 1;
    } else {
      b.hi = mid, b.at_hi = now, b.at_lo *= side == -1 ? 0.5 : 1.0, side = -1;
    }
  }
  return 0.5 * (b.lo + b.hi);
}

/* The length of the coming slab, with the sign of the run; *solved: its energy is that of the others.  Else it is as long as
 * the last one.                                                                                               [grids 8] */
static double length_of(struct vv_step *s, const double *f, bool *solved)
{
  const double h0 = memory_of(s)[LENGTH], enough = 4e-16 * (fabs(memory_of(s)[TARGET]) + s->ledger->energy_scale);
  const double at = excess(s, f, copysign(h0, s->h));
  bracket b;
  *solved = true;
  if (fabs(at) <= enough) return copysign(h0, s->h); /* in free flight any length will do */
  *solved = enclose(s, f, h0, at, &b);
  return copysign(*solved ? refine(s, f, b, 0.25 * enough) : h0, s->h);
}

/* ---- the step ---- */

/* The two drifts of the slab on a copy, for the variation of its length. */
static void try_slab(struct vv_step *s, double h)
{
  variational_work *w = s->own;
  vv_state *x = s->state;
  const int n = s->model->pairs->n;
  memcpy(w->q1, x->q, sizeof(double) * (size_t)x->nq);
  memcpy(w->p1, x->p, sizeof(double) * (size_t)x->np);
  memcpy(w->closed, x->memory, sizeof(double) * (size_t)n);
  vvi_variation_try_pair(s, grid_slope(s, h));
  for (int i = 0; i < 2; i++) {
    const half k = half_of(s, h, i);
    s->vary->kick0 = k.first, s->vary->kick1 = k.last;
    force_at(s, x->memory, x->q, w->f1);
    vvi_variation_slab_begin(s, w->f1);
    vvi_axpy(x->np, k.first * k.h, w->f1, x->p);
    vvi_sys_drift(s->model, k.h, x->q, x->p);
    springs_at(s, x->q, x->memory);
    force_at(s, x->memory, x->q, w->f1);
    vvi_variation_slab_end(s, k.h, x->p, w->f1);
    vvi_axpy(x->np, k.last * k.h, w->f1, x->p);
  }
  memcpy(x->q, w->q1, sizeof(double) * (size_t)x->nq);
  memcpy(x->p, w->p1, sizeof(double) * (size_t)x->np);
  memcpy(x->memory, w->closed, sizeof(double) * (size_t)n);
  vvi_variation_take_pair(s);
}

static bool varies(const struct vv_step *s)
{
  return s->vary != NULL && !s->vary->over;
}

/* Variations have no derivative where a slab has no root, or the energy changes from outside. */
static void vary(struct vv_step *s, bool first, bool solved, double t, double h)
{
  if (!varies(s)) return;
  if (!solved || (first && s->vary->timed))
    vvi_variation_stop(s, t);
  else if (first)
    vvi_variation_to_grid(s);
  else
    try_slab(s, h);
}

static void take_half(struct vv_step *s, double t, half k)
{
  variational_work *w = s->own;
  if (varies(s)) {
    s->vary->kick0 = k.first, s->vary->kick1 = k.last;
    vvi_variation_slab_begin(s, vvi_kdk_force(s, &w->kdk, t));
  }
  vvi_kdk_kick(s, &w->kdk, t, k.first * k.h);
  vvi_kdk_book(s, t, k.first * k.h);
  vvi_kdk_drift(s, &w->kdk, t, k.h);
  vvi_kdk_book(s, t + k.h, k.last * k.h);
  if (varies(s)) vvi_variation_slab_end(s, k.h, s->state->p, vvi_kdk_force(s, &w->kdk, t + k.h));
  vvi_kdk_kick(s, &w->kdk, t + k.h, k.last * k.h);
}

static double slab(struct vv_step *s, double t)
{
  variational_work *w = s->own;
  double *own = memory_of(s);
  const double *f = vvi_kdk_force(s, &w->kdk, t);
  const bool first = own[STARTED] == 0.0;
  bool solved = true;
  if (first) begin(s, f);
  own[STARTED] = 1.0;
  const double h = first ? copysign(own[LENGTH], s->h) : length_of(s, f, &solved);
  weigh_slab(s, f, h, &w->slab);
  if (!solved) s->ledger->fallbacks++, own[TARGET] = vv_totals_energy(&w->slab); /* told by the closure */
  vary(s, first, solved, t, h);
  for (int i = 0; i < 2; i++) take_half(s, t + 0.5 * i * h, half_of(s, h, i));
  if (first && varies(s)) vvi_variation_first_pair(s);
  own[LENGTH] = fabs(h);
  own[SHORTEST] = own[SHORTEST] > 0.0 ? fmin(own[SHORTEST], fabs(h)) : fabs(h);
  own[LONGEST] = fmax(own[LONGEST], fabs(h));
  own[SLABS] += 1.0;
  vvi_ledger_note(s->ledger, vv_totals_energy(&w->slab));
  return h;
}

static vv_status too_many(const struct vv_step *s, vv_report *r)
{
  r->reason = VV_REASON_NOT_CONVERGED;
  snprintf(r->message, sizeof r->message,
           "t = %.9g: the energy equation asks for more than %d slabs in one step of %.3g; give 'variational' a "
           "larger weight",
           s->state->t, MOST_SLABS, fabs(s->h));
  return VV_OK;
}

/* All slabs that begin before the end of the counted step. */
static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  for (int64_t k = 0; k < n && r->reason == VV_REASON_DONE; k++) {
    vv_state *x = s->state;
    const double way = copysign(1.0, s->h), end = ((double)x->step + way) * fabs(s->h);
    double t = x->t;
    int slabs = 0;
    for (; way * (end - t) > 1e-9 * fabs(s->h) && slabs < MOST_SLABS; slabs++) {
      t += slab(s, t);
      x->t = t;
    }
    if (slabs == MOST_SLABS) return too_many(s, r);
    vvi_step_done_at(s, t);
    if (s->vary != NULL && !s->vary->over && slabs > 0) vvi_variation_step_end(s);
    vvi_note_gaps(s);
  }
  return VV_OK;
}

/* The energy of the last slab; before the first one that of the slab to come. */
static void audit(struct vv_step *s, vv_totals *sum)
{
  variational_work *w = s->own;
  vv_totals energy = w->slab;
  if (memory_of(s)[STARTED] == 0.0 || isnan(w->slab.kinetic)) {
    const double *f = vvi_kdk_force(s, &w->kdk, s->state->t);
    double *own = memory_of(s);
    if (own[STARTED] == 0.0) begin(s, f);
    weigh_slab(s, f, copysign(own[LENGTH], s->h), &energy);
  }
  sum->kinetic = energy.kinetic, sum->strain = energy.strain;
  sum->potential = energy.potential, sum->contact = energy.contact;
}

/* What acts from outside brings energy: the slabs behind it have that of the first of them. */
static void forget(struct vv_step *s)
{
  variational_work *w = s->own;
  memory_of(s)[STARTED] = 0.0;
  vvi_kdk_forget(s, &w->kdk);
}

bool vvi_variational_lengths(const vv_model *m, const vv_state *x, double *shortest, double *longest, int64_t *slabs)
{
  if (m->stepper != &vv_variational_stepper) return false;
  const double *own = x->memory + VVI_PAIR_MEMORY * m->pairs->n;
  *shortest = own[SHORTEST], *longest = own[LONGEST], *slabs = (int64_t)own[SLABS];
  return true;
}

const vv_stepper_kind vv_variational_stepper = {
    .name = "variational",
    .doc = "kick, drift, kick, of lengths that the discrete energy equation chooses",
    .claims = VV_EXPLICIT | VV_SYMPLECTIC | VV_KEEPS_MOMENTUM | VV_KEEPS_ENERGY | VV_REVERSIBLE,
    .memory = memory,
    .start = start,
    .prepare = prepare,
    .audit = audit,
    .step = step,
    .forget = forget,
};
