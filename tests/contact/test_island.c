/* tests/contact/test_island.c  The island solver against closed forms, exact loads and the law itself. */
#include "check.h"
#include "pile.h"

#include <stdlib.h>
#include <string.h>

static const double UP[3] = {0, 0, 1}, CUBE[3] = {1, 1, 1};
static const double GH = 9.81 / 240.0; /* m/s that gravity gives in a step */

static uint64_t seed;

static double chance(void) /* in (-1, 1) */
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(seed >> 11) / (double)((int64_t)1 << 52) - 1.0;
}

static void direction(double n[3])
{
  double size;
  do {
    for (int c = 0; c < 3; c++) n[c] = chance();
    size = vvi_norm3(n);
  } while (size < 0.1 || size > 1.0);
  for (int c = 0; c < 3; c++) n[c] /= size;
}

static void throw_all(pile *k, double speed)
{
  for (int m = 0; m < k->p.movers; m++) {
    for (int c = 0; c < 6; c++) k->free[m][c] = k->inverse[m][6] > 0.0 || c < 3 ? speed * chance() : 0.0;
  }
  k->p.speed = speed;
  see_free(k);
}

/* ---- one contact ---- */

/* Without friction: J = max(0, (b - Uf)/D), for a point, two points, a triangle of points against a box. */
static void one_smooth(void **state)
{
  (void)state;
  pile *k = open_pile(8, 1, 8);
  const double x[3] = {0.3, -0.2, 0.5}, o[3] = {0, 0, 0}, at[3] = {0.3, -0.2, 0.5};
  const int box = add_box(k, 2.0, o, CUBE);
  const int tri[3] = {add_point(k, 0.1, x), add_point(k, 0.2, x), add_point(k, 0.4, x)};
  const double weight[3] = {0.5, 0.3, 0.2};
  add_contact_of(k, (pile_side){1, &box, NULL}, (pile_side){3, tri, weight}, at, UP, 0.0, 0.7);
  throw_all(k, 1.0);
  vvi_island_contact *c = &k->p.contact[0];
  const double inertia = 6.0 / 2.0; /* inverse, of a cube of mass 2 */
  const double D = 0.5 + inertia * (0.2 * 0.2 + 0.3 * 0.3) + 0.25 / 0.1 + 0.09 / 0.2 + 0.04 / 0.4;
  solve_pile(k, 1);
  check_near(c->j[0], fmax(0.0, (0.7 - c->free[0]) / D), 1e-15);
  check_near(c->after[0], fmax(0.7, c->free[0]), 1e-15);
  assert_true(k->stats.converged);
  c->b[0] = c->free[0] - 0.1; /* opens faster than asked */
  solve_pile(k, 1);
  assert_true(c->j[0] == 0.0 && c->j[1] == 0.0 && c->j[2] == 0.0 && k->stats.converged);
  close_pile(k);
}

/* A ball (no coupling of n and t at its contact) that slides: J_t = -mu J_n along the slip; that sticks: all stopped. */
static void one_ball(void **state)
{
  (void)state;
  for (int rough = 0; rough < 2; rough++) {
    pile *k = open_pile(1, 1, 2);
    const double o[3] = {0, 0, 1}, foot[3] = {0, 0, 0}, mu = rough ? 2.0 : 0.05;
    const int ball = add_box(k, 1.5, o, CUBE);
    add_contact(k, -1, ball, foot, UP, mu, 0.0);
    k->free[0][0] = 3.0, k->free[0][1] = 4.0, k->free[0][2] = -6.0;
    see_free(k);
    k->p.speed = 6.0;
    solve_pile(k, 1);
    const vvi_island_contact *c = &k->p.contact[0];
    check_near(c->j[0], 1.5 * 6.0, 1e-14);
    const double rub = sqrt(c->j[1] * c->j[1] + c->j[2] * c->j[2]), at = 1 / 1.5 + 6.0 / 1.5;
    check_near(rub, rough ? 5.0 / at : mu * c->j[0], 1e-13);
    check_most(off_law(k), tolerance_of(k));
    assert_true(k->stats.converged);
    close_pile(k);
  }
}

