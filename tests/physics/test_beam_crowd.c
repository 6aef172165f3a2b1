/* tests/physics/test_beam_crowd.c  Beams that meet each other and themselves: momenta, energy, friction, penetration, bits. */
#include "check.h"
#include "run.h"

#include "contact/shapes/solids.h"
#include "math/math.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192 };

/* ---- an oracle ---- */

static double clamp01(double x)
{
  return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

/* Minimises |x0 + s u - y0 - t v|^2: the unconstrained minimum, then each clamped against the other (Ericson's method).
 * Parallel segments: the middle of the common stretch, so that a contact does not jump between its ends. */
static double segment_distance(const double x[2][3], const double y[2][3])
{
  double u[3], v[3], r[3], d[3], s, t;
  for (int c = 0; c < 3; c++) u[c] = x[1][c] - x[0][c], v[c] = y[1][c] - y[0][c], r[c] = x[0][c] - y[0][c];
  const double a = vvi_dot3(u, u), e = vvi_dot3(v, v), b = vvi_dot3(u, v), ur = vvi_dot3(u, r), f = vvi_dot3(v, r);
  const double det = a * e - b * b;
  if (det > 1e-12 * a * e) {
    s = clamp01((b * f - ur * e) / det);
  } else { /* ends of y seen from x */
    const double s0 = clamp01(-ur / a), s1 = clamp01((b - ur) / a);
    s = 0.5 * (s0 + s1);
  }
  t = (b * s + f) / e;
  if (t < 0.0 || t > 1.0) {
    t = clamp01(t);
    s = clamp01((b * t - ur) / a);
  }
  for (int c = 0; c < 3; c++) d[c] = r[c] + s * u[c] - t * v[c];
  return vvi_norm3(d);
}

/* ---- scenes ---- */

/* Two straight rods along x and y; the second comes from above. */
static void crossing(char *text, const char *time, int elements, double speed, double slip, double angle,
                     const char *contact)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {%s}\ncontacts: [{%s}]\nbodies:\n"
      "  a: {kind: beam, length: 1, elements: %d, material: {young: 1e6, density: 1000}, section: {circle: {radius: "
      "0.02}}, axis: [1, 0, 0], normal: [0, 0, 1], position: [-0.5, 0, 0]}\n"
      "  b: {kind: beam, length: 1, elements: %d, material: {young: 1e6, density: 2000}, section: {circle: {radius: "
      "0.01}}, axis: [%.17g, %.17g, 0], normal: [0, 0, 1], position: [%.17g, %.17g, 0.03101], velocity: [%g, 0, %g]}\n",
      time, contact, elements, elements, cos(angle), sin(angle), -0.5 * cos(angle), -0.5 * sin(angle), slip, speed);
}

static unsigned long long dice = 1;
static double random_in(double lo, double hi)
{
  dice = dice * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(dice >> 11) / 9007199254740992.0;
}

/* Ten rods in layers, flying towards each other. */
static void ten(char *text, const char *time, const char *contact)
{
  int used = snprintf(text, TEXT, "visviva: 1\ntime: {%s}\ncontacts: [{%s}]\nbodies:\n", time, contact);
  dice = 7;
  for (int i = 0; i < 10; i++) {
    const int layer = i / 2;
    const double across = (i % 2 - 0.5) * 0.16 + random_in(-0.02, 0.02), z = 0.045 * layer, turn = random_in(-0.2, 0.2);
    const double axis[2] = {layer % 2 == 0 ? 1.0 : turn, layer % 2 == 0 ? turn : 1.0};
    used += snprintf(
        text + used, (size_t)(TEXT - used),
        "  b%d: {kind: beam, length: 0.5, elements: 11, material: {young: 2e5, density: 1000}, section: {circle: "
        "{radius: 0.015}}, axis: [%.17g, %.17g, 0], normal: [0, 0, 1], position: [%.17g, %.17g, %.17g], velocity: "
        "[%.17g, %.17g, %.17g], spin: [%.17g, %.17g, %.17g]}\n",
        i, axis[0], axis[1], -0.25 * axis[0] + (layer % 2) * across, -0.25 * axis[1] + (1 - layer % 2) * across, z,
        random_in(-0.2, 0.2), random_in(-0.2, 0.2), 0.8 * (2.0 - layer), random_in(-1, 1), random_in(-1, 1),
        random_in(-3, 3));
  }
}

