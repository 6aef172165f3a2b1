/* tests/geom/test_rest.c  Where bodies rest: the patches of spots they stand on, walls and containers, stable names. */
#include "shapes.h"

static const double flat[3] = {0.5, 0.5, 0.5};
static const vvi_pose home = {{0.0, 0.0, 0.0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static vvi_pose at(double x, double y, double z, double angle)
{
  const double w[3] = {0.0, 0.0, angle};
  vvi_pose p = {.place = {x, y, z}};
  vvi_exp(w, p.turn);
  return p;
}

/* The wanted places, each once, at the height z with this gap and normal (0, 0, sign). */
static void check_places(int n, const vvi_spot *s, int wanted, const double (*xy)[2], double z, double gap, double sign)
{
  assert_int_equal(n, wanted);
  for (int k = 0; k < wanted; k++) {
    int found = 0;
    for (int i = 0; i < n; i++)
      if (hypot(s[i].x[0] - xy[k][0], s[i].x[1] - xy[k][1]) < 1e-12) {
        found++;
        check_near(s[i].x[2], z, 1e-12);
        check_near(s[i].gap, gap, 1e-14);
        check_near(s[i].n[2], sign, 1e-15);
      }
    assert_int_equal(found, 1);
  }
}

static void test_block_on_block(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[32];
  double gap;
  char why[VVI_WHY];
  const vv_solid *block = one_part(&arena, VVI_PART_BLOCK, flat, 0.0, false);
  vv_solid *hull = vvi_solid_new(&arena, 1);
  assert_true(vvi_part_hull(&arena, hull->part, 8, block->part->polyhedron->vertex, why));
  vvi_solid_finish(hull);
  const vv_solid *pair[3][2] = {{block, block}, {block, hull}, {hull, hull}};
  for (int k = 0; k < 3; k++)
    for (double g = -1e-9; g <= 2e-9; g += 1e-9) {
      const vv_solid *a = pair[k][0], *b = pair[k][1];
      vvi_pose p = at(0.0, 0.0, 1.0 + g, 0.0);
      const double square[4][2] = {{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}};
      check_places(vvi_solids_touch(a, &home, b, &p, 0.01, 32, s, &gap), s, 4, square, 0.5 + 0.5 * g, p.place[2] - 1.0,
                   1.0);
      check_places(vvi_solids_touch(b, &p, a, &home, 0.01, 32, s, &gap), s, 4, square, 0.5 + 0.5 * g, p.place[2] - 1.0,
                   -1.0);
      p.place[0] = 0.3, p.place[1] = 0.2;
      const double shifted[4][2] = {{0.5, 0.5}, {-0.2, 0.5}, {-0.2, -0.3}, {0.5, -0.3}};
      check_places(vvi_solids_touch(a, &home, b, &p, 0.01, 32, s, &gap), s, 4, shifted, 0.5 + 0.5 * g, p.place[2] - 1.0,
                   1.0);
      p = at(0.0, 0.0, 1.0 + g, 0.25 * VV_PI);
      const double c = sqrt(0.5) - 0.5;
      const double eight[8][2] = {{0.5, c}, {0.5, -c}, {-0.5, c}, {-0.5, -c},
                                  {c, 0.5}, {-c, 0.5}, {c, -0.5}, {-c, -0.5}};
      check_places(vvi_solids_touch(a, &home, b, &p, 0.01, 32, s, &gap), s, 8, eight, 0.5 + 0.5 * g, p.place[2] - 1.0,
                   1.0);
    }
  vvi_arena_free(&arena);
}

/* Two blocks on their edges, crossed: one point, straight up. */
static void test_crossed_edges(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[32];
  double gap;
  const vv_solid *block = one_part(&arena, VVI_PART_BLOCK, flat, 0.0, false);
  const double wa[3] = {0.25 * VV_PI, 0.0, 0.0}, wb[3] = {0.0, 0.25 * VV_PI, 0.0};
  for (int k = 0; k < 5; k++) {
    const double g = (k - 2) * 1e-6;
    vvi_pose a = home, b = {.place = {0.1, 0.2, sqrt(2.0) + g}};
    vvi_exp(wa, a.turn), vvi_exp(wb, b.turn);
    const int n = vvi_solids_touch(block, &a, block, &b, 0.01, 32, s, &gap);
    check_places(n, s, 1, (const double[1][2]){{0.1, 0.0}}, sqrt(0.5) + 0.5 * g, b.place[2] - sqrt(2.0), 1.0);
  }
  vvi_arena_free(&arena);
}

/* A block that lands almost flat on another: the edge that touches first and the corners that follow. */
static void test_nearly_flat_landing(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[32];
  double gap;
  const vv_solid *block = one_part(&arena, VVI_PART_BLOCK, flat, 0.0, false);
  for (int k = 1; k < 20; k++) {
    const double w[3] = {0.003 * k, 0.002 * k, 0.1 * k};
    vvi_pose b = {.place = {0.1, -0.2, 1.1}};
    vvi_exp(w, b.turn);
    const int n = vvi_solids_touch(block, &home, block, &b, 0.5, 32, s, &gap);
    check_least(n, 4.0);
  }
  vvi_arena_free(&arena);
}

/* A block on its corner over a large one, with a margin of its own size: all eight corners are watched, not only those of one
 * face. */
static void test_corner_down(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[32];
  double gap;
  const double wide[3] = {5.0, 5.0, 0.5}, w[3] = {atan(sqrt(2.0)) * sqrt(0.5), -atan(sqrt(2.0)) * sqrt(0.5), 0.0};
  const vv_solid *block = one_part(&arena, VVI_PART_BLOCK, flat, 0.0, false),
                 *floor = one_part(&arena, VVI_PART_BLOCK, wide, 0.0, false);
  vvi_pose b = {.place = {0.1, 0.2, 0.5 + sqrt(0.75) + 0.1}};
  vvi_exp(w, b.turn);
  assert_int_equal(vvi_solids_touch(floor, &home, block, &b, 2.0, 32, s, &gap), 8);
  check_near(gap, 0.1, 1e-12);
  vvi_arena_free(&arena);
}

static void test_capsules_and_cylinders(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_spot s[32];
  double gap;
  const double slab[3] = {2.0, 2.0, 0.5}, along[3] = {0.0, 0.0, 1.0};
  const vv_solid *floor = one_part(&arena, VVI_PART_BLOCK, slab, 0.0, false),
                 *capsule = one_part(&arena, VVI_PART_CAPSULE, along, 0.25, false);
  const vv_solid *needle = one_part(&arena, VVI_PART_CAPSULE, along, 0.0, false),
                 *can = one_part(&arena, VVI_PART_CYLINDER, along, 0.25, false);
  const vv_solid *plane = one_part(&arena, VVI_PART_HALF_SPACE, along, 0.0, false);
  const double w[3] = {0.0, 0.5 * VV_PI, 0.0};
  const double ends[2][2] = {{1.0, 0.0}, {-1.0, 0.0}};
  const vv_solid *ground[2] = {floor, plane};
  for (int k = 0; k < 2; k++)
    for (double g = -1e-9; g <= 2e-9; g += 1e-9) {
      const double top = k == 0 ? 0.5 : 0.0;
      vvi_pose p = {.place = {0.0, 0.0, top + 0.25 + g}};
      vvi_exp(w, p.turn); /* lying */
      const vv_solid *lying[2] = {capsule, can};
      for (int j = 0; j < 2; j++) {
        const int n = vvi_solids_touch(ground[k], &home, lying[j], &p, 0.01, 32, s, &gap);
        assert_int_equal(n, 2);
        for (int i = 0; i < 2; i++) {
          const double e = s[i].x[0] < 0.0 ? -1.0 : 1.0;
          check_near(s[i].x[0], e, 1e-9);
          check_near(s[i].x[1], 0.0, 1e-9);
          check_near(s[i].gap, g, 1e-14);
          check_near(s[i].n[2], 1.0, 1e-14);
        }
        check_most(s[0].x[0] * s[1].x[0], 0.0);
      }
      p.place[2] = top + g;
      const int two = vvi_solids_touch(ground[k], &home, needle, &p, 0.01, 32, s, &gap);
      check_places(two, s, 2, ends, top + 0.5 * g, p.place[2] - top, 1.0);
      /* standing: at least four points of the rim, all around */
      p = at(0.0, 0.0, top + 1.0 + g, 0.3);
      const int n = vvi_solids_touch(ground[k], &home, can, &p, 0.01, 32, s, &gap);
      check_least(n, 4.0);
      double quarter[4] = {0};
      for (int i = 0; i < n; i++) {
        check_near(hypot(s[i].x[0], s[i].x[1]), 0.25, 1e-12);
        check_near(s[i].gap, g, 1e-14);
        check_near(s[i].n[2], 1.0, 1e-14);
        quarter[(s[i].x[0] > 0.0) + 2 * (s[i].x[1] > 0.0)] = 1.0;
      }
      check_near(quarter[0] + quarter[1] + quarter[2] + quarter[3], 4.0, 0.0);
    }
  /* parallel capsules: the ends of the stretch they share */
  vvi_pose p = at(0.5, 0.0, 0.6, 0.0);
  assert_int_equal(vvi_solids_touch(capsule, &home, capsule, &p, 0.01, 32, s, &gap), 2);
  for (int i = 0; i < 2; i++) {
    check_near(fmin(fabs(s[i].x[2] - 1.0), fabs(s[i].x[2] + 0.4)), 0.0, 1e-14);
    check_near(s[i].gap, 0.0, 1e-14);
  }
  /* a can upright on a can */
  p = at(0.1, 0.0, 2.0, 0.0);
  check_least(vvi_solids_touch(can, &home, can, &p, 0.01, 32, s, &gap), 3.0);
  check_near(gap, 0.0, 1e-14);
  vvi_arena_free(&arena);
}

/* ---- containers ---- */

/* Gap of a point inside a container, from its definition. */
static double wall_gap(const vvi_part *p, const vvi_pose *q, const double x[3])
{
  double c[3], e[9], d[3], y[3];
  own_axes(p, q, c, e);
  for (int i = 0; i < 3; i++) d[i] = x[i] - c[i];
  vvi_apply33(e, d, y);
  const double across = p->radius - hypot(y[0], y[1]);
  switch (p->type) {
  case VVI_PART_BALL:
    return p->radius - vvi_norm3(y);
  case VVI_PART_PIPE:
    return across;
  case VVI_PART_CYLINDER:
    return fmin(across, p->half[2] - fabs(y[2]));
  case VVI_PART_BLOCK:
    return fmin(p->half[0] - fabs(y[0]), fmin(p->half[1] - fabs(y[1]), p->half[2] - fabs(y[2])));
  default:
    return y[2]; /* half space */
  }
}

/* The least over the extreme points of the content (round ones less their radius; rims by samples). */
static double least_wall_gap(const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb)
{
  const vvi_part *p = b->part;
  double c[3], e[9], x[3], least = INFINITY;
  own_axes(p, pb, c, e);
  if (p->polyhedron) {
    for (int v = 0; v < p->polyhedron->vertices; v++) {
      vvi_apply33(pb->turn, p->polyhedron->vertex + 3 * v, x);
      for (int i = 0; i < 3; i++) x[i] += pb->place[i];
      least = fmin(least, wall_gap(a->part, pa, x));
    }
    return least;
  }
  for (int end = -1; end <= 1; end += 2)
    for (int k = 0; k < (p->type == VVI_PART_CYLINDER ? 20000 : 1); k++) {
      const double h = p->type == VVI_PART_BALL ? 0.0 : end * p->half[2], t = 2.0 * VV_PI * k / 20000.0;
      const double r = p->type == VVI_PART_CYLINDER ? p->radius : 0.0;
      for (int i = 0; i < 3; i++) x[i] = c[i] + h * e[6 + i] + r * (cos(t) * e[i] + sin(t) * e[3 + i]);
      least = fmin(least, wall_gap(a->part, pa, x) - (p->type == VVI_PART_CYLINDER ? 0.0 : p->radius));
    }
  return least;
}

static void test_containers(void **state)
{
  (void)state;
  const vvi_part_type type[5] = {VVI_PART_BALL, VVI_PART_BLOCK, VVI_PART_CYLINDER, VVI_PART_PIPE, VVI_PART_HALF_SPACE};
  uint64_t seed = 21;
  for (int c = 0; c < 5; c++)
    for (int j = 0; j < RANDOM_SHAPES; j++)
      for (int k = 0; k < 100; k++) {
        vvi_arena arena = {0};
        vvi_spot s[64], t[64];
        double gap, back;
        char why[VVI_WHY];
        vv_solid *a = vvi_solid_new(&arena, 1);
        vvi_part *p = a->part;
        p->type = type[c], p->hollow = c < 4, p->radius = 3.0;
        for (int i = 0; i < 3; i++) p->half[i] = 2.5 + 0.3 * i, p->centre[i] = 0.2 * noise(&seed);
        random_turn(&seed, p->frame);
        assert_true(vvi_part_finish(&arena, p, why));
        vvi_solid_finish(a);
        const vv_solid *b = random_solid(&arena, j, &seed);
        vvi_pose pa, pb;
        for (int i = 0; i < 3; i++) pa.place[i] = noise(&seed), pb.place[i] = pa.place[i] + noise(&seed);
        random_turn(&seed, pa.turn), random_turn(&seed, pb.turn);
        const int n = vvi_solids_touch(a, &pa, b, &pb, 10.0, 64, s, &gap),
                  m = vvi_solids_touch(b, &pb, a, &pa, 10.0, 64, t, &back);
        const double wanted = least_wall_gap(a, &pa, b, &pb);
        const double sampled = b->part->type == VVI_PART_CYLINDER ? 1e-7 : 1e-14;
        check_near(gap, wanted, sampled);
        check_most(gap, wanted + 1e-14);
        check_near(back, gap, 1e-14);
        assert_int_equal(n, m);
        if (type[c] == VVI_PART_BLOCK && b->part->type == VVI_PART_BLOCK) assert_int_equal(n, 48);
        for (int i = 0; i < n;
             i++) { /* each spot: its point of the content is inside of it, and as far from the wall */
          double y[3], x[3];
          for (int q = 0; q < 3; q++)
            y[q] = s[i].x[q] + 0.5 * s[i].gap * s[i].n[q], x[q] = s[i].x[q] - 0.5 * s[i].gap * s[i].n[q];
          check_most(own_outside(b->part, &pb, y), 1e-12);
          check_least(s[i].gap, wanted - 1e-12 - sampled);
          if (type[c] != VVI_PART_BLOCK && type[c] != VVI_PART_CYLINDER) check_near(wall_gap(p, &pa, x), 0.0, 1e-12);
          check_near(vvi_norm3(s[i].n), 1.0, 1e-14);
        }
        for (int i = 1; i < n; i++) assert_true(s[i].key > s[i - 1].key);
        vvi_arena_free(&arena);
      }
}

/* A bar without ends is a capsule that is long enough. */
static void test_bar(void **state)
{
  (void)state;
  uint64_t seed = 31;
  for (int j = 0; j < RANDOM_SHAPES; j++)
    for (int k = 0; k < 200; k++) {
      vvi_arena arena = {0};
      vvi_spot s[64], t[64];
      double gap, same;
      const double half[3] = {0.0, 0.0, 50.0};
      const vv_solid *bar = one_part(&arena, VVI_PART_PIPE, half, 0.3, false),
                     *rod = one_part(&arena, VVI_PART_CAPSULE, half, 0.3, false);
      const vv_solid *b = random_solid(&arena, j, &seed);
      vvi_pose p = {.place = {2.0 * noise(&seed), 2.0 * noise(&seed), 10.0 * noise(&seed)}};
      random_turn(&seed, p.turn);
      const int n = vvi_solids_touch(bar, &home, b, &p, 10.0, 64, s, &gap),
                m = vvi_solids_touch(rod, &home, b, &p, 10.0, 64, t, &same);
      assert_true(n > 0 && m > 0);
      if (gap > -0.29) check_near(gap, same, 1e-12);
      vvi_arena_free(&arena);
    }
}

/* ---- motion ---- */

/* Moving both solids rigidly moves the spots; moving b along n by d changes the gap by d; small motions keep the names. */
static void test_motion(void **state)
{
  (void)state;
  uint64_t seed = 41;
  int kept = 0, all = 0;
  for (int i = 0; i < RANDOM_SHAPES; i++)
    for (int j = 0; j < RANDOM_SHAPES; j++)
      for (int k = 0; k < 100; k++) {
        vvi_arena arena = {0};
        vvi_spot s[64], t[64];
        double gap, moved;
        const vv_solid *a = random_solid(&arena, i, &seed), *b = random_solid(&arena, j, &seed);
        vvi_pose pa, pb, qa, qb;
        for (int c = 0; c < 3; c++) pa.place[c] = noise(&seed), pb.place[c] = noise(&seed);
        random_turn(&seed, pa.turn), random_turn(&seed, pb.turn);
        const int n = vvi_solids_touch(a, &pa, b, &pb, 10.0, 64, s, &gap);
        if (gap > 1e-3) {
          const vvi_spot near = s[least_spot(n, s)];
          double turn[9], shift[3];
          random_turn(&seed, turn);
          random_direction(&seed, shift);
          vvi_mul33(turn, pa.turn, qa.turn), vvi_mul33(turn, pb.turn, qb.turn);
          vvi_apply33(turn, pa.place, qa.place), vvi_apply33(turn, pb.place, qb.place);
          for (int c = 0; c < 3; c++) qa.place[c] += shift[c], qb.place[c] += shift[c];
          vvi_solids_touch(a, &qa, b, &qb, 10.0, 64, t, &moved);
          check_near(moved, gap, 1e-12);
          qb = pb;
          for (int c = 0; c < 3; c++) qb.place[c] += 1e-4 * near.n[c];
          const int m = vvi_solids_touch(a, &pa, b, &qb, 10.0, 64, t, &moved);
          check_near(moved, gap + 1e-4, 1e-12);
          bool found = false;
          for (int c = 0; c < m; c++) found |= t[c].key == near.key;
          kept += found, all++;
        }
        vvi_arena_free(&arena);
      }
  check_least(kept, 0.99 * all);
}

/* Points against solids: the twin is a ball of radius zero made small. */
static void test_point_distance(void **state)
{
  (void)state;
  uint64_t seed = 51;
  for (int j = 0; j < RANDOM_SHAPES; j++)
    for (int k = 0; k < 500; k++) {
      vvi_arena arena = {0};
      const vv_solid *b = random_solid(&arena, j, &seed);
      vvi_pose p;
      double x[3], n[3], y[3];
      for (int c = 0; c < 3; c++) p.place[c] = noise(&seed), x[c] = 2.0 * noise(&seed);
      random_turn(&seed, p.turn);
      const double d = vvi_solid_distance(b, &p, x, n);
      check_near(vvi_norm3(n), 1.0, 1e-14);
      for (int c = 0; c < 3; c++) y[c] = x[c] - d * n[c];
      check_near(own_outside(b->part, &p, y), 0.0, 1e-13);                             /* on the surface */
      if (d > 0.0) check_near(vvi_dot3(n, x) - own_support(b->part, &p, n), d, 1e-13); /* and nothing is nearer */
      vvi_arena_free(&arena);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_on_block),
      cmocka_unit_test(test_crossed_edges),
      cmocka_unit_test(test_nearly_flat_landing),
      cmocka_unit_test(test_corner_down),
      cmocka_unit_test(test_capsules_and_cylinders),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_bar),
      cmocka_unit_test(test_motion),
      cmocka_unit_test(test_point_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
