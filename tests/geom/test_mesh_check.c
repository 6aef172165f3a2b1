/* tests/geom/test_mesh_check.c  Broken meshes: each fault is found, alone where it can be, and the face is named. */
#include "check.h"
#include "geom/mesh.h"
#include "math/math.h"

#include <string.h>

static vvi_arena arena;
static char why[VVI_MESH_WHY];

static int forget(void **unused)
{
  (void)unused;
  vvi_arena_free(&arena);
  return 0;
}

/* Two cubes of 2 x 2 pieces apart from each other: 96 triangles, 52 nodes, with room for more. */
static vvi_mesh two_cubes(void)
{
  vvi_mesh one, m = {0};
  const double size[3] = {1, 1, 1};
  assert_int_equal(vvi_mesh_box(&arena, size, (const int[3]){2, 2, 2}, &one, why), VV_OK);
  m.x = VVI_ARENA_NEW(&arena, double, 3 * 60);
  m.triangle = VVI_ARENA_NEW(&arena, int, 3 * 100);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < one.nodes; i++)
      for (int c = 0; c < 3; c++) m.x[3 * (m.nodes + i) + c] = one.x[3 * i + c] + 3.0 * k * (c == 0);
    for (int h = 0; h < 3 * one.triangles; h++) m.triangle[3 * m.triangles + h] = one.triangle[h] + m.nodes;
    m.nodes += one.nodes, m.triangles += one.triangles;
  }
  return m;
}

static void add_triangle(vvi_mesh *m, int a, int b, int c)
{
  int *v = m->triangle + 3 * m->triangles++;
  v[0] = a, v[1] = b, v[2] = c;
}

static vvi_mesh_report report_of(const vvi_mesh *m, double near)
{
  vvi_mesh_report r;
  assert_int_equal(vvi_mesh_check(m, VVI_MESH_SLIVER_QUALITY, near, &r, why), VV_OK);
  return r;
}

/* Exactly these faults (a list that ends with -1), and the message of the first begins with `text` and has `other`. */
static void must_say(const vvi_mesh *m, const vvi_mesh_report *r, const int *faults, const char *text,
                     const char *other)
{
  unsigned wanted = 0, got = 0;
  for (int i = 0; faults[i] >= 0; i++) wanted |= 1u << faults[i];
  for (int f = 0; f < VVI_MESH_FAULTS; f++) got |= r->count[f] > 0 ? 1u << f : 0u;
  assert_int_equal(got, wanted);
  assert_int_equal(vvi_mesh_refuse(m, r, ~0u, why), VV_SCENE);
  if (strncmp(why, text, strlen(text)) != 0 || strstr(why, other) == NULL)
    fail_msg("'%s' does not begin with '%s' and hold '%s'", why, text, other);
}
#define SAYS(m, near, text, other, ...)                               \
  do {                                                                \
    const vvi_mesh_report r_ = report_of(&(m), near);                 \
    must_say(&(m), &r_, (const int[]){__VA_ARGS__, -1}, text, other); \
  } while (0)

static void test_good(void **unused)
{
  (void)unused;
  const vvi_mesh m = two_cubes();
  const vvi_mesh_report r = report_of(&m, 1e-6);
  for (int f = 0; f < VVI_MESH_FAULTS; f++) assert_int_equal(r.count[f], 0);
  assert_int_equal(vvi_mesh_refuse(&m, &r, ~0u, why), VV_OK);
  assert_int_equal(r.parts, 2);
  assert_int_equal(m.nodes - r.edges + m.triangles, 4);
  check_near(r.shortest, 0.5, 1e-15);
  check_near(r.longest, sqrt(0.5), 1e-15);
  check_near(r.least_quality, 4.0 * sqrt(3.0) * 0.125 / 1.0, 1e-15); /* area 1/8; 1/4 + 1/4 + 1/2 */
}