/* A chain of ten rings, linked: they never get away from each other. */
static void chain(char *text, const char *time, const char *contact)
{
  int used = snprintf(text, TEXT, "visviva: 1\ntime: {%s}\ncontacts: [{%s}]\nbodies:\n", time, contact);
  dice = 3;
  for (int i = 0; i < 10; i++)
    used += snprintf(
        text + used, (size_t)(TEXT - used),
        "  r%d: {kind: beam, length: 0.6283185307179586, elements: 20, closed: true, material: {young: 1e6, density: "
        "1000}, section: {circle: {radius: 0.015}}, shape: {arc: {angle: 6.283185307179586}}, rest: shape, axis: [0, "
        "%d, "
        "%d], normal: [1, 0, 0], position: [%.17g, 0, 0], velocity: [%.17g, %.17g, %.17g], spin: [%.17g, 0, 0]}\n",
        i, i % 2, 1 - i % 2, 0.14 * i - 0.1, random_in(-1, 1), random_in(-1, 1), random_in(-1, 1), random_in(-3, 3));
}

/* Six rods fall on a floor and on each other. */
static void heap(char *text, const char *contact)
{
  int used = snprintf(text, TEXT,
                      "visviva: 1\ntime: {end: 0.3, step: {safety: 0.3}}\ngravity: [0, 0, -9.8]\n"
                      "contacts: [{%s}]\nbodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
                      contact);
  dice = 5;
  for (int i = 0; i < 6; i++)
    used += snprintf(text + used, (size_t)(TEXT - used),
                     "  b%d: {kind: beam, length: 0.4, elements: 7, material: {young: 1e6, density: 1000}, section: "
                     "{circle: {radius: "
                     "0.02}}, axis: [%d, %d, 0], normal: [0, 0, 1], position: [%.17g, %.17g, %.17g]}\n",
                     i, i % 2, 1 - i % 2, i % 2 == 0 ? random_in(-0.05, 0.05) : -0.2,
                     i % 2 == 0 ? -0.2 : random_in(-0.05, 0.05), 0.03 + 0.05 * i);
}

/* A soft spring of round wire, pressed together until its turns meet. */
static void coil(char *text, const char *contact, double pitch)
{
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 0.3, step: {safety: 0.3}}\ncontacts: [{%s}]\nbodies:\n"
      "  rope: {kind: beam, length: 1.6, elements: 80, material: {young: 1e5, density: 1000}, section: {circle: "
      "{radius: 0.01}}, shape: {helix: {radius: 0.07, pitch: %g}}, rest: shape, axis: [1, 0, 0.1], normal: [0, 1, 0],\n"
      "         velocity_profile: [{at: [0, 1], factor: [1, -1], direction: [0, 0, 1.5]}]}\n",
      contact, pitch);
}

static const double *middle_momentum(const run_record *r, int body, int *n)
{
  static double out[3];
  const vv_body *b = &r->model->body[body];
  const vv_block *k = &r->model->block[b->block];
  memset(out, 0, sizeof out);
  for (int64_t i = b->node0; i < b->node0 + b->n_node; i++)
    for (int c = 0; c < 3; c++) out[c] += r->state->p[k->p0 + c * k->column + i];
  *n = (int)b->n_node;
  return out;
}

/* ---- two rods ---- */

/* The impulse of a crossing is that of two masses, those that the crossing points feel [many 1], in the metric of the shadow
 * energy: inverse masses grow by some (2/3) y at most [shadow 7], y the square of the step over the stable one. */
