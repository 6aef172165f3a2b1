/* tests/geom/test_weigh.c  Weights against closed forms and against each other; principal axes; pictures; refusals. */
#include "shapes.h"

#include <stdlib.h>

static const int cube[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void check_same(const vvi_weight *a, const vvi_weight *b, double tolerance)
{
  check_near(a->volume, b->volume, tolerance);
  for (int i = 0; i < 3; i++) check_near(a->centre[i], b->centre[i], tolerance);
  for (int i = 0; i < 9; i++) check_near(a->inertia[i], b->inertia[i], tolerance);
}

/* A turned block as a block, as a hull and as a mesh; and its skin. */
static void test_block_hull_mesh(void **state)
{
  (void)state;
  uint64_t seed = 2;
  for (int k = 0; k < 50; k++) {
    vvi_arena arena = {0};
    char why[VVI_WHY];
    vv_solid *s[3];
    vvi_weight w[3], skin[3];
    for (int i = 0; i < 3; i++) s[i] = vvi_solid_new(&arena, 1);
    vvi_part *p = s[0]->part;
    p->type = VVI_PART_BLOCK;
    for (int i = 0; i < 3; i++) p->half[i] = 0.5 + 0.4 * noise(&seed), p->centre[i] = noise(&seed);
    random_turn(&seed, p->frame);
    for (int i = 0; i < 3; i++) s[i]->part->density = 2.5;
    assert_true(vvi_part_finish(&arena, p, why));
    assert_true(vvi_part_hull(&arena, s[1]->part, 8, p->polyhedron->vertex, why));
    if (!vvi_part_mesh(&arena, s[2]->part, 8, p->polyhedron->vertex, 12, cube[0], why)) fail_msg("%s", why);
    for (int i = 0; i < 3; i++) {
      vvi_solid_finish(s[i]);
      vvi_solid_weigh(s[i], &w[i]);
      assert_true(vvi_solid_weigh_skin(s[i], &skin[i]));
    }
    const double *h = p->half, m = 2.5 * 8.0 * h[0] * h[1] * h[2];
    check_near(w[0].volume, m, 1e-14);
    double local[9], half[9];
    vvi_mul33(p->frame, w[0].inertia, half); /* into its own axes: e I e^T */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) local[3 * i + j] = vvi_dot3(half + 3 * i, p->frame + 3 * j);
    for (int i = 0; i < 9; i++) {
      const int u = (i / 4 + 1) % 3, v = (i / 4 + 2) % 3;
      check_near(local[i], i % 4 ? 0.0 : m * (h[u] * h[u] + h[v] * h[v]) / 3.0, 1e-14);
    }
    for (int i = 1; i < 3; i++) check_same(&w[0], &w[i], 1e-13), check_same(&skin[0], &skin[i], 1e-13);
    vvi_arena_free(&arena);
  }
}

/* Round parts against a fine mesh of their picture: the error falls with the square of the angle. */
static void test_round_parts(void **state)
{
  (void)state;
  const vvi_part_type type[3] = {VVI_PART_BALL, VVI_PART_CAPSULE, VVI_PART_CYLINDER};
  for (int k = 0; k < 3; k++) {
    double error[2][2];
    for (int fine = 0; fine < 2; fine++) {
      vvi_arena arena = {0};
      char why[VVI_WHY];
      const double half[3] = {0.0, 0.0, 0.8};
      vv_solid *s = one_part(&arena, type[k], half, 0.5, false), *m = vvi_solid_new(&arena, 1);
      vvi_weight a, b, c, d;
      int n, t;
      const int around = fine ? 128 : 64;
      vvi_solid_draw(s, around, &n, NULL, &t, NULL);
      double *x = malloc(sizeof(double) * 3 * (size_t)n);
      int *tri = malloc(sizeof(int) * 3 * (size_t)t);
      vvi_solid_draw(s, around, &n, x, &t, tri);
      if (!vvi_part_mesh(&arena, m->part, n, x, t, tri, why))
        fail_msg("%s", why); /* the picture is closed and outwards */
      vvi_solid_finish(m);
      vvi_solid_weigh(s, &a), vvi_solid_weigh(m, &b);
      error[fine][0] =
          fabs(a.volume - b.volume) + fabs(a.inertia[0] - b.inertia[0]) + fabs(a.inertia[8] - b.inertia[8]);
      if (type[k] != VVI_PART_CAPSULE) {
        assert_true(vvi_solid_weigh_skin(s, &c));
        assert_true(vvi_solid_weigh_skin(m, &d));
        error[fine][1] =
            fabs(c.volume - d.volume) + fabs(c.inertia[0] - d.inertia[0]) + fabs(c.inertia[8] - d.inertia[8]);
      } else
        error[fine][1] = fine ? 1.0 : 4.0;
      check_most(error[fine][0], fine ? 2.5e-3 : 1e-2);
      free(x), free(tri);
      vvi_arena_free(&arena);
    }
    for (int i = 0; i < 2; i++) check_near(error[0][i] / error[1][i], 4.0, 0.1);
  }
}