/* Corners of boxes with all their coupling, and features with many legs. */
static void one_of_any_kind(void **state)
{
  (void)state;
  seed = 7;
  int slid = 0;
  for (int n = 0; n < 3000; n++) {
    pile *k = open_pile(6, 1, 8);
    const double edge[3] = {1.0 + 0.9 * chance(), 1.0 + 0.9 * chance(), 1.0 + 0.9 * chance()};
    double x[3], axis[3], y[3] = {chance(), chance(), chance()};
    direction(axis);
    for (int c = 0; c < 3; c++) x[c] = 0.5 * (chance() > 0.0 ? 1 : -1) * edge[c];
    const double o[3] = {0, 0, 0};
    const int a = n % 3 == 0 ? -1 : n % 3 == 1 ? add_box(k, exp(6.0 * chance()), y, edge) : add_point(k, 1.0, y);
    const int b = add_box(k, exp(6.0 * chance()), o, edge);
    add_contact(k, a, b, x, axis, 0.75 + 0.75 * chance(), 0.5 * chance());
    throw_all(k, 2.0);
    solve_pile(k, 1);
    const vvi_island_contact *c = &k->p.contact[0];
    slid += c->j[0] > 0.0 && hypot(c->after[1], c->after[2]) > 1e-3;
    assert_true(k->stats.converged);
    check_most(off_law(k), 4.0 * tolerance_of(k));
    close_pile(k);
  }
  assert_true(slid > 300);
}

/* The same mover twice in one contact counts as one leg with both. */
static void one_mover_twice(void **state)
{
  (void)state;
  for (int many = 0; many < 2; many++) {
    pile *k = open_pile(3, 2, 8);
    const double x[3] = {0, 0, 0};
    const int p = add_point(k, 2.0, x), q = add_point(k, 3.0, x), twice[2] = {p, p}, fixed = -1;
    const double half[2] = {0.5, 0.5};
    add_contact_of(k, (pile_side){1, &fixed, NULL}, (pile_side){2, twice, half}, x, UP, 0.3, 0.0);
    if (many) add_contact(k, p, q, x, UP, 0.3, 0.0);
    let_fall(k, 1.0);
    k->free[p][0] = 0.1;
    see_free(k);
    solve_pile(k, 1);
    check_near(k->p.contact[0].j[0], many ? 5.0 : 2.0, 1e-12);
    assert_true(k->stats.converged);
    close_pile(k);
  }
}

/* A mover on a rail along x cannot give way along z: no impulse, and what closes there is told on every path: alone, swept,
 * with Newton's method, with the gradient method, with warm impulses or without. */
static void what_cannot_move(void **state)
{
  (void)state;
  static const int others[] = {0, 1, 60, 1200};
  for (int n = 0; n < 8; n++) {
    const int boxes = others[n / 2];
    const double x[3] = {0, 0, 0}, speed = n % 2 == 0 ? 1.0 : 0.0;
    pile *k = open_pile(boxes + 1, 4 * boxes + 1, 8 * boxes + 1);
    const int rail = add_point(k, 1.0, x);
    k->inverse[rail][1] = k->inverse[rail][2] = 0.0;
    if (boxes > 0) add_stack(k, boxes, 1.0, 1.0, 0.5);
    const int i = add_contact(k, -1, rail, x, UP, 0.5, 0.0);
    let_fall(k, GH);
    k->free[rail][2] = -speed;
    k->p.loose = boxes > 1000 ? 1e-3 : 0.0;
    see_free(k);
    for (int warm = 0; warm < 2; warm++) {
      k->p.contact[i].j[0] = warm;
      solve_pile(k, 1);
      check_most(fabs(k->p.contact[i].j[0]), 0.0);
      check_near(k->stats.residual, speed, speed > 0.0 ? 0.0 : k->p.loose + tolerance_of(k));
      assert_int_equal(k->stats.converged || k->stats.accepted, speed == 0.0);
    }
    close_pile(k);
  }
}

/* ---- many contacts ---- */

/* Movers of all kinds thrown together; contacts between 1 and 8 legs at random.  Contacts of one mover all look into the
 * same half space as seen from it only by chance, so some islands are jammed: b <= 0 keeps standing still admissible. */