static void test_crossing_is_exact(void **unused)
{
  (void)unused;
  char text[TEXT];
  const double pi = acos(-1.0);
  for (int elements = 10; elements <= 11; elements++)
    for (double e = 0.5; e <= 1.0; e += 0.5) {
      char contact[64];
      snprintf(contact, sizeof contact, "restitution: %g", e);
      crossing(text, "end: 0.004, step: 1e-5", elements, -2.0, 0.0, 0.5 * pi, contact);
      const run_options options = {.steps = 60};
      run_record r = run_scene(text, &options);
      const double per = 1.0 / elements, shares = elements % 2 == 0 ? 1.0 : 2.0; /* one node, or two halves */
      const double mass_a = shares * 1000.0 * pi * 4e-4 * per, mass_b = shares * 2000.0 * pi * 1e-4 * per;
      const double wanted = (1.0 + e) * 2.0 / (1.0 / mass_a + 1.0 / mass_b);
      const double lost = 0.5 * (1.0 - e * e) * 4.0 / (1.0 / mass_a + 1.0 / mass_b);
      const double ratio = 1e-5 / vv_model_stable_step(r.model), y = ratio * ratio;
      check_least((double)r.n_event, 1);
      double sum = 0.0; /* at a node four segment pairs meet */
      for (int64_t i = 0; i < r.n_event && r.event[i].time == r.event[0].time; i++) sum += r.event[i].normal_impulse;
      check_most(sum, wanted * (1.0 + 1e-12));
      check_least(sum, wanted * (1.0 - y));
      check_near(r.event[0].normal_speed, -2.0, 1e-12);
      check_near(fabs(r.event[0].n[2]), 1.0, 1e-12);
      check_near((double)r.event[0].node_a, 0.5 * elements, 0.51);
      check_near((double)r.event[0].node_b, 0.5 * elements, 0.51);
      const vv_ledger *l = run_ledger(&r);
      check_most(l->max_p_drift, 1e-15);
      check_most(l->max_L_drift, 1e-15);
      check_most(vv_sum_value(&l->posted.restitution_loss), lost + 1e-12);
      check_least(vv_sum_value(&l->posted.restitution_loss), (1.0 - y) * lost - 1e-12);
      check_most(l->max_penetration, 0.0);
      run_free(&r);
    }
}

/* Parallel rods that meet along their whole length exchange their velocities, node by node: one reflection. */
static void test_parallel_rods_swap(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.02, step: 1e-4}\nbodies:\n"
      "  a: {kind: beam, length: 1, elements: 8, material: {young: 1e5, density: 1000}, section: {circle: {radius: "
      "0.02}}, axis: [1, 0, 0], normal: [0, 0, 1], velocity: [0, 0, 0.5]}\n"
      "  b: {kind: beam, length: 1, elements: 8, material: {young: 1e5, density: 1000}, section: {circle: {radius: "
      "0.02}}, axis: [1, 0, 0], normal: [0, 0, 1], position: [0, 0, 0.05], velocity: [0, 0, -1]}\n");
  run_record r = run_scene(text, NULL);
  check_least((double)r.n_event, 1);
  int n;
  const double mass = 1000.0 * acos(-1.0) * 4e-4;
  const double *p = middle_momentum(&r, 0, &n);
  check_near(p[2] / mass, -1.0, 1e-10);
  p = middle_momentum(&r, 1, &n);
  check_near(p[2] / mass, 0.5, 1e-10);
  check_most(run_ledger(&r)->max_closure, 1e-10); /* nothing vibrates */
  check_most(run_ledger(&r)->max_penetration, 0.0);
  run_free(&r);
}

/* Thin rods that move by many diameters in a step do not pass through each other. */
static void test_thin_and_fast(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.2, step: 1e-3}\nbodies:\n"
      "  a: {kind: beam, length: 1, elements: 5, material: {young: 1e2, density: 1000}, section: {circle: {radius: "
      "1e-3}}, axis: [1, 0, 0], normal: [0, 0, 1], position: [-0.5, 0, 0]}\n"
      "  b: {kind: beam, length: 1, elements: 5, material: {young: 1e2, density: 1000}, section: {circle: {radius: "
      "1e-3}}, axis: [0, 1, 0], normal: [0, 0, 1], position: [0.01, -0.52, 0.513], velocity: [0, 0, -23]}\n");
  const run_options options = {.steps = 30};
  run_record r = run_scene(text, &options);
  check_least((double)r.n_event, 1);
  check_near(r.event[0].time, 0.022, 1.0e-3); /* 22.3 steps of 11.5 diameters */
  check_most(run_ledger(&r)->max_p_drift, 1e-14);
  run_free(&r);
}

/* ---- ten rods ---- */

