/* validation/earlier2017.c  Methods that the 2017 paper compares itself with in words, on its two equal bars.
 *
 *   Hughes, Taylor, Sackman, Curnier, Kanoknukulchai 1976   Newmark 1/4, 1/2; impact and release by wave impedances
 *   Carpenter, Taylor, Katona 1991                          central differences; multipliers that close the gap at the new step
 *   Taylor, Papadopoulos 1993                               Newmark 1/4, 1/2; velocities and accelerations of a pair joined
 * Written here from their ideas, for bars in a row alone; masses lumped, 50 elements each, the paper's step.  A chain of nodes:
 * left bar, right bar; while they are joined the two tips are one node. */
#include "demoures2017.h"

#include <math.h>
#include <string.h>

enum { EACH = 51, NODES = 2 * EACH, TIP = EACH - 1, METHODS = 3 };

typedef struct chain {
  double u[NODES], v[NODES], a[NODES], m[NODES];
  double gap, h, k;
  bool joined;
} chain;

static chain start(void)
{
  chain c = {.gap = 0.02, .h = 0.015, .k = 5};
  for (int i = 0; i < NODES; i++) {
    c.m[i] = 0.2 * (i == 0 || i == TIP || i == TIP + 1 || i == NODES - 1 ? 0.5 : 1);
    c.v[i] = i <= TIP ? 0.1 : -0.1;
  }
  return c;
}

/* Forces of the springs; none between the tips. */
static void forces(const chain *c, const double *u, double *f)
{
  memset(f, 0, sizeof(double) * NODES);
  for (int i = 0; i + 1 < NODES; i++) {
    if (i == TIP) continue;
    const double n = c->k * (u[i + 1] - u[i]);
    f[i] += n, f[i + 1] -= n;
  }
}

static double gap_of(const chain *c)
{
  return c->gap + c->u[TIP + 1] - c->u[TIP];
}

static double energy_of(const chain *c)
{
  double sum = 0;
  for (int i = 0; i < NODES; i++) sum += 0.5 * c->m[i] * c->v[i] * c->v[i];
  for (int i = 0; i + 1 < NODES; i++)
    if (i != TIP) sum += 0.5 * c->k * pow(c->u[i + 1] - c->u[i], 2);
  return sum;
}

/* (M + h^2/4 K) a = f(u + h v + h^2/4 a_old): the trapezoid rule, tridiagonal; joined tips have one acceleration. */
static void trapezoid(chain *c)
{
  double at[NODES], f[NODES], d[NODES], e[NODES], r[NODES];
  const double w = 0.25 * c->h * c->h;
  int n = 0, of[NODES];
  for (int i = 0; i < NODES; i++) at[i] = c->u[i] + c->h * c->v[i] + w * c->a[i];
  forces(c, at, f);
  for (int i = 0; i < NODES; i++) {
    of[i] = c->joined && i > TIP ? i - 1 : i;
    n = of[i] + 1;
  }
  memset(d, 0, sizeof d), memset(e, 0, sizeof e), memset(r, 0, sizeof r);
  for (int i = 0; i < NODES; i++) d[of[i]] += c->m[i], r[of[i]] += f[i];
  for (int i = 0; i + 1 < NODES; i++)
    if (i != TIP) d[of[i]] += w * c->k, d[of[i + 1]] += w * c->k, e[of[i]] -= w * c->k;
  for (int i = 1; i < n; i++) {
    const double q = e[i - 1] / d[i - 1];
    d[i] -= q * e[i - 1], r[i] -= q * r[i - 1];
  }
  for (int i = n - 1; i >= 0; i--) r[i] = (r[i] - (i + 1 < n ? e[i] * r[i + 1] : 0)) / d[i];
  for (int i = 0; i < NODES; i++) {
    const double a = r[of[i]];
    c->u[i] = at[i] + w * a;
    c->v[i] += 0.5 * c->h * (c->a[i] + a);
    c->a[i] = a;
  }
}

/* The force that holds joined tips together, > 0: it pushes. */
static double pressure(const chain *c)
{
  double f[NODES];
  forces(c, c->u, f);
  return c->m[TIP] * -c->a[TIP] + f[TIP];
}

