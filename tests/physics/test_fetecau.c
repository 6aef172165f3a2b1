/* tests/physics/test_fetecau.c  The slab jump on a body of two masses is the collision integrator of Fetecau, Marsden, Ortiz and
 * West (2003): what the papers of 2016 (remark 3) and 2017 (section 3) say that theirs comes to where there is no space. */
#include "check.h"
#include "run.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 1024 };

/* Two masses m and a spring k on a line; the second may not go beyond x = 0 (gap: -q1).  Trapezoidal discrete Lagrangian,
 *   L_d(q, q', h) = h (m |v|^2/2 - (V(q) + V(q'))/2),   v = (q' - q)/h,   E_d = m |v|^2/2 + (V(q) + V(q'))/2.            [2003] */
typedef struct masses {
  double m, k, q[2], p[2];
} masses;

static double potential(const masses *s, const double q[2])
{
  return 0.5 * s->k * (q[1] - q[0]) * (q[1] - q[0]);
}

static void half_kick(const masses *s, double h, const double q[2], double p[2])
{
  const double f = s->k * (q[1] - q[0]);
  p[0] += 0.5 * h * f, p[1] -= 0.5 * h * f;
}

/* One slab of length h from (q, p): end, momenta at its end, energy. */
static double slab(const masses *s, double h, const double q[2], const double p[2], double q1[2], double p1[2])
{
  double half[2] = {p[0], p[1]};
  half_kick(s, h, q, half);
  for (int i = 0; i < 2; i++) q1[i] = q[i] + h * half[i] / s->m, p1[i] = half[i];
  half_kick(s, h, q1, p1);
  return (half[0] * half[0] + half[1] * half[1]) / (2.0 * s->m) + 0.5 * (potential(s, q) + potential(s, q1));
}

/* The part of a step h after which the second mass is at the wall: of (q1 + t (p1 + t f/2)/m), the smaller positive root. */
static double contact_time(const masses *s, double h)
{
  const double f = -s->k * (s->q[1] - s->q[0]), a = 0.5 * f / s->m, b = s->p[1] / s->m, c = s->q[1];
  if (fabs(a) < 1e-300) return b > 0.0 && -c / b < h ? -c / b : INFINITY;
  const double d = b * b - 4.0 * a * c;
  if (d < 0.0) return INFINITY;
  const double w = -0.5 * (b + copysign(sqrt(d), b)), t1 = w / a, t2 = c / w;
  const double low = fmin(t1, t2), high = fmax(t1, t2);
  return low > 1e-14 ? low : high > 1e-14 ? high : INFINITY;
}

/* The impulse at the contact that gives the slab behind it the energy of the slab before: a quadratic in it. */
static double impulse(const masses *s, double rest, const double q[2], const double p[2], double energy)
{
  double q1[2], p1[2], e[3];
  for (int i = 0; i < 3; i++) { /* E is quadratic in r: three values */
    const double tried[2] = {p[0], p[1] - i};
    e[i] = slab(s, rest, q, tried, q1, p1) - energy;
  }
  const double a = 0.5 * (e[2] - 2.0 * e[1] + e[0]), b = e[1] - e[0] - a, d = b * b - 4.0 * a * e[0];
  return d < 0.0 ? NAN : (-b + sqrt(d)) / (2.0 * a); /* the larger: it leaves the wall */
}

static int step(masses *s, double h)
{
  double left = h, q1[2], p1[2];
  int impacts = 0;
  for (double t; left > 0.0 && (t = contact_time(s, left)) < left; left -= t, impacts++) {
    const double energy = slab(s, t, s->q, s->p, q1, p1), r = impulse(s, left - t, q1, p1, energy);
    for (int i = 0; i < 2; i++) s->q[i] = q1[i], s->p[i] = p1[i];
    s->q[1] = 0.0, s->p[1] -= r;
  }
  slab(s, left, s->q, s->p, q1, p1);
  for (int i = 0; i < 2; i++) s->q[i] = q1[i], s->p[i] = p1[i];
  return impacts;
}

static void one_element_is_theirs(void **state)
{
  (void)state;
  const double h = 0.05, density = 2.0, young = 3.0, speed = 0.7, off = 0.137;
  char text[TEXT];
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: event, jump: slab}\nbodies:\n"
           "  pair: {kind: bar, length: 1, elements: 1, tips: {first: lumped, last: lumped}, material: {young: %g, "
           "density: %g}, "
           "section: {area: 1}, position: %.17g, velocity: %g}\n"
           "  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: 0}}}\n",
           60.5 * h, h, young, density, -1.0 - off, speed);
  masses s = {.m = 0.5 * density, .k = young, .q = {-off, -off}, .p = {0.5 * density * speed, 0.5 * density * speed}};
  int impacts = 0;
  for (int i = 0; i < 60; i++) impacts += step(&s, h);
  assert_true(impacts >= 2);
  run_record r = run_scene(text, NULL);
  assert_int_equal(run_ledger(&r)->impacts, impacts);
  for (int i = 0; i < 2; i++) { /* q of a bar: displacements */
    check_near(r.state->q[i] - off, s.q[i], 1e-12);
    check_near(r.state->p[i], s.p[i], 1e-12);
  }
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_element_is_theirs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