static void place(const run_record *r, int body, int64_t i, double x[3])
{
  const vv_body *b = &r->model->body[body];
  const vv_block *k = &r->model->block[b->block];
  for (int c = 0; c < 3; c++) x[c] = r->state->q[k->q0 + c * k->column + b->node0 + i % b->n_node];
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Signed solid angle of the triangle a b c seen from the origin. */
static double solid_angle(const double a[3], const double b[3], const double c[3])
{
  const double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
  const double det =
      a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  return 2.0 * atan2(det, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

/* Gauss' linking number of two closed polygons: an integer that only a passage of one through the other can change. */
static double linking(const run_record *r, int one, int other)
{
  const int64_t n = r->model->body[one].n_node, m = r->model->body[other].n_node;
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < m; j++) {
      double x[2][3], y[2][3], d[4][3];
      for (int e = 0; e < 2; e++) place(r, one, i + e, x[e]), place(r, other, j + e, y[e]);
      for (int c = 0; c < 3; c++) {
        d[0][c] = x[0][c] - y[0][c], d[1][c] = x[1][c] - y[0][c];
        d[2][c] = x[1][c] - y[1][c], d[3][c] = x[0][c] - y[1][c];
      }
      sum += solid_angle(d[0], d[1], d[2]) + solid_angle(d[0], d[2], d[3]);
    }
  return sum / (4.0 * acos(-1.0));
}

/* Smallest gap between segments of different bodies, all against all. */
static double smallest_gap(const run_record *r, double radii)
{
  double least = INFINITY;
  for (int a = 0; a < r->model->n_body; a++)
    for (int b = 0; b < a; b++)
      for (int64_t i = 0; i < r->model->body[a].n_element; i++)
        for (int64_t j = 0; j < r->model->body[b].n_element; j++) {
          double x[2][3], y[2][3];
          for (int e = 0; e < 2; e++) place(r, a, i + e, x[e]), place(r, b, j + e, y[e]);
          least = fmin(least, segment_distance((const double(*)[3])x, (const double(*)[3])y) - radii);
        }
  return least;
}

static void check_chain(const char *contact, int64_t least)
{
  char text[TEXT];
  chain(text, "end: 2.5, step: {safety: 0.2}", contact);
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  print_message("chain {%s}: %lld impacts, %lld held, closure %.2e (end %.2e), p %.1e, L %.1e, friction %.3g, "
                "restitution %.3g of %.3g J\n",
                contact, (long long)l->impacts, (long long)l->held, l->max_closure, l->closure, l->max_p_drift,
                l->max_L_drift, vv_sum_value(&l->posted.friction_loss), vv_sum_value(&l->posted.restitution_loss),
                vv_totals_energy(&l->initial));
  check_least((double)l->impacts, (double)least);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  check_most(l->max_penetration, 1e-5 * 0.015); /* rows of the end have the arms of now: second order in the step */
  check_most(l->max_closure, 5e-3);
  check_least(smallest_gap(&r, 0.03), 0.0);
  for (int i = 0; i < 9; i++) check_near(fabs(linking(&r, i, i + 1)), 1.0, 1e-9);
  for (int i = 0; i < 8; i++) check_near(linking(&r, i, i + 2), 0.0, 1e-9);
  run_free(&r);
}

static void test_chain_keeps_its_books(void **unused)
{
  (void)unused;
  check_chain("restitution: 1", 1000);
  check_chain("friction: 0.4", 1000);
  check_chain("restitution: 0.5, friction: 0.3", 1000);
}

/* Energy follows the order of the step: errors in a fixed early window, before chaos sets in. */
static double window_error(const char *time)
{
  char text[TEXT];
  ten(text, time, "restitution: 1");
  run_record r = run_scene(text, NULL);
  const double out = run_ledger(&r)->max_closure;
  check_least((double)r.n_event, 3);
  run_free(&r);
  return out;
}

static void test_energy_is_of_second_order(void **unused)
{
  (void)unused;
  const double coarse = window_error("end: 0.03, step: 2e-4"), fine = window_error("end: 0.03, step: 1e-4"),
               finest = window_error("end: 0.03, step: 5e-5");
  print_message("window: %.3e %.3e %.3e, ratios %.2f %.2f\n", coarse, fine, finest, coarse / fine, fine / finest);
  check_near(coarse / fine, 4.0, 1.2);
  check_near(fine / finest, 4.0, 1.2);
}

/* What friction took is what is missing. */
static void test_friction_is_booked(void **unused)
{
  (void)unused;
  char text[TEXT];
  for (int way = 0; way < 2; way++) {
    crossing(text, "end: 1e-3, step: 2e-7", 8, -2.0, 1.5, 1.1,
             way == 0 ? "friction: 0.2" : "friction: 5, restitution: 0.4");
    const run_options options = {.steps = 2700};
    run_record r = run_scene(text, &options);
    const vv_ledger *l = run_ledger(&r);
    check_least((double)r.n_event, 1);
    check_least(vv_sum_value(&l->posted.friction_loss), 1e-3 * vv_totals_energy(&l->initial));
    const double missing = l->nodal_initial - vv_totals_energy(&l->now),
                 booked = vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss);
    print_message("friction: booked %.12g, missing %.12g, impacts %lld\n", booked, missing, (long long)l->impacts);
    check_near(missing / booked, 1.0, 1e-9);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    run_free(&r);
  }
}

/* With a floor and gravity: contacts at rest, pressed by others. */
static void test_heap_on_a_floor(void **unused)
{
  (void)unused;
  static const char *const contact[] = {"restitution: 0.4, friction: 0.3", "restitution: 1", "restitution: 0"};
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    heap(text, contact[i]);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    print_message("heap {%s}: %lld impacts, %lld held, closure %.2e, p %.1e, L %.1e, lost %.3g of %.3g J\n", contact[i],
                  (long long)l->impacts, (long long)l->held, l->max_closure, l->max_p_drift, l->max_L_drift,
                  vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss),
                  vv_totals_energy(&l->initial));
    check_least((double)l->impacts, 100);
    check_most(l->max_penetration, 0.0);
    check_most(l->max_p_drift, 1e-12);
    check_most(l->max_L_drift, 1e-12);
    check_most(l->max_closure, 2e-2);
    run_free(&r);
  }
}

