/* step/energy_momentum/grip.c  Normal impulse and friction of one contact together.
 *
 * With v the velocity that would be without them (what it is to be along the normal taken off) and a the inverse mass, both
 * along nu, t0, t1, sought is j with u = v + a j and                                                             [em 14]
 *   j_n >= 0, u_n = 0,  and either u_t = 0, |j_t| <= mu j_n (stick),  or j_t = mu j_n d, u_t = -|u_t| d (slide). */
#include "step/energy_momentum/frames.h"

#include "contact/friction/law.h"

typedef struct grip {
  const double *v, *a;
  double mu;
} grip;

/* Sliding with the friction in the direction of an angle: the part of u_t across it, times the positive factor `den` that
 * turns -v_n into j_n.  It has a root where the friction is opposite to the sliding; *with: u_t along it. */
static double slide(const grip *g, double angle, double j[3], double *with)
{
  const double *v = g->v, *a = g->a, d[2] = {cos(angle), sin(angle)};
  const double den = a[0] + g->mu * (a[1] * d[0] + a[2] * d[1]);
  const double s0 = v[1] * den - v[0] * (a[3] + g->mu * (a[4] * d[0] + a[5] * d[1]));
  const double s1 = v[2] * den - v[0] * (a[6] + g->mu * (a[7] * d[0] + a[8] * d[1]));
  j[0] = den > 0.0 ? -v[0] / den : -1.0;
  j[1] = g->mu * j[0] * d[0], j[2] = g->mu * j[0] * d[1];
  *with = s0 * d[0] + s1 * d[1];
  return d[0] * s1 - d[1] * s0;
}

/* The root between two angles where the sign changes. */
static void refine(const grip *g, double low, double high, double at_low, double j[3], double *with)
{
  for (int i = 0; i < 60 && high - low > 1e-16; i++) {
    const double mid = 0.5 * (low + high), at = slide(g, mid, j, with);
    if ((at < 0.0) == (at_low < 0.0))
      low = mid;
    else
      high = mid;
  }
  slide(g, 0.5 * (low + high), j, with);
}

/* The root between two angles is taken if it slides against its friction, with less impulse than one found before. */
static bool take_root(const grip *g, double low, double high, double at_low, bool found, double j[3])
{
  double with, trial[3];
  refine(g, low, high, at_low, trial, &with);
  if (!(trial[0] > 0.0 && with <= 0.0) || (found && trial[0] >= j[0])) return found;
  for (int k = 0; k < 3; k++) j[k] = trial[k];
  return true;
}

/* Two roots close together hide between angles: where the size has a least value about `middle` it is closed in on by thirds, until
 * its sign changes or there is none. */
static bool find_close(const grip *g, double middle, double step, double at, bool found, double j[3])
{
  double low = middle - step, high = middle + step, with, trial[3];
  for (int i = 0; i < 40 && high - low > 1e-8 * step;
       i++) { /* (2/3)^40 < 1e-7: below it the square of it is rounding */
    const double x = low + (high - low) / 3.0, y = high - (high - low) / 3.0, fx = slide(g, x, trial, &with),
                 fy = slide(g, y, trial, &with);
    const double root = (fx < 0.0) != (at < 0.0) ? x : y;
    if ((fx < 0.0) != (at < 0.0) || (fy < 0.0) != (at < 0.0)) {
      found = take_root(g, low, root, at, found, j);
      return take_root(g, root, high, -at, found, j);
    }
    if (fabs(fx) < fabs(fy))
      high = y;
    else
      low = x;
  }
  return found;
}

/* Of several ways to slide the one with the least impulse.  There are at most four roots: between neighbours of 64 angles, or, where
 * those show none, two about a least size. */
static bool find_slide(const grip *g, double j[3])
{
  enum { ANGLES = 64 };
  double at[ANGLES], with, trial[3];
  const double step = 2.0 * VV_PI / ANGLES;
  bool found = false;
  for (int i = 0; i < ANGLES; i++) at[i] = slide(g, step * i, trial, &with);
  for (int i = 0; i < ANGLES; i++)
    if ((at[i] < 0.0) != (at[(i + 1) % ANGLES] < 0.0)) found = take_root(g, step * i, step * (i + 1), at[i], found, j);
  for (int i = 0; i < ANGLES && !found; i++) {
    const double before = at[(i + ANGLES - 1) % ANGLES], after = at[(i + 1) % ANGLES];
    if ((before < 0.0) == (at[i] < 0.0) && (after < 0.0) == (at[i] < 0.0) &&
        fabs(at[i]) <= fmin(fabs(before), fabs(after)))
      found = find_close(g, step * i, step, at[i], found, j);
  }
  return found;
}

/* By the law of the island solver, Newton's method in the angle, to what all three directions come back with; false where it finds none. */
static bool slide_by_law(const grip *g, double j[3])
{
  const vvi_friction law = vvi_friction_coulomb(g->mu);
  const double *a = g->a, six[6] = {a[0], a[4], a[8], a[5], a[2], a[1]};
  return law.law->slide(&law, six, g->v, 4e-16 * vvi_norm3(g->v), j);
}

void vvi_em_grip(const double v[3], const double a[9], double mu, double j[3])
{
  const grip g = {.v = v, .a = a, .mu = mu};
  const double back[3] = {-v[0], -v[1], -v[2]};
  for (int k = 0; k < 3; k++) j[k] = 0.0;
  if (v[0] >= 0.0) return;
  vvi_solve33(a, back, j);
  if (j[0] > 0.0 && j[1] * j[1] + j[2] * j[2] <= mu * mu * j[0] * j[0]) return;
  if (slide_by_law(&g, j)) return;
  if (find_slide(&g, j)) return;
  for (int k = 0; k < 3; k++) j[k] = 0.0;
}