static void test_lists(void **unused)
{
  (void)unused;
  vvi_mesh m = two_cubes();
  const int node = m.triangle[3 * 17 + 1];
  int first = 0;
  while (m.triangle[3 * first] != node && m.triangle[3 * first + 1] != node && m.triangle[3 * first + 2] != node)
    first++;
  m.x[3 * node + 1] = NAN;
  SAYS(m, 0.0, "face ", "not a finite number", VVI_MESH_NOT_FINITE);
  assert_int_equal(report_of(&m, 0.0).triangle[VVI_MESH_NOT_FINITE][0], first);
  m = two_cubes();
  m.x[3 * m.nodes++] = INFINITY; /* of no face */
  SAYS(m, 0.0, " at (inf, 0, 0)", "not a finite number", VVI_MESH_NOT_FINITE);
  m = two_cubes();
  m.triangle[3 * 17 + 2] = m.nodes;
  SAYS(m, 0.0, "face 18: ", "not there", VVI_MESH_BAD_NODE);
  m.triangle[3 * 17 + 2] = -1;
  SAYS(m, 0.0, "face 18: ", "not there", VVI_MESH_BAD_NODE);
  m = two_cubes();
  m.triangle[3 * 30 + 2] = m.triangle[3 * 30];
  SAYS(m, 0.0, "face 31 at ", "same node twice", VVI_MESH_COLLAPSED);
  m = two_cubes();
  m.triangles = 0;
  SAYS(m, 0.0, "the mesh has no triangles", "", VVI_MESH_EMPTY);
}

static void test_surfaces(void **unused)
{
  (void)unused;
  vvi_mesh m = two_cubes();
  add_triangle(&m, m.triangle[3 * 5 + 1], m.triangle[3 * 5 + 2], m.triangle[3 * 5]);
  SAYS(m, 0.0, "face 97 and face 6: ", "same nodes", VVI_MESH_REPEATED, VVI_MESH_BRANCHED);
  m = two_cubes(); /* a fin on an edge of triangle 20 */
  m.x[3 * m.nodes] = 9.0;
  add_triangle(&m, m.triangle[3 * 20], m.triangle[3 * 20 + 1], m.nodes++);
  SAYS(m, 0.0, "face 2", "three or more faces", VVI_MESH_BRANCHED, VVI_MESH_OPEN);
  const vvi_mesh_report fin = report_of(&m, 0.0);
  assert_int_equal(fin.count[VVI_MESH_BRANCHED], 1);
  assert_int_equal(fin.count[VVI_MESH_OPEN], 2);
  assert_int_equal(fin.triangle[VVI_MESH_OPEN][0], 96);
  m = two_cubes(); /* the cubes share a node: all faces of node 26, the first of the second, go to node 0 */
  for (int h = 0; h < 3 * m.triangles; h++)
    if (m.triangle[h] == 26) m.triangle[h] = 0;
  m.x[3 * 26] = 100.0;
  SAYS(m, 0.0, "face ", "touch in one node", VVI_MESH_PINCHED, VVI_MESH_UNUSED_NODE);
  assert_non_null(strstr(why, "at (-0.5, -0.5, -0.5)"));
  m = two_cubes();
  m.triangles--;
  SAYS(m, 0.0, "face ", "open at this edge", VVI_MESH_OPEN);
  assert_non_null(strstr(why, "(one of 3)"));
  m = two_cubes();
  m.x[3 * m.nodes] = m.x[3 * m.nodes + 1] = 0.25, m.nodes++;
  SAYS(m, 0.0, " at (0.25, 0.25, 0): a node belongs to no face", "", VVI_MESH_UNUSED_NODE);
}

static void test_sides(void **unused)
{
  (void)unused;
  vvi_mesh m = two_cubes();
  int *v = m.triangle + 3 * 40, keep = v[0];
  v[0] = v[1], v[1] = keep;
  SAYS(m, 0.0, "face ", "opposite sides up", VVI_MESH_TURNED);
  const vvi_mesh_report r = report_of(&m, 0.0);
  assert_int_equal(r.count[VVI_MESH_TURNED], 3);
  assert_true(r.triangle[VVI_MESH_TURNED][0] == 40 || r.triangle[VVI_MESH_TURNED][1] == 40);
  m = two_cubes(); /* the second cube inside out */
  for (int t = 48; t < 96; t++) {
    v = m.triangle + 3 * t, keep = v[0];
    v[0] = v[1], v[1] = keep;
  }
  SAYS(m, 0.0, "face 49: ", "inside out", VVI_MESH_INSIDE_OUT);
  int turned;
  assert_int_equal(vvi_mesh_orient(&m, &turned, why), VV_OK);
  assert_int_equal(turned, 48);
  assert_int_equal(report_of(&m, 0.0).count[VVI_MESH_INSIDE_OUT], 0);
}