/* ---- a rope and itself ---- */

/* Smallest gap between segments of one body that are farther apart along it than so many. */
static double smallest_own_gap(const run_record *r, double radii, int64_t apart)
{
  double least = INFINITY;
  for (int64_t i = 0; i < r->model->body[0].n_element; i++)
    for (int64_t j = 0; j + apart <= i; j++) {
      double x[2][3], y[2][3];
      for (int e = 0; e < 2; e++) place(r, 0, i + e, x[e]), place(r, 0, j + e, y[e]);
      least = fmin(least, segment_distance((const double(*)[3])x, (const double(*)[3])y) - radii);
    }
  return least;
}

/* Segments of one curve meet from ceil(2 pi r/l) + 2 of them on, both ways round where it is closed, and nearer ones never [contact 10]. */
static void test_width_of_the_exclusion(void **unused)
{
  (void)unused;
  static const struct {
    double radius;
    int elements;
    int64_t apart;
    const char *more; /* a ring: its ends are neighbours, too */
  } rope[] = {{0.01, 20, 4, ""},
              {0.01, 40, 5, ""},
              {0.025, 50, 10, ""},
              {0.002, 10, 3, ""},
              {0.0159, 20, 4, ""}, /* 2 pi r/l is 1.998 */
              {0.016, 20, 5, ""},  /* 2.011 */
              {0.01, 20, 4, ", closed: true, shape: {arc: {angle: 6.283185307179586}}, rest: shape"},
              {0.01, 40, 5, ", closed: true, shape: {arc: {angle: 6.283185307179586}}, rest: shape"}};
  for (size_t i = 0; i < sizeof rope / sizeof *rope; i++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1e-3}\ncontacts: [{self: true}]\nbodies:\n  rope: {kind: beam, length: 1, "
             "elements: %d, "
             "material: {young: 1e6, density: 1000}, section: {circle: {radius: %g}}%s}\n",
             rope[i].elements, rope[i].radius, rope[i].more);
    run_record r = run_prepare(text, &(run_options){.threads = 1});
    const struct vvi_solids *s = r.model->solids;
    assert_int_equal(s->n, rope[i].elements);
    for (int32_t a = 0; a < s->n; a++)
      for (int32_t b = 0; b < s->n; b++) {
        const int64_t there = llabs((long long)a - b), back = *rope[i].more ? s->n - there : INT64_MAX;
        assert_int_equal(vvi_solids_rule(s, a, b) >= 0, (there < back ? there : back) >= rope[i].apart);
      }
    run_free(&r);
  }
}

static void test_self_contact(void **unused)
{
  (void)unused;
  static const char *const contact[] = {"self: true", "between: [rope], restitution: 0.5, friction: 0.3"};
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    coil(text, contact[i], 0.04);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    print_message("coil: %lld impacts, %lld held, closure %.2e, p %.1e, L %.1e\n", (long long)l->impacts,
                  (long long)l->held, l->max_closure, l->max_p_drift, l->max_L_drift);
    check_least((double)l->impacts, 60); /* turns that meet at once are one answer each */
    check_most(l->max_penetration, 0.0);
    check_least(smallest_own_gap(&r, 0.02, 7), 0.0); /* a bend of the radius of the wire is pi elements long */
    check_most(l->max_p_drift, 1e-12);               /* relative to a momentum that is 0 in all */
    check_most(l->max_L_drift, 1e-12);
    check_most(l->max_closure, 2e-2);
    run_free(&r);
  }
}