/* A compound is the sum of its parts by Steiner's rule, and turning it turns its tensor. */
static void test_compound(void **state)
{
  (void)state;
  uint64_t seed = 9;
  for (int k = 0; k < 50; k++) {
    vvi_arena arena = {0};
    char why[VVI_WHY];
    vv_solid *s = vvi_solid_new(&arena, 3);
    double m = 0.0, first[3] = {0}, place[3], turn[9];
    vvi_weight w, moved, one[3];
    for (int j = 0; j < 3; j++) {
      const vv_solid *r = random_solid(&arena, (k + j) % RANDOM_SHAPES == 2 ? 3 : (k + j) % RANDOM_SHAPES, &seed);
      s->part[j] = *r->part;
      s->part[j].density = 1.0 + j;
      assert_true(vvi_part_finish(&arena, &s->part[j], why));
      vv_solid single = {.parts = 1, .part = &s->part[j]};
      vvi_solid_weigh(&single, &one[j]);
      m += one[j].volume;
      for (int i = 0; i < 3; i++) first[i] += one[j].volume * one[j].centre[i];
    }
    vvi_solid_finish(s);
    vvi_solid_weigh(s, &w);
    check_near(w.volume, m, 1e-12);
    for (int i = 0; i < 3; i++) check_near(w.centre[i], first[i] / m, 1e-13);
    for (int i = 0; i < 9; i++) {
      double sum = 0.0;
      for (int j = 0; j < 3; j++) {
        double d[3];
        for (int c = 0; c < 3; c++) d[c] = one[j].centre[c] - w.centre[c];
        sum += one[j].inertia[i] + one[j].volume * ((i % 4 ? 0.0 : vvi_dot3(d, d)) - d[i / 3] * d[i % 3]);
      }
      check_near(w.inertia[i], sum, 1e-12);
    }
    for (int i = 0; i < 3; i++) place[i] = noise(&seed);
    random_turn(&seed, turn);
    vvi_solid_move(s, place, turn);
    vvi_solid_weigh(s, &moved);
    double half[9], back[9], c[3], d[3];
    vvi_mul33(turn, moved.inertia, half); /* turn I turn^T */
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) back[3 * i + j] = vvi_dot3(half + 3 * i, turn + 3 * j);
    for (int i = 0; i < 9; i++) check_near(back[i], w.inertia[i], 1e-12);
    for (int i = 0; i < 3; i++) d[i] = w.centre[i] - place[i];
    vvi_tapply33(turn, d, c);
    for (int i = 0; i < 3; i++) check_near(moved.centre[i], c[i], 1e-13);
    vvi_arena_free(&arena);
  }
}

static void test_principal(void **state)
{
  (void)state;
  uint64_t seed = 4;
  for (int k = 0; k < 300; k++) {
    double a[9], moment[3], turn[9], r[9];
    const double want[3] = {1.0, k % 3 == 1 ? 1.0 : 1.3, k % 3 == 2 ? 1.3 : 2.0};
    random_turn(&seed, r);
    for (int i = 0; i < 9; i++) {
      a[i] = 0.0;
      for (int j = 0; j < 3; j++) a[i] += r[i / 3 * 3 + j] * want[j] * r[i % 3 * 3 + j];
    }
    vvi_principal(a, moment, turn);
    double product[3] = {1.0, 0.0, 0.0};
    for (int j = 0; j < 3; j++) { /* A t_j = I_j t_j */
      const double t[3] = {turn[j], turn[3 + j], turn[6 + j]};
      double at[3];
      vvi_apply33(a, t, at);
      for (int i = 0; i < 3; i++) check_near(at[i], moment[j] * t[i], 1e-14);
      check_near(vvi_norm3(t), 1.0, 1e-15);
    }
    const double u[3] = {turn[0], turn[3], turn[6]}, v[3] = {turn[1], turn[4], turn[7]},
                 w[3] = {turn[2], turn[5], turn[8]};
    vvi_cross3(u, v, product);
    check_near(vvi_dot3(product, w), 1.0, 4e-15);
    if (k % 3) {
      const bool equal = moment[0] == moment[1] || moment[1] == moment[2] || moment[0] == moment[2];
      assert_true(equal);
    }
  }
  /* a diagonal tensor keeps its axes, whatever their order; three moments equal up to rounding become equal */
  const double diagonal[9] = {3.0, 0, 0, 0, 1.0, 0, 0, 0, 2.0},
               almost[9] = {1.0, 0, 0, 0, 1.0 + 1e-15, 0, 0, 0, 1.0 - 1e-15};
  double moment[3], turn[9];
  vvi_principal(diagonal, moment, turn);
  for (int i = 0; i < 9; i++) check_near(turn[i], i % 4 ? 0.0 : 1.0, 0.0);
  for (int i = 0; i < 3; i++) check_near(moment[i], diagonal[4 * i], 0.0);
  vvi_principal(almost, moment, turn);
  assert_true(moment[0] == moment[1] && moment[1] == moment[2]);
}

