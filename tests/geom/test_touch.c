/* tests/geom/test_touch.c  Pairs of convex solids: every answer is proved by a certificate of its own.
 *
 * A spot with gap g and normal n proves the distance of two convex solids when the points x -+ n g/2 belong to them (the
 * distance is at most g) and n separates them by g (it is at least g).  Both are checked with the defining inequalities
 * and supports of the test, not with those of the code. */
#include "shapes.h"
#include <stdlib.h>

static void random_pose(uint64_t *seed, double spread, vvi_pose *p)
{
  for (int i = 0; i < 3; i++) p->place[i] = spread * noise(seed);
  random_turn(seed, p->turn);
}

/* Proves the least gap of n > 0 spots. */
static void certify(const char *name, const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb,
                    const vvi_spot *s, double tolerance)
{
  double xa[3], xb[3];
  for (int i = 0; i < 3; i++) xa[i] = s->x[i] - 0.5 * s->gap * s->n[i], xb[i] = s->x[i] + 0.5 * s->gap * s->n[i];
  const double sep = own_separation(a, pa, b, pb, s->n);
  const double out_a = own_outside(a->part, pa, xa), out_b = own_outside(b->part, pb, xb);
  if (!(fabs(vvi_norm3(s->n) - 1.0) < 1e-14 && sep >= s->gap - tolerance && out_a <= tolerance && out_b <= tolerance))
    fail_msg("%s: gap %.17g, |n| - 1 = %g, separation - gap = %g, points outside by %g %g", name, s->gap,
             vvi_norm3(s->n) - 1.0, sep - s->gap, out_a, out_b);
}

static const char *const shape_name[RANDOM_SHAPES] = {"ball", "capsule", "needle", "block", "cylinder"};

static void test_distance_is_proved(void **state)
{
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < RANDOM_SHAPES; i++)
    for (int j = 0; j < RANDOM_SHAPES; j++) {
      char name[64];
      snprintf(name, sizeof name, "%s - %s", shape_name[i], shape_name[j]);
      int apart = 0;
      for (int k = 0; k < 1000; k++) {
        vvi_arena arena = {0};
        vvi_pose pa, pb;
        const vv_solid *a = random_solid(&arena, i, &seed), *b = random_solid(&arena, j, &seed);
        random_pose(&seed, 1.2, &pa);
        random_pose(&seed, 1.2, &pb);
        vvi_spot s[64], t[64];
        double gap, back;
        const int n = vvi_solids_touch(a, &pa, b, &pb, 10.0, 64, s, &gap);
        assert_true(n > 0);
        const vvi_spot *best = &s[least_spot(n, s)];
        check_near(gap, best->gap, 0.0);
        if (gap > 0.0) {
          apart++;
          certify(name, a, &pa, b, &pb, best, 1e-12);
        }
        for (int m = 1; m < n; m++) assert_true(s[m].key > s[m - 1].key);
        /* swapped */
        const int o = vvi_solids_touch(b, &pb, a, &pa, 10.0, 64, t, &back);
        assert_true(o > 0);
        if (gap > 0.0) check_near(back, gap, 2e-12);
        if (gap > 1e-3)
          for (int c = 0; c < 3; c++) check_near(t[least_spot(o, t)].n[c] + best->n[c], 0.0, 1e-6);
        /* a margin below the gap gives no spot and a bound that is true */
        if (gap > 1e-3) {
          double bound;
          const int none = vvi_solids_touch(a, &pa, b, &pb, 0.5 * gap, 64, t, &bound);
          assert_int_equal(none, 0);
          check_least(bound, 0.5 * gap);
          check_most(bound, gap + 1e-12);
        }
        vvi_arena_free(&arena);
      }
      check_least(apart, 300.0);
    }
}

/* Placed so that the gap is given: from a separated pair with its normal, b is moved along it. */
static void test_near_and_overlapping(void **state)
{
  (void)state;
  static const double wanted[] = {1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-4, -1e-3};
  uint64_t seed = 11;
  for (int i = 0; i < RANDOM_SHAPES; i++)
    for (int j = i; j < RANDOM_SHAPES; j++) {
      char name[64];
      int taken = 0;
      for (int k = 0; k < 400; k++) {
        vvi_arena arena = {0};
        vvi_pose pa, pb;
        const vv_solid *a = random_solid(&arena, i, &seed), *b = random_solid(&arena, j, &seed);
        random_pose(&seed, 1.2, &pa);
        random_pose(&seed, 1.2, &pb);
        vvi_spot s[64];
        double gap;
        int n = vvi_solids_touch(a, &pa, b, &pb, 10.0, 64, s, &gap);
        if (gap > 1e-2) {
          const double w = wanted[k % VV_COUNT(wanted)];
          const vvi_spot near = s[least_spot(n, s)];
          for (int c = 0; c < 3; c++) pb.place[c] += (w - gap) * near.n[c];
          n = vvi_solids_touch(a, &pa, b, &pb, 0.1, 64, s, &gap);
          snprintf(name, sizeof name, "%s - %s at %g", shape_name[i], shape_name[j], w);
          assert_true(n > 0);
          const vvi_spot *best = &s[least_spot(n, s)];
          taken++;
          const double sep = own_separation(a, &pa, b, &pb, best->n);
          if (getenv("DBG")) for (int m = 0; m < n; m++) printf("%s: %d gap %g n %g %g %g key %u\n", name, m, s[m].gap, s[m].n[0], s[m].n[1], s[m].n[2], s[m].key);
          if (w >= 0.0) certify(name, a, &pa, b, &pb, best, 2e-12);
          /* overlapping: the depth is at most the one we made (along our own direction), and it is along n */
          const double tolerance = w < -1e-5 ? 0.3 * -w : 2e-12;
          if (!(gap >= w - tolerance && fabs(sep - gap) <= tolerance))
            fail_msg("%s: gap %.17g, separation %.17g", name, gap, sep);
        }
        vvi_arena_free(&arena);
      }
      check_least(taken, 100.0);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance_is_proved),
      cmocka_unit_test(test_near_and_overlapping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