static pile *random_island(int movers, int contacts, double ratio, double friction)
{
  pile *k = open_pile(movers, contacts, 8 * contacts);
  for (int m = 0; m < movers; m++) {
    const double x[3] = {3.0 * chance(), 3.0 * chance(), 3.0 * chance()}, mass = exp(0.5 * log(ratio) * chance());
    if (chance() > 0.0) {
      const double edge[3] = {1.0 + 0.5 * chance(), 1.0 + 0.5 * chance(), 1.0 + 0.5 * chance()};
      add_box(k, mass, x, edge);
    } else {
      add_point(k, mass, x);
    }
  }
  for (int i = 0; i < contacts; i++) {
    int side[2][4], n[2];
    double weight[2][4], x[3] = {0, 0, 0}, axis[3];
    int used[8], taken = 0;
    direction(axis);
    for (int s = 0; s < 2; s++) {
      n[s] = chance() > 0.5 ? 1 + (int)(1.5 * (1.0 + chance())) : 1;
      double sum = 0.0;
      for (int e = 0; e < n[s]; e++) {
        bool again;
        do {
          side[s][e] = (int)(0.5 * movers * (1.0 + chance()));
          again = false;
          for (int u = 0; u < taken; u++) again |= used[u] == side[s][e];
        } while (again);
        used[taken++] = side[s][e];
        weight[s][e] = 0.1 + 0.5 * (1.0 + chance()), sum += weight[s][e];
      }
      for (int e = 0; e < n[s]; e++) weight[s][e] /= sum;
    }
    if (i % 5 == 0) n[0] = 1, side[0][0] = -1, weight[0][0] = 1.0;
    for (int c = 0; c < 3; c++) {
      for (int e = 0; e < n[1]; e++) x[c] += weight[1][e] * k->place[side[1][e]][c] + 0.3 * chance() / n[1];
    }
    add_contact_of(k, (pile_side){n[0], side[0], weight[0]}, (pile_side){n[1], side[1], weight[1]}, x, axis,
                   i % 7 == 3 ? 0.0 : friction, -0.1 * (1.0 + chance()));
  }
  throw_all(k, 1.0);
  return k;
}

static void any_island(void **state)
{
  (void)state;
  static const double ratio[] = {1.0, 1e3, 1e6}, friction[] = {0.0, 0.3, 0.8};
  seed = 11;
  for (int r = 0; r < 3; r++) {
    for (int f = 0; f < 3; f++) {
      int failed = 0, solved = 0, newton = 0;
      for (int n = 0; n < 60; n++) {
        const int movers = 9 + n % 20, contacts = 2 + n;
        pile *k = random_island(movers, contacts, ratio[r], friction[f]);
        solve_pile(k, 1);
        newton += k->stats.newton, solved++;
        if (k->stats.converged) {
          check_most(off_law(k), 10.0 * tolerance_of(k));
        } else {
          failed++;
        }
        for (int i = 0; i < k->p.contacts; i++) {
          const double *j = k->p.contact[i].j;
          assert_true(j[0] >= 0.0 && hypot(j[1], j[2]) <= k->p.contact[i].friction * j[0] * (1 + 1e-14));
        }
        close_pile(k);
      }
      print_message("mass ratio %g, friction %g: %d of %d converged, %.1f iterations\n", ratio[r], friction[f],
                    solved - failed, solved, (double)newton / solved);
      /* without friction always; with much of it, between normals that look anywhere, nothing is proven */
      assert_true(failed <= (friction[f] == 0.0 ? 0 : friction[f] < 0.5 ? 3 : 15));
    }
  }
}

/* Face k of a stack carries what is above it, in equal parts. */
/* What is asked for no more than so many iterations of Newton's method makes no more, converged or not: islands of few and of many
 * contacts, that move and that jam. */
static void iterations_are_bounded(void **state)
{
  (void)state;
  static const int most[] = {1, 5, 30, 49, 60};
  seed = 23;
  int reached = 0;
  for (int n = 0; n < 60; n++) {
    pile *k = random_island(9 + n % 20, 2 + n, 1e6, 0.8);
    k->p.newton = most[n % 5];
    solve_pile(k, 1);
    assert_true(k->stats.newton <= most[n % 5]);
    assert_int_equal(k->stats.gradient, 0);
    reached += k->stats.newton == most[n % 5];
    close_pile(k);
  }
  check_least((double)reached, 10);
}

