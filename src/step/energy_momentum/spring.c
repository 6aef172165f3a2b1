/* step/energy_momentum/spring.c  What a spring of a contact presses with, stores and loses.
 *
 * With e = 1 it is V = k/2 <d>^2 of the depth d = -g.  With e < 1 it is the law of Walton and Braun (1986): it is loaded along k d,
 * and gives back along the steeper line that returns the share e^2 of what it took,
 *   p(d) = k/e^2 (d - l) for l <= d <= D,   k d beyond,   l = (1 - e^2) D,                                        [em 29]
 * D the depth it has been to.  In a step D is that of its start, p grows with d, and [em 9] is the mean of p over the way:
 * what it does to the energy is exact for any step.  Beyond D the share 1 - e^2 is lost,
 *   lost = (1 - e^2) k/2 (d^2 - D^2) >= 0,   stored V = k/(2 e^2) <d - l>^2.                                     [em 30]
 * Where a spring has given back all and is drawn on, its dent follows: l = max(d, 0), D = l/(1 - e^2).  It presses with nothing
 * before and after, so that nothing is given or taken; a body that hops within its dent loses in every hop. */
#include "step/energy_momentum/frames.h"

/* p = -(V1 - V0)/(g1 - g0) of a spring without losses, without cancellation, and minus its derivative by g1      [em 9, 10] */
static double pressure(double k, double g0, double g1, double *fall)
{
  *fall = 0.0;
  if (g0 >= 0.0 && g1 >= 0.0) return 0.0;
  if (g0 < 0.0 && g1 < 0.0) {
    *fall = 0.5 * k;
    return -0.5 * k * (g0 + g1);
  }
  const double d = g1 - g0;
  if (g1 < 0.0) { /* it closes: g1^2/(g0 - g1) */
    *fall = 0.5 * k * g1 * (g1 - 2.0 * g0) / (d * d);
    return -0.5 * k * g1 * g1 / d;
  }
  *fall = 0.5 * k * g0 * g0 / (d * d);
  return 0.5 * k * g0 * g0 / d;
}

static double steeper(const vvi_rule *law)
{
  return law->stiffness / (law->restitution * law->restitution);
}

static double lost_share(const vvi_rule *law)
{
  return (1.0 - law->restitution) * (1.0 + law->restitution);
}

/* The mean over both parts of the way: up to D, which the start is never beyond, and from there on; positive terms. */
double vvi_em_spring_pressure(const vvi_em_contact *c, double *fall)
{
  const double k = c->law->stiffness, deep = c->deep, g0 = c->spring0, g1 = c->spring1;
  const double steep = steeper(c->law), dent = lost_share(c->law) * deep;
  if (c->law->restitution == 1.0) return pressure(k, g0, g1, fall);
  if (-g1 <= deep) return pressure(steep, g0 + dent, g1 + dent, fall);
  const double way = g0 - g1, within = (g0 + deep) / way, beyond = (-g1 - deep) / way;
  const double up = pressure(steep, g0 + dent, dent - deep, fall);
  *fall = (within * (-k * g1 - up) + 0.5 * beyond * k * (-g1 - deep)) / way;
  return within * up + 0.5 * beyond * k * (deep - g1);
}

double vvi_em_spring_stored(const vvi_rule *law, double gap, double deep)
{
  const bool gives = law->restitution < 1.0;
  const double press = gives ? fmin(gap + lost_share(law) * deep, 0.0) : fmin(gap, 0.0);
  return 0.5 * (gives ? steeper(law) : law->stiffness) * press * press;
}

double vvi_em_spring_lost(const vvi_em_contact *c)
{
  const double depth = -c->spring1;
  if (!(c->law->stiffness > 0.0) || !(c->law->restitution < 1.0) || !(depth > c->deep)) return 0.0;
  return 0.5 * lost_share(c->law) * c->law->stiffness * (depth - c->deep) * (depth + c->deep);
}

double vvi_em_spring_deep(const vvi_em_contact *c)
{
  if (!(c->law->restitution < 1.0)) return 0.0;
  const double depth = fmax(-c->spring1, 0.0), dent = lost_share(c->law) * c->deep;
  return depth > c->deep ? depth : depth < dent ? depth / lost_share(c->law) : c->deep;
}

double vvi_em_spring_energy(const vvi_em_rigid *w)
{
  double sum = 0.0;
  for (int32_t i = 0; w->slot != NULL && i < w->slots; i++) {
    const vvi_em_slot *s = &w->slot[i];
    if (s->used != 0.0 && s->gap < 0.0) sum += vvi_em_spring_stored(&w->law[(int32_t)s->law], s->gap, s->deep);
  }
  return sum;
}
