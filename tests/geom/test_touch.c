/* tests/geom/test_touch.c  Pairs of convex solids: every answer is proved by a certificate of its own.
 *
 * A spot with gap g and normal n proves the distance of two convex solids when the points x -+ n g/2 belong to them (the
 * distance is at most g) and n separates them by g (it is at least g).  Both are checked with the defining inequalities
 * and supports of the test, not with those of the code. */
#include "shapes.h"

static void random_pose(uint64_t *seed, double spread, vvi_pose *p)
{
  for (int i = 0; i < 3; i++) p->place[i] = spread * noise(seed);
  random_turn(seed, p->turn);
}

/* Proves a gap up to `tolerance`; the points up to `place`. */
static void certify(const char *name, const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb,
                    const vvi_spot *s, double tolerance, double place)
{
  double xa[3], xb[3];
  for (int i = 0; i < 3; i++) xa[i] = s->x[i] - 0.5 * s->gap * s->n[i], xb[i] = s->x[i] + 0.5 * s->gap * s->n[i];
  const double sep = own_separation(a, pa, b, pb, s->n);
  const double out_a = own_outside(a->part, pa, xa), out_b = own_outside(b->part, pb, xb);
  if (!(fabs(vvi_norm3(s->n) - 1.0) < 1e-14 && sep >= s->gap - tolerance && out_a <= place && out_b <= place))
    fail_msg("%s: gap %.17g, |n| - 1 = %g, separation - gap = %g, points outside by %g %g", name, s->gap,
             vvi_norm3(s->n) - 1.0, sep - s->gap, out_a, out_b);
}

/* The spot that proves the gap: beside it there may be points of a nearly parallel face, as near, with the normal of that
 * face. */
static const vvi_spot *proof(const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb, int n,
                             const vvi_spot *s, double gap)
{
  const vvi_spot *best = NULL;
  double most = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double sep = own_separation(a, pa, b, pb, s[i].n);
    if (s[i].gap > gap + 2e-12 || sep <= most) continue;
    best = &s[i], most = sep;
  }
  return best;
}

/* Overlapping: the best direction among spots that are deepest in their own. */
static const vvi_spot *deepest(const vv_solid *a, const vvi_pose *pa, const vv_solid *b, const vvi_pose *pb, int n,
                               const vvi_spot *s)
{
  const vvi_spot *best = NULL;
  for (int i = 0; i < n; i++)
    if (s[i].gap <= own_separation(a, pa, b, pb, s[i].n) + 2e-12 && (!best || s[i].gap > best->gap)) best = &s[i];
  return best;
}

static const char *const shape_name[RANDOM_SHAPES] = {"ball", "capsule", "needle", "block", "cylinder", "hull"};

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
        const vvi_spot *best = proof(a, &pa, b, &pb, n, s, gap);
        check_near(gap, s[least_spot(n, s)].gap, 0.0);
        if (gap > 0.0) {
          apart++;
          certify(name, a, &pa, b, &pb, best, 1e-12, 1e-12);
        }
        for (int m = 1; m < n; m++) assert_true(s[m].key > s[m - 1].key);
        /* swapped */
        const int o = vvi_solids_touch(b, &pb, a, &pa, 10.0, 64, t, &back);
        assert_true(o > 0);
        if (gap > 0.0) check_near(back, gap, 2e-12);
        if (gap > 1e-3)
          for (int c = 0; c < 3; c++) check_near(proof(b, &pb, a, &pa, o, t, back)->n[c] + best->n[c], 0.0, 1e-6);
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

/* Placed so that the gap is given: from a separated pair with its normal, b is moved along it.  The direction between two
 * corners is known up to rounding over gap, so the points may be off by the gap itself, and by the root of rounding on a round side; the gap may not. */
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
          double w = wanted[k % VV_COUNT(wanted)];
          if (i == 2 && j == 2) w = fabs(w); /* needles have no inside */
          const vvi_spot near = *proof(a, &pa, b, &pb, n, s, gap);
          for (int c = 0; c < 3; c++) pb.place[c] += (w - gap) * near.n[c];
          n = vvi_solids_touch(a, &pa, b, &pb, 0.1, 64, s, &gap);
          snprintf(name, sizeof name, "%s - %s at %g", shape_name[i], shape_name[j], w);
          assert_true(n > 0);
          const vvi_spot *best = w < 0.0 ? deepest(a, &pa, b, &pb, n, s) : proof(a, &pa, b, &pb, n, s, gap);
          assert_non_null(best);
          taken++;
          const double sep = own_separation(a, &pa, b, &pb, best->n);
          if (w >= 0.0) certify(name, a, &pa, b, &pb, best, 2e-12, (i == 4 || j == 4 ? 1e-8 : 2e-12) + gap);
          /* overlapping: the depth is at most the one we made (along our own direction), and it is along n */
          const bool curved = i == 4 || j == 4;
          const double tolerance = (curved && w < 0.0 ? 1e-8 : 2e-12) + (w < (curved ? 0.0 : -1e-5) ? 0.3 * -w : 0.0);
          if (!(best->gap >= w - tolerance && fabs(sep - best->gap) <= tolerance))
            fail_msg("%s: gap %.17g, separation %.17g", name, best->gap, sep);
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