static void stacks(void **state)
{
  (void)state;
  for (int c = 0; c < 4; c++) {
    const int n = 100;
    const double top = c % 2 ? 1e6 : 1.0, mu = c < 2 ? 0.5 : 0.0;
    pile *k = open_pile(n, 4 * n, 8 * n);
    add_stack(k, n, 1.0, top, mu);
    let_fall(k, GH);
    solve_pile(k, 1);
    print_message("stack of 100, top %g, friction %g: %d iterations\n", top, mu, k->stats.newton);
    assert_true(k->stats.converged);
    assert_true(k->stats.newton <= 12);
    for (int f = 0; f < n; f++) {
      const double above = (n - 1 - f) + top;
      double sum = 0.0; /* four corners: their parts are not unique, their sum is */
      for (int i = 0; i < 4; i++) sum += k->p.contact[4 * f + i].j[0];
      check_near(sum / (above * GH), 1.0, n * tolerance_of(k) / GH);
    }
    for (int m = 0; m < n; m++) {
      for (int x = 0; x < 6; x++) check_most(fabs(k->free[m][x] + k->p.change[m][x]), n * tolerance_of(k));
    }
    solve_pile(k, 1);
    assert_true(k->stats.warm);
    close_pile(k);
  }
}

static void walls(void **state)
{
  (void)state;
  static const int size[] = {6, 10, 20};
  for (int s = 0; s < VV_COUNT(size); s++) {
    const int n = size[s];
    pile *k = open_pile(n * n, 8 * n * n, 16 * n * n);
    add_wall(k, n, n, 0.5);
    let_fall(k, GH);
    k->p.loose = 1e-5;
    int steps = 0, newton = 0, gradient = 0;
    do {
      solve_pile(k, 1);
      newton += k->stats.newton, gradient += k->stats.gradient;
      check_most(off_law(k), fmax(1e-4, tolerance_of(k)));
      assert_true(k->stats.converged || k->stats.accepted);
    } while (!k->stats.warm && ++steps < 6);
    print_message("wall %d x %d, %d contacts: at rest after %d solves, %d Newton, %d gradient\n", n, n, k->p.contacts,
                  steps, newton, gradient);
    assert_true(k->stats.warm);
    close_pile(k);
  }
}

/* A sheet of points between two heavy plates: the matrix is an arrow. */
static void press(void **state)
{
  (void)state;
  for (int rough = 0; rough < 2; rough++) {
    enum { N = 30 };
    pile *k = open_pile(N * N + 2, 2 * N * N, 4 * N * N);
    const double flat[3] = {1, 1, 0.1}, high[3] = {0, 0, 0.05}, low[3] = {0, 0, -0.05};
    const int lower = add_box(k, 35.0, low, flat), upper = add_box(k, 35.0, high, flat);
    for (int i = 0; i < N * N; i++) {
      const double x[3] = {-0.45 + 0.9 * (i % N) / (N - 1), -0.45 + 0.9 * (i / N) / (N - 1), 0};
      const int p = add_point(k, 0.08 / (N * N), x);
      add_contact(k, lower, p, x, UP, rough ? 0.3 : 0.0, 0.0);
      add_contact(k, p, upper, x, UP, rough ? 0.3 : 0.0, 0.0);
    }
    k->free[lower][2] = 1.0, k->free[upper][2] = -1.0, k->free[upper][0] = 0.2;
    k->p.speed = 1.0, k->p.loose = 1e-6;
    see_free(k);
    solve_pile(k, 1);
    print_message("press of %d points, friction %g: %d iterations\n", N * N, rough ? 0.3 : 0.0, k->stats.newton);
    assert_true(k->stats.converged);
    check_most(off_law(k), 10.0 * tolerance_of(k));
    for (int m = 0; m < 2; m++) check_near(k->free[m][2] + k->p.change[m][2], 0.0, 1e-9); /* two halves of a symmetry */
    close_pile(k);
  }
}

