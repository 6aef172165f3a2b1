/* tests/geom/test_hull.c  Convex hulls: every point inside every face, Euler's formula, known counts, bad input by name. */
#include "shapes.h"

static void check_hull(const vvi_polyhedron *p, int n, const double *x, double tolerance)
{
  assert_int_equal(p->vertices - p->edges + p->faces, 2);
  assert_int_equal(p->first[p->faces], 2 * p->edges);
  for (int f = 0; f < p->faces; f++) {
    const double *plane = p->plane + 4 * f;
    check_near(vvi_norm3(plane), 1.0, 1e-15);
    for (int v = 0; v < n; v++) check_most(vvi_dot3(plane, x + 3 * v) - plane[3], tolerance);
    const int first = p->first[f], m = p->first[f + 1] - first;
    for (int i = 0; i < m; i++) { /* in the plane, convex, counterclockwise */
      const double *a = p->vertex + 3 * p->loop[first + i], *b = p->vertex + 3 * p->loop[first + (i + 1) % m],
                   *c = p->vertex + 3 * p->loop[first + (i + 2) % m];
      double u[3], v[3], w[3];
      for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - b[k];
      vvi_cross3(u, v, w);
      check_near(vvi_dot3(plane, a), plane[3], tolerance);
      check_least(vvi_dot3(w, plane), 0.0);
    }
  }
  for (int e = 0; e < p->edges; e++)
    for (int k = 0; k < 4; k++) {
      const double *v = p->vertex + 3 * p->edge[4 * e + (k & 1)], *plane = p->plane + 4 * p->edge[4 * e + 2 + (k >> 1)];
      check_near(vvi_dot3(plane, v), plane[3], tolerance);
    }
}

static void test_random_points(void **state)
{
  (void)state;
  uint64_t seed = 3;
  for (int k = 0; k < 300; k++) {
    vvi_arena arena = {0};
    double x[3 * 120];
    char why[VVI_WHY];
    const int n = 4 + k % 117;
    vvi_part part = {.density = 1.0};
    const bool sphere = k % 3 == 0;
    for (int i = 0; i < n; i++) {
      random_direction(&seed, x + 3 * i);
      for (int c = 0; c < 3; c++) x[3 * i + c] *= sphere ? 1.0 : noise(&seed);
      if (k % 3 == 1) x[3 * i + 2] *= 1e-3;
    }
    if (!vvi_part_hull(&arena, &part, n, x, why)) fail_msg("%d: %s", k, why);
    check_hull(part.polyhedron, n, x, 1e-11);
    if (sphere) assert_int_equal(part.polyhedron->vertices, n); /* every point of a sphere is a corner */
    vvi_arena_free(&arena);
  }
}

/* Points on a grid: flat faces full of points, edges full of points; in any position. */
static void test_grid_is_a_block(void **state)
{
  (void)state;
  uint64_t seed = 5;
  for (int k = 0; k < 50; k++) {
    vvi_arena arena = {0};
    double x[3 * 125], turn[9];
    char why[VVI_WHY];
    int n = 0;
    random_turn(&seed, turn);
    for (int i = 0; i < 125; i++, n++) {
      const double y[3] = {0.3 * (i % 5), 0.2 * (i / 5 % 5), 0.1 * (i / 25)};
      for (int c = 0; c < 3; c++) x[3 * n + c] = k == 0 ? y[c] : vvi_dot3(turn + 3 * c, y) + k;
    }
    vvi_part part = {.density = 1.0};
    if (!vvi_part_hull(&arena, &part, n, x, why)) fail_msg("%d: %s", k, why);
    assert_int_equal(part.polyhedron->vertices, 8);
    assert_int_equal(part.polyhedron->faces, 6);
    assert_int_equal(part.polyhedron->edges, 12);
    check_hull(part.polyhedron, n, x, 1e-11);
    vvi_arena_free(&arena);
  }
}

/* A prism with many corners: its ends are one face each. */
static void test_prism(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  double x[2 * 40 * 3];
  char why[VVI_WHY];
  for (int i = 0; i < 80; i++) {
    x[3 * i] = cos(2.0 * VV_PI * (i % 40) / 40.0), x[3 * i + 1] = sin(2.0 * VV_PI * (i % 40) / 40.0);
    x[3 * i + 2] = i < 40 ? -1.0 : 1.0;
  }
  vvi_part part = {.density = 1.0};
  if (!vvi_part_hull(&arena, &part, 80, x, why)) fail_msg("%s", why);
  assert_int_equal(part.polyhedron->vertices, 80);
  assert_int_equal(part.polyhedron->faces, 42);
  check_hull(part.polyhedron, 80, x, 1e-12);
  vvi_arena_free(&arena);
}

static void refused(int n, const double *x, const char *word)
{
  vvi_arena arena = {0};
  char why[VVI_WHY];
  vvi_part part = {.density = 1.0};
  assert_false(vvi_part_hull(&arena, &part, n, x, why));
  if (!strstr(why, word)) fail_msg("'%s' does not say '%s'", why, word);
  vvi_arena_free(&arena);
}

static void test_bad_points_are_refused(void **state)
{
  (void)state;
  const double flat[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 0},
               line[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
  const double same[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, bad[12] = {0, 0, 0, 1, 0, 0, NAN, 1, 0, 0, 0, 1};
  refused(3, flat, "at least 4");
  refused(5, flat, "in a plane");
  refused(4, line, "on a line");
  refused(4, same, "one point");
  refused(4, bad, "point 3");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_points),
      cmocka_unit_test(test_grid_is_a_block),
      cmocka_unit_test(test_prism),
      cmocka_unit_test(test_bad_points_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