/* A node next to another: slivers beside it, and two nodes at one place for a generous eye. */
static void test_shapes(void **unused)
{
  (void)unused;
  vvi_mesh m = two_cubes();
  const int a = m.triangle[3 * 10], b = m.triangle[3 * 10 + 1];
  for (int c = 0; c < 3; c++) m.x[3 * a + c] = m.x[3 * b + c] + 1e-4 * (m.x[3 * a + c] - m.x[3 * b + c]);
  vvi_mesh_report r = report_of(&m, 0.0);
  assert_int_equal(r.count[VVI_MESH_SLIVER], 2);
  assert_true(r.triangle[VVI_MESH_SLIVER][0] == 10 || r.least_quality < 1e-3);
  assert_int_equal(r.count[VVI_MESH_DUPLICATE_NODE], 0);
  r = report_of(&m, 1e-3);
  assert_int_equal(r.count[VVI_MESH_DUPLICATE_NODE], 1);
  assert_int_equal(r.node[VVI_MESH_DUPLICATE_NODE][0] + r.node[VVI_MESH_DUPLICATE_NODE][1], a + b);
  assert_int_equal(vvi_mesh_refuse(&m, &r, 1u << VVI_MESH_DUPLICATE_NODE, why), VV_SCENE);
  assert_non_null(strstr(why, "two nodes lie at one place"));
  assert_int_equal(strncmp(why, "face ", 5), 0);
  /* the report knows faces and lines of a file */
  int face[96], line[96];
  for (int t = 0; t < 96; t++) face[t] = 1000 + t, line[t] = 2000 + t;
  m.face = face, m.line = line;
  m.triangle[3 * 7] = m.triangle[3 * 7 + 1];
  SAYS(m, 0.0, "face 1007 (line 2007) at", "same node twice", VVI_MESH_COLLAPSED);
}

/* Merging by distance against all pairs; first come, first kept. */
static void test_merge(void **unused)
{
  (void)unused;
  uint64_t seed = 7;
  enum { N = 400 };
  double x[3 * N];
  int triangle[3 * N];
  for (int i = 0; i < 3 * N; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(seed >> 40) / (1 << 24) - 0.5;
    triangle[i] = i % N;
  }
  for (int i = 0; i < N / 4; i++) memcpy(x + 3 * (N - 1 - i), x + 3 * i, 3 * sizeof *x);
  x[0] = 0.0, x[3 * (N - 1)] = -0.0; /* equal */
  const vvi_mesh in = {.nodes = N, .triangles = N, .x = x, .triangle = triangle};
  static const double distance[] = {0.0, 1e-9, 0.05, 0.1, 10.0};
  for (int k = 0; k < VV_COUNT(distance); k++) {
    vvi_mesh out;
    int keep[N], stay = 0;
    for (int i = 0; i < N; i++) {
      keep[i] = i;
      for (int j = 0; j < i && keep[i] == i; j++) {
        const double d[3] = {x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1], x[3 * i + 2] - x[3 * j + 2]};
        if (keep[j] == j && vvi_dot3(d, d) <= distance[k] * distance[k]) keep[i] = j;
      }
      stay += keep[i] == i;
    }
    assert_int_equal(vvi_mesh_merge(&arena, &in, distance[k], &out, why), VV_OK);
    assert_int_equal(out.nodes, stay);
    if (distance[k] < 1e-3) assert_int_equal(stay, N - N / 4);
    for (int h = 0; h < 3 * N; h++)
      assert_memory_equal(out.x + 3 * out.triangle[h], x + 3 * keep[triangle[h]], 3 * sizeof *x);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_good, forget),     cmocka_unit_test_teardown(test_lists, forget),
      cmocka_unit_test_teardown(test_surfaces, forget), cmocka_unit_test_teardown(test_sides, forget),
      cmocka_unit_test_teardown(test_shapes, forget),   cmocka_unit_test_teardown(test_merge, forget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