/* e = 1, mu = 0: b = -U-, and (V+ + V-)/2 is admissible: the energy is kept. */
static void reflections(void **state)
{
  (void)state;
  seed = 23;
  for (int n = 0; n < 60; n++) {
    pile *k = random_island(10 + n, 3 + n, n % 3 == 2 ? 1e3 : 10.0, 0.0);
    double *before = calloc((size_t)(3 * k->p.contacts), sizeof *before), scale = 0.0;
    assert_non_null(before);
    int kept = 0;
    for (int i = 0; i < k->p.contacts; i++) { /* those that close with U- are hit; the others are not there */
      vvi_island_contact *c = &k->p.contact[i];
      if (c->free[0] >= 0.0) continue;
      k->p.contact[kept] = *c;
      for (int r = 0; r < 3; r++) before[3 * kept + r] = c->free[r];
      k->p.contact[kept].friction = 0.0, k->p.contact[kept].b[0] = -c->free[0];
      kept++;
    }
    k->p.contacts = kept;
    if (kept > 0) {
      solve_pile(k, 1);
      assert_true(k->stats.converged);
      for (int i = 0; i < kept; i++) scale += k->p.contact[i].j[0] * fabs(before[3 * i]);
      check_most(fabs(work_of(k, before)), 1e-12 * scale);
    }
    free(before);
    close_pile(k);
  }
}

/* Neither the order of the contacts nor that of the movers decides more than rounding. */
static void order_decides_nothing(void **state)
{
  (void)state;
  seed = 31;
  for (int n = 0; n < 20; n++) {
    pile *k = random_island(12, 6 + n, 100.0, 0.0);
    double(*change)[6] = calloc((size_t)k->p.movers, sizeof *change);
    assert_non_null(change);
    solve_pile(k, 1);
    memcpy(change, k->p.change, sizeof *change * (size_t)k->p.movers);
    forget(k);
    for (int i = 0, last = k->p.contacts - 1; i < last; i++, last--) {
      const vvi_island_contact swap = k->p.contact[i];
      k->p.contact[i] = k->p.contact[last], k->p.contact[last] = swap;
    }
    solve_pile(k, 1);
    for (int m = 0; m < k->p.movers; m++) {
      for (int c = 0; c < 6; c++) check_near(k->p.change[m][c], change[m][c], 1e-9);
    }
    free(change);
    close_pile(k);
  }
}

static void threads_decide_nothing(void **state)
{
  (void)state;
  pile *k = open_pile(1200, 9600, 19200); /* large enough for the gradient method */
  add_wall(k, 45, 25, 0.5);
  let_fall(k, GH);
  k->p.loose = 1e-5;
  const size_t bytes = sizeof *k->p.contact * (size_t)k->p.contacts;
  vvi_island_contact *one = malloc(bytes);
  assert_non_null(one);
  solve_pile(k, 1);
  assert_true(k->stats.gradient > 0 && k->stats.accepted);
  check_most(off_law(k), 2.0 * k->p.loose);
  print_message("wall 45 x 25, %d contacts: %d iterations of the gradient method\n", k->p.contacts, k->stats.gradient);
  memcpy(one, k->p.contact, bytes);
  for (int threads = 2; threads <= 4; threads++) {
    forget(k);
    solve_pile(k, threads);
    assert_memory_equal(one, k->p.contact, bytes);
  }
  free(one);
  close_pile(k);
}

/* A rod's end in a wedge of two steep walls with large friction holds itself: sticking impulses exist. */
static void wedge(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++) {
    const double mu = s % 2 ? 1.5 : 0.2, slope = s < 2 ? 0.3 : 1.2;
    pile *k = open_pile(1, 2, 2);
    const double o[3] = {0, 0, 0.5}, a[3] = {-0.5, 0, 0}, b[3] = {0.5, 0, 0};
    const double na[3] = {sin(slope), 0, cos(slope)}, nb[3] = {-sin(slope), 0, cos(slope)};
    add_box(k, 1.0, o, CUBE);
    add_contact(k, -1, 0, a, na, mu, 0.0);
    add_contact(k, -1, 0, b, nb, mu, 0.0);
    let_fall(k, 1.0);
    k->free[0][4] = 0.3;
    see_free(k);
    solve_pile(k, 1);
    assert_true(k->stats.converged);
    check_most(off_law(k), 10.0 * tolerance_of(k));
    close_pile(k);
  }
}