/* A coil whose turns pass through each other, because nobody asked that they meet: told, as deep as it is when one looks from
 * outside; nothing is told of what may pass. */
static void test_folds_are_told(void **unused)
{
  (void)unused;
  static const struct {
    const char *contact;
    bool told;
  } list[] = {{"restitution: 1", true}, {"self: false", false}, {"response: none", false}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char text[TEXT];
    double deepest = 0.0;
    coil(text, list[i].contact, 0.04);
    run_record r = run_prepare(text, NULL);
    vv_report report = {.reason = VV_REASON_DONE};
    while (r.state->step < vv_model_steps(r.model)) {
      assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
      deepest = fmax(deepest, -smallest_own_gap(&r, 0.02, 7));
    }
    const vv_claim *claim;
    const int n = vv_sim_claims(r.sim, &claim);
    bool broken = false;
    check_least(deepest, 0.01);
    for (int k = 0; k < n; k++) {
      if (strcmp(claim[k].name, "penetration") != 0) continue;
      broken = !claim[k].kept;
      check_near(claim[k].worst, list[i].told ? deepest : 0.0, 1e-12);
    }
    assert_int_equal(broken, list[i].told);
    assert_int_equal(vv_ctx_message_count(r.ctx) > 0 && strstr(vv_ctx_message(r.ctx, 0), "went into itself") != NULL,
                     list[i].told);
    run_free(&r);
  }
}

/* ---- bits ---- */

