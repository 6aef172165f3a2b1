/* tests/report/test_net.c  Shells as lines: every edge of the side that is seen once, borders always, few of very many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geom/mesh.h"
#include "report/net.h"

#include <math.h>

static vvi_net net_of(vvi_arena *arena, const vvi_mesh *m)
{
  vvi_net net;
  int64_t *triangle = VVI_ARENA_NEW(arena, int64_t, 3 * m->triangles);
  for (int i = 0; i < 3 * m->triangles; i++) triangle[i] = m->triangle[i];
  assert_int_equal(vvi_net_make(arena, m->nodes, m->triangles, triangle, &net), VV_OK);
  return net;
}

static const int views[3][3] = {
    {0, 1, 1}, {0, 2, -1}, {1, 2, 1}}; /* across, up, side of the third axis one looks from */

/* A sphere made of octants, its far half shrunk: only edges of the near half and of the equator are drawn. */
static void test_far_side_is_hidden(void **unused)
{
  (void)unused;
  for (int v = 0; v < 3; v++) {
    const int across = views[v][0], up = views[v][1], axis = 3 - across - up;
    vvi_arena arena = {0};
    vvi_mesh m;
    char why[VVI_MESH_WHY];
    int64_t n, near = 0;
    double *xy;
    assert_int_equal(vvi_mesh_sphere(&arena, VVI_MESH_OCTAHEDRON, 1, 3, 1.0, &m, why), VV_OK);
    const vvi_net net = net_of(&arena, &m);
    assert_true(net.closed);
    assert_int_equal(2 * net.edges, 3 * m.triangles);
    for (int i = 0; i < m.nodes; i++)
      if (views[v][2] * m.x[3 * i + axis] < -1e-9) m.x[3 * i + across] *= 0.9, m.x[3 * i + up] *= 0.9;
    for (int64_t e = 0; e < net.edges; e++) {
      const double a = views[v][2] * m.x[3 * net.edge[e][0] + axis], b = views[v][2] * m.x[3 * net.edge[e][1] + axis];
      near += a > -1e-9 && b > -1e-9;
    }
    assert_int_equal(vvi_net_draw(&arena, &net, m.x, across, up, &n, &xy), VV_OK);
    assert_int_equal(n, 2 * near);
    for (int64_t i = 0; i < n; i++) {
      bool known = false;
      for (int k = 0; k < m.nodes && !known; k++)
        known = views[v][2] * m.x[3 * k + axis] > -1e-9 && m.x[3 * k + across] == xy[i] && m.x[3 * k + up] == xy[n + i];
      assert_true(known);
    }
    vvi_arena_free(&arena);
  }
}

/* Lines on the border of the square with sides 2 about the origin. */
static int64_t on_border(int64_t n, const double *xy)
{
  int64_t found = 0;
  for (int64_t i = 0; i < n; i += 2)
    for (int c = 0; c < 2; c++) found += fabs(xy[c * n + i]) > 1 - 1e-9 && xy[c * n + i] == xy[c * n + i + 1];
  return found;
}

/* An open surface is seen from both sides; of a fine one the border stays. */
static void test_sheets(void **unused)
{
  (void)unused;
  static const int pieces[2] = {7, 100};
  for (int k = 0; k < 2; k++)
    for (int back = 0; back < 2; back++) {
      const int p = pieces[k];
      vvi_arena arena = {0};
      vvi_mesh m;
      char why[VVI_MESH_WHY];
      int64_t n;
      double *xy;
      assert_int_equal(vvi_mesh_rectangle(&arena, (double[2]){2, 2}, (int[2]){p, p}, &m, why), VV_OK);
      const vvi_net net = net_of(&arena, &m);
      assert_false(net.closed);
      assert_int_equal(net.edges, 2 * p * (p + 1) + p * p);
      assert_int_equal(vvi_net_draw(&arena, &net, m.x, back, 1 - back, &n, &xy), VV_OK);
      assert_int_equal(on_border(n, xy), 4 * p);
      if (p == 7) assert_int_equal(n, 2 * net.edges);
      assert_in_range(n, 200, 2 * (4000 + 4 * p));
      vvi_arena_free(&arena);
    }
}

/* A file may name anything. */
static void test_nodes_that_are_not_there(void **unused)
{
  (void)unused;
  static const int64_t triangle[] = {0, 1, 2, 1, 0, 3, -1, 0, 1, 2, 1, INT64_MAX};
  vvi_arena arena = {0};
  vvi_net net;
  assert_int_equal(vvi_net_make(&arena, 3, 4, triangle, &net), VV_OK);
  assert_int_equal(net.edges, 3);
  assert_int_equal(vvi_net_make(&arena, 4, 4, triangle, &net), VV_OK);
  assert_int_equal(net.edges, 5);
  vvi_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_far_side_is_hidden),
      cmocka_unit_test(test_sheets),
      cmocka_unit_test(test_nodes_that_are_not_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