/* Static friction 0.5, kinetic 0.3, a box of 1 kg on four corners, or a point on one contact, pushed along the floor by a
 * share of its weight in each step.  It holds below 0.5, slides from there on with share - 0.3, goes on sliding with 0.4 though
 * it would have held, and holds again once it has been stopped. */
static void static_and_kinetic(void **state)
{
  (void)state;
  static const double share[] = {0.2, 0.4, 0.49, 0.6, 0.4, 0.4, 0.1, 0.1, 0.1, 0.1, 0.4, 0.49};
  static const double low[2] = {-0.5, -0.5}, high[2] = {0.5, 0.5}, o[3] = {0, 0, 0}, above[3] = {0, 0, 0.05},
                      flat[3] = {1, 1, 0.1};
  for (int box = 0; box < 2; box++) {
    pile *k = open_pile(1, 4, 4);
    double v = 0.0; /* along x */
    bool slides = false;
    if (box) {
      add_box(k, 1.0, above, flat);
      add_face(k, -1, 0, low, high, 0.0, 0.5);
    } else {
      add_point(k, 1.0, o);
      add_contact(k, -1, 0, o, UP, 0.5, 0.0);
    }
    for (int i = 0; i < k->p.contacts; i++) k->p.contact[i].kinetic = 0.3;
    for (size_t n = 0; n < sizeof share / sizeof *share; n++) {
      let_fall(k, GH);
      const double push = v + share[n] * GH;
      k->free[0][0] = push;
      see_free(k);
      slides = slides ? push > 0.3 * GH : push > 0.5 * GH;
      const double expect = slides ? push - 0.3 * GH : 0.0;
      solve_pile(k, 1);
      assert_true(k->stats.converged);
      v = k->free[0][0] + k->p.change[0][0];
      check_near(v, expect, 1e-13);
      for (int i = 0; i < k->p.contacts; i++) assert_int_equal(k->p.contact[i].slides, slides);
    }
    assert_false(slides); /* it came to rest, and 0.49 does not move it */
    close_pile(k);
  }
}

/* What has no answer in numbers is told to have none: velocities that are none, or whose squares are none, masses that are nothing. */
static void no_number(void **state)
{
  (void)state;
  static const double low[2] = {-0.5, -0.5}, high[2] = {0.5, 0.5};
  for (int i = 0; i < 6; i++) {
    pile *k = open_pile(2, 8, 16);
    const double x[2][3] = {{0, 0, 0.5}, {0, 0, 1.5}};
    add_box(k, 1.0, x[0], CUBE), add_box(k, i == 5 ? 0.0 : 2.7e5, x[1], CUBE);
    add_face(k, -1, 0, low, high, 0.0, i % 2 ? 0.4 : 0.0);
    add_face(k, 0, 1, low, high, 1.0, i % 2 ? 0.4 : 0.0);
    let_fall(k, i < 2 ? NAN : i < 4 ? INFINITY : GH);
    if (i == 4) k->inverse[0][0] = k->inverse[0][1] = k->inverse[0][2] = INFINITY;
    const bool told = vvi_island_solve(k->work, &k->p, 1, &k->stats);
    double sum = 0.0;
    for (int c = 0; c < 8; c++) sum += fabs(k->p.contact[c].j[0]) + fabs(k->p.contact[c].after[0]);
    if (told != isfinite(sum) || (i < 4 && told)) fail_msg("case %d: %s, %g", i, told ? "an answer" : "none", sum);
    close_pile(k);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_number),
      cmocka_unit_test(one_smooth),
      cmocka_unit_test(one_ball),
      cmocka_unit_test(one_of_any_kind),
      cmocka_unit_test(one_mover_twice),
      cmocka_unit_test(what_cannot_move),
      cmocka_unit_test(any_island),
      cmocka_unit_test(iterations_are_bounded),
      cmocka_unit_test(stacks),
      cmocka_unit_test(walls),
      cmocka_unit_test(press),
      cmocka_unit_test(reflections),
      cmocka_unit_test(order_decides_nothing),
      cmocka_unit_test(threads_decide_nothing),
      cmocka_unit_test(wedge),
      cmocka_unit_test(static_and_kinetic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