static uint64_t hash_of(const char *text, int threads, int64_t steps, int64_t cut)
{
  const run_options options = {.threads = threads, .steps = steps};
  run_record r = run_prepare(text, &options);
  vv_report report;
  vv_state *state = NULL;
  const vv_sim_def def = vv_sim_default();
  assert_int_equal(vv_state_clone(r.state, &state), VV_OK);
  for (int64_t done = 0; done < steps;) {
    const int64_t n = cut > 0 && done + cut < steps ? cut : steps - done;
    vv_sim *sim = NULL;
    assert_int_equal(vv_sim_create(r.model, state, &def, &sim), VV_OK);
    assert_int_equal(vv_sim_steps(sim, n, &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    vv_sim_destroy(sim);
    done += n;
  }
  const uint64_t hash = vv_state_hash(state);
  vv_state_destroy(state);
  run_free(&r);
  return hash;
}

static void test_same_bits(void **unused)
{
  (void)unused;
  char text[TEXT];
  for (int scene = 0; scene < 4; scene++) {
    if (scene == 3)
      heap(text, "restitution: 0.4, friction: 0.3");
    else if (scene == 2)
      coil(text, "self: true, friction: 0.3, restitution: 0.8", 0.04);
    else
      ten(text, "end: 0.6, step: {safety: 0.3}", scene == 0 ? "restitution: 1" : "restitution: 0.5, friction: 0.3");
    const uint64_t hash = hash_of(text, 1, 900, 0);
    for (int threads = 2; threads <= 3; threads++) assert_true(hash == hash_of(text, threads, 900, 0));
    assert_true(hash == hash_of(text, 1, 900, 450));
    assert_true(hash == hash_of(text, 2, 900, 37));
  }
}

/* ---- the broad phase against all pairs ---- */

/* The gap of two objects of a search, each a segment between two movers, and the room their bounds ask for. */
static double true_gap(const vvi_solid_near *w, int32_t a, int32_t b)
{
  double x[2][2][3];
  for (int k = 0; k < 2; k++)
    for (int e = 0; e < 2; e++) {
      const vvi_object *o = &w->solids->object[k == 0 ? a : b];
      memcpy(x[k][e], w->mover[o->mover[e]].place, sizeof x[k][e]);
    }
  return segment_distance((const double(*)[3])x[0], (const double(*)[3])x[1]) - w->solids->object[a].reach -
         w->solids->object[b].reach;
}

/* Every pair that its bounds let touch is found, with its gap; nothing else is.  Returns how many there are. */
static int64_t check_all_pairs(const vvi_solid_near *w)
{
  int64_t found = 0, at = 0;
  for (int32_t a = 0; a < w->solids->n; a++)
    for (int32_t b = a + 1; b < w->solids->n; b++) {
      if (vvi_solids_rule(w->solids, a, b) < 0) continue;
      const double gap = true_gap(w, a, b), most = w->bound[a] + w->bound[b], slack = 1e-8 * w->solids->size;
      while (at < w->meets && (w->meet[at].a < a || (w->meet[at].a == a && w->meet[at].b < b))) at++;
      double least = INFINITY; /* a pair may touch at several places */
      for (int64_t i = at; i < w->meets && w->meet[i].a == a && w->meet[i].b == b; i++)
        least = fmin(least, w->meet[i].spot.gap);
      if (gap < most - slack) check_near(least, gap, 1e-9);
      if (gap > most + slack) assert_true(isinf(least));
      found += gap < most - slack;
    }
  return found;
}

/* Segments are thrown about, by no more than was announced, with short and with long steps. */
static void test_search_finds_all(void **unused)
{
  (void)unused;
  char text[TEXT];
  for (int scene = 0; scene < 2; scene++) {
    if (scene == 0)
      ten(text, "end: 0.6, step: {safety: 0.3}", "self: true");
    else
      coil(text, "self: true", 0.04);
    run_record r = run_prepare(text, NULL);
    const vv_block *b = &r.model->block[r.model->body[0].block];
    vvi_arena arena = {0};
    vvi_solid_near *w = NULL;
    assert_int_equal(vvi_solid_near_create(r.model, &arena, &w), VV_OK);
    int64_t found = 0;
    for (int turn = 0; turn < 60; turn++) {
      const double stride = turn % 10 == 9 ? 0.05 : pow(10.0, random_in(-5.0, -2.5));
      vvi_solid_near_place(r.model, w, r.state->q, r.state->p);
      for (int32_t i = 0; i < w->solids->n; i++) w->bound[i] = stride * random_in(1.0, 2.0);
      assert_true(vvi_solid_near_collect(w, 1.0));
      found += check_all_pairs(w);
      vvi_solid_near_moved(w, 1.0);
      for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < b->nodes; i++)
          r.state->q[b->q0 + c * b->column + i] += stride / sqrt(3.0) * random_in(-1.0, 1.0);
    }
    print_message("search: %lld near pairs in 60 looks, %lld lists\n", (long long)found, (long long)w->builds);
    check_least((double)found, 1000);
    check_most((double)w->builds, 40); /* some looks were made with a list of before */
    vvi_arena_free(&arena);
    run_free(&r);
  }
}

/* ---- refusals ---- */

static void refused(const char *text, const char *wanted)
{
  char message[2000];
  assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
  if (strstr(message, wanted) == NULL) fail_msg("'%s' is not in: %s", wanted, message);
}

static void two(char *text, const char *section_a, const char *section_b, double height, const char *more)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 0.01, step: 1e-4}\n%sbodies:\n"
           "  a: {kind: beam, length: 1, elements: 8, material: {young: 1e4, density: 1000}, section: {%s}, axis: [1, "
           "0, 0], "
           "normal: [0, 0, 1]}\n"
           "  b: {kind: beam, length: 1, elements: 8, material: {young: 1e4, density: 1000}, section: {%s}, axis: [0, "
           "1, 0], "
           "normal: [0, 0, 1], position: [0.5, -0.5, %g]}\n",
           more, section_a, section_b, height);
}