/* waves: velocities after impact and release by impedances (1 each); else by the momentum of the two tips. */
static void newmark(chain *c, bool waves)
{
  trapezoid(c);
  if (!c->joined && gap_of(c) < 0) {
    const double v = 0.5 * (c->v[TIP] + c->v[TIP + 1]), middle = 0.5 * gap_of(c);
    c->u[TIP] += middle, c->u[TIP + 1] -= middle;
    const double a = 0.5 * (c->a[TIP] + c->a[TIP + 1]);
    c->v[TIP] = c->v[TIP + 1] = v, c->a[TIP] = c->a[TIP + 1] = a, c->joined = true;
  } else if (c->joined && pressure(c) < 0) {
    const double jump = waves ? pressure(c) : 0; /* a free end moves by N/impedance more */
    c->joined = false;
    c->v[TIP] += jump, c->v[TIP + 1] -= jump;
  }
}

/* Central differences; the multiplier makes the gap of the new step zero if it would be negative, and only pushes. */
static void carpenter(chain *c)
{
  double f[NODES], was[NODES];
  forces(c, c->u, f);
  memcpy(was, c->u, sizeof was);
  for (int i = 0; i < NODES; i++) c->u[i] += c->h * (c->v[i] + c->h / c->m[i] * f[i]); /* v: of the half step before */
  const double gap = gap_of(c);
  c->joined = gap < 0;
  if (gap < 0) { /* equal masses: half each */
    c->u[TIP] += 0.5 * gap, c->u[TIP + 1] -= 0.5 * gap;
  }
  for (int i = 0; i < NODES; i++) c->v[i] = (c->u[i] - was[i]) / c->h;
}

typedef struct outcome {
  double energy, release, rms,
      after; /* relative change of the energy; s; in half closing speeds; mean velocity of the left */
} outcome;

static outcome follow(int method)
{
  chain c = start();
  const double first = energy_of(&c);
  outcome o = {.release = NAN};
  double sum = 0, momentum = 0, mass = 0;
  int n = 0;
  for (int step = 1; step <= 2666; step++) {
    const double t = step * c.h;
    if (method == 1)
      carpenter(&c);
    else
      newmark(&c, method == 0);
    if (c.joined) o.release = t;
    for (int k = 0; t > 1.1 && t < 19.1 && k < 2; k++, n++) sum += c.v[TIP + k] * c.v[TIP + k];
  }
  for (int i = 0; i <= TIP; i++) momentum += c.m[i] * c.v[i], mass += c.m[i];
  o.energy = energy_of(&c) / first - 1, o.rms = sqrt(sum / n) / 0.1, o.after = momentum / mass;
  return o;
}

void earlier_2017(book_chapter *c, const published_runs *runs)
{
  static const char *const id[METHODS] = {"D39", "D40", "D41"};
  static const char *const name[METHODS] = {
      "Hughes et al. 1976 on the same bars: Newmark, impact and release by wave impedances",
      "Carpenter et al. 1991: central differences, multipliers that close the gap at the new step",
      "Taylor and Papadopoulos 1993: Newmark, velocities and accelerations of the tips joined"};
  for (int i = 0; i < METHODS; i++) {
    const outcome o = follow(i);
    book_claim claim = {
        .id = id[i],
        .text = name[i],
        .published = "compared in words (4.3.2)",
        .evidence = "case 1, 50 elements, step 0.015, end 40; written in validation/earlier2017.c from their ideas; "
                    "integrators 1 and 2 in the same measures: D1, D2, D7, D8, D11, D36"};
    snprintf(
        claim.measured, sizeof claim.measured,
        "energy %s at the end, last contact at %s (exact %s), tip velocity rms %s of half the closing speed while in "
        "contact, left bar leaves with %s (exact -0.1)",
        book_percent(o.energy).s, book_fixed(o.release, 2).s, book_fixed(wave_release(&runs->wave[0]), 1).s,
        book_number(o.rms, 2).s, book_fixed(o.after, 4).s);
    book_tell(&claim);
    book_add_claim(c, &claim);
  }
}