static void refused_part(vvi_part p, const char *word)
{
  vvi_arena arena = {0};
  char why[VVI_WHY];
  p.density = 1.0;
  for (int i = 0; i < 3; i++) p.frame[4 * i] = 1.0;
  assert_false(vvi_part_finish(&arena, &p, why));
  if (!strstr(why, word)) fail_msg("'%s' does not say '%s'", why, word);
  vvi_arena_free(&arena);
}

static void refused_mesh(const char *word, int vertices, const double *x, int triangles, const int *t)
{
  vvi_arena arena = {0};
  char why[VVI_WHY];
  vvi_part p = {.density = 1.0};
  assert_false(vvi_part_mesh(&arena, &p, vertices, x, triangles, t, why));
  if (!strstr(why, word)) fail_msg("'%s' does not say '%s'", why, word);
  vvi_arena_free(&arena);
}

static void test_refusals(void **state)
{
  (void)state;
  refused_part((vvi_part){.type = VVI_PART_BALL}, "ball: radius");
  refused_part((vvi_part){.type = VVI_PART_BALL, .radius = NAN}, "ball: radius");
  refused_part((vvi_part){.type = VVI_PART_CAPSULE, .radius = 1.0}, "capsule: length");
  refused_part((vvi_part){.type = VVI_PART_CAPSULE, .radius = -1.0, .half = {0, 0, 1}}, "capsule: radius");
  refused_part((vvi_part){.type = VVI_PART_BLOCK, .half = {1, -1, 1}}, "block: edges");
  refused_part((vvi_part){.type = VVI_PART_CYLINDER, .radius = 1.0}, "cylinder: height");
  refused_part((vvi_part){.type = VVI_PART_BALL, .radius = 1.0, .centre = {INFINITY}}, "centre");
  refused_part((vvi_part){.type = VVI_PART_CAPSULE, .radius = 1.0, .half = {0, 0, 1}, .hollow = true}, "hollow");
  double x[8 * 3];
  int t[13 * 3];
  for (int i = 0; i < 24; i++) x[i] = i / 3 >> i % 3 & 1;
  memcpy(t, cube, sizeof cube);
  refused_mesh("open at the edge", 8, x, 11, t);
  memcpy(t + 36, t, 3 * sizeof(int));
  refused_mesh("are the same", 8, x, 13, t);
  t[36] = t[0], t[37] = t[1], t[38] = 7;
  refused_mesh("share the edge", 8, x, 13, t);
  t[0] = cube[0][1], t[1] = cube[0][0];
  refused_mesh("against each other", 8, x, 12, t);
  for (int i = 0; i < 12; i++) t[3 * i] = cube[i][1], t[3 * i + 1] = cube[i][0], t[3 * i + 2] = cube[i][2];
  refused_mesh("inside out", 8, x, 12, t);
  t[5] = 8;
  refused_mesh("triangle 2 names vertex 9", 8, x, 12, t);
  t[5] = t[4];
  refused_mesh("triangle 2 is degenerate", 8, x, 12, t);
  x[10] = NAN;
  refused_mesh("vertex 4", 8, x, 12, cube[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_hull_mesh), cmocka_unit_test(test_round_parts), cmocka_unit_test(test_compound),
      cmocka_unit_test(test_principal),       cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