static void test_refused(void **unused)
{
  (void)unused;
  char text[TEXT], message[2000];
  static const char round[] = "circle: {radius: 0.02}", square[] = "square: {side: 0.04}",
                    line[] = "circle: {radius: 0.02}}, touch: centroid, stiffness: {shear: [1, 1]";
  two(text, round, round, 0.03, "");
  refused(text, "overlap by 0.01 at the start");
  two(text, round, round, 0.041, "");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, round, round, 0.03, "contacts: [{response: none}]\n");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, round, square, 0.03, "");
  refused(text, "overlap by 0.01 at the start");
  two(text, square, square, 0.03, "");
  refused(text, "intersect at the start");
  two(text, square, square, 0.041, "");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, square, square, 0.03, "contacts: [{response: none}]\n");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, round, round, 0.5, "method: {step: energy-momentum}\n");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, round, square, 0.5, "method: {step: energy-momentum}\n");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, square, square, 0.5, "method: {step: energy-momentum}\n");
  refused(text, "energy-momentum");
  two(text, round, round, 0.5, "method: {step: energy-momentum}\ncontacts: [{response: none}]\n");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, round, round, 0.5, "method: {step: event}\n");
  refused(text, "event has no contact of 'a' with 'b'");
  two(text, round, round, 0.5, "method: {step: leapfrog}\ncontacts: [{projection: kept}]\n");
  refused(text, "anticipate");
  two(text, line, line, 0.5, "method: {step: leapfrog}\n"); /* lines of centroids meet nothing that is as thin */
  refused(text, "'a' would meet 'b', which a line of centroids cannot");
  two(text, line, round, 0.5, "method: {step: leapfrog}\n");
  refused(text, "'a' would meet 'b', which a line of centroids cannot");
  two(text, line, line, 0.5, "method: {step: leapfrog}\ncontacts: [{response: none}]\n");
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
  two(text, line, round, 0.5, "method: {step: leapfrog}\ncontacts: [{between: [a]}]\n");
  refused(text, "'a' would meet itself");
  coil(text, "self: true", 0.015);
  refused(text, "overlaps itself");
  coil(text, "restitution: 1", 0.015); /* without self it may */
  assert_int_equal(run_refused(text, message, sizeof message), VV_OK);
}

/* A clamped end takes its part of an impulse, and the books know. */
static void test_supports_are_booked(void **unused)
{
  (void)unused;
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: 0.05, step: {safety: 0.3}}\ncontacts: [{friction: 0.3}]\nbodies:\n"
      "  a: {kind: beam, length: 1, elements: 6, material: {young: 1e6, density: 1000}, section: {circle: {radius: "
      "0.02}}, axis: [1, 0, 0], normal: [0, 0, 1], position: [1, 2, 3], ends: {first: clamped, last: pinned}}\n"
      "  b: {kind: beam, length: 0.4, elements: 4, material: {young: 1e6, density: 1000}, section: {circle: {radius: "
      "0.02}}, axis: [0, 1, 0], normal: [0, 0, 1], position: [1.05, 1.8, 3.05], velocity: [0.4, 0.3, -2]}\n"
      "  c: {kind: beam, length: 0.4, elements: 4, material: {young: 1e6, density: 1000}, section: {circle: {radius: "
      "0.02}}, axis: [0, 1, 0], normal: [0, 0, 1], position: [1.95, 1.8, 3.05], velocity: [0.1, 0.3, -2]}\n");
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  check_least((double)r.n_event, 2);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  run_free(&r);
}

/* Rods that graze each other fast: friction is that of sliding, mu times the normal impulse in every impact. */
static void test_grazing_rods(void **unused)
{
  (void)unused;
  run_record r =
      run_scene("visviva: 1\ntime: {end: 0.05, step: 1e-5}\ncontacts: [{friction: 0.05}]\nbodies:\n"
                "  a: {kind: beam, length: 1, elements: 10, material: {young: 1e7, density: 1000}, section: {circle: "
                "{radius: 0.02}}, axis: [1, 0, 0], position: [-0.5, 0, 0]}\n"
                "  b: {kind: beam, length: 1, elements: 10, material: {young: 1e7, density: 1000}, section: {circle: "
                "{radius: 0.02}}, axis: [0, 1, 0], position: [0, -0.5, 0.045], velocity: [3, 4, -1]}\n",
                NULL);
  check_least((double)r.n_event, 1);
  for (int64_t i = 0; i < r.n_event; i++)
    check_near(r.event[i].tangential_impulse, 0.05 * fabs(r.event[i].normal_impulse),
               1e-12 * fabs(r.event[i].normal_impulse));
  check_least(vv_sum_value(&run_ledger(&r)->posted.friction_loss), 1e-6);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grazing_rods),
      cmocka_unit_test(test_crossing_is_exact),
      cmocka_unit_test(test_parallel_rods_swap),
      cmocka_unit_test(test_thin_and_fast),
      cmocka_unit_test(test_chain_keeps_its_books),
      cmocka_unit_test(test_energy_is_of_second_order),
      cmocka_unit_test(test_friction_is_booked),
      cmocka_unit_test(test_heap_on_a_floor),
      cmocka_unit_test(test_self_contact),
      cmocka_unit_test(test_folds_are_told),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_search_finds_all),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_supports_are_booked),
      cmocka_unit_test(test_width_of_the_exclusion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
