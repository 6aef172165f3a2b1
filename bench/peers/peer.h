/* bench/peers/peer.h  What every driver of another engine answers.  One line per question:
 *
 *   PROGRAM rod SETTING DT STEPS SHAPE   ->  final and largest relative error of the kinetic energy, ns per step
 *   PROGRAM free SETTING N DT STEPS      ->  ns per body and step, no contact, no gravity
 *   PROGRAM pile SETTING N DT STEPS      ->  ns per body and step at rest, drift of the highest box in that time (m)
 *
 * rod: box 1 x 0.05 x 0.05 m, 1 kg, in a closed room of 2 m; v = (1, 0.7, 0.4), w = (1, 2, 0.5), no gravity, friction or
 * damping, restitution 1, no sleeping.  ball: of radius 0.1 instead.  pile: k^3 unit boxes of 1 kg in k x k columns, 1.5 m
 * apart, on a plane, friction 0.5, restitution 0, settled for 2 s before the clock starts. */
#pragma once
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int cube_root(int n)
{
  int k = 1;
  while (k * k * k < n) k++;
  return k;
}

/* Runs and prints: `energy` is asked every `look` steps. */
typedef void step_fn(void *world, double dt);
typedef double value_fn(void *world);

static void run_rod(void *world, step_fn *step, value_fn *energy, double dt, long steps)
{
  const double first = energy(world);
  double worst = 0.0, last = 0.0, wall = 0.0;
  for (long i = 0; i < steps; i += 10) {
    const double start = seconds();
    for (int k = 0; k < 10; k++) step(world, dt);
    wall += seconds() - start;
    last = energy(world) / first - 1.0;
    if (!(fabs(last) <= worst)) worst = fabs(last);
  }
  printf("%.3g %.3g %.0f\n", last, worst, 1e9 * wall / (double)steps);
}

static void run_pile(void *world, step_fn *step, value_fn *height, double dt, long steps, int bodies, int settle)
{
  for (int i = 0; i < settle; i++) step(world, dt);
  const double before = height(world), start = seconds();
  for (long i = 0; i < steps; i++) step(world, dt);
  const double wall = seconds() - start;
  printf("%.0f %.3g\n", 1e9 * wall / ((double)steps * bodies), fabs(height(world) - before));
}
