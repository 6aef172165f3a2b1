/* tests/physics/test_shell_spheres.c  The spheres of Cirak and West 2005 at the paper's mesh and step, one mesh rotation each:
 * energy within 1e-4 at every step, with the friction loss too, momenta to 1e-13, and what the spheres do inside the
 * distribution that an independent program found.  Five rotations, and the friction sweep, are in the validation book. */
#include "check.h"

#include "run.h"
#include "sheets.h"

#include <stdio.h>

typedef struct watch {
  double first, last, most, most_at; /* s: contacts; J and s: largest strain energy */
  int64_t crossed;
} watch;

static vv_status look(const vv_view *v, void *user)
{
  watch *w = user;
  for (int64_t i = 0; i < v->n_event; i++) {
    w->first = fmin(w->first, v->event[i].time);
    w->last = fmax(w->last, v->event[i].time);
  }
  if (v->ledger->now.strain > w->most) w->most = v->ledger->now.strain, w->most_at = v->state->t;
  if (v->state->step % 400 == 0) w->crossed += sheet_intersections(v->model, v->state);
  return VV_OK;
}

/* Checks what does not depend on the mesh.  offset: m, across the line of flight. */
static run_record collide(double offset, double mu, watch *w)
{
  char text[2048];
  static const char *const ball = "kind: shell, mesh: {sphere: {radius: 1, level: 4}}, thickness: 0.05, material: "
                                  "{young: 2.1e5, poisson: 0.3, density: 0.0785}";
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 0.04, step: 5e-6}\nmethod: {step: leapfrog}\ncontacts: [{restitution: 1, friction: "
           "%g}]\nbodies:\n  left: {%s, rotation: [0.3, 0.5, 0.2], velocity: [150, 0, 0]}\n"
           "  right: {%s, rotation: [-0.4, 0.1, 0.7], centre: [2.1, %g, 0], velocity: [-50, 0, 0]}\n",
           mu, ball, ball, offset);
  *w = (watch){.first = INFINITY};
  run_record r = run_scene(text, &(run_options){.threads = 1, .observe = look, .user = w});
  const vv_ledger *l = run_ledger(&r);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  assert_int_equal(w->crossed, 0);
  check_most(l->max_closure, 1e-4);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  check_most(l->max_penetration, 0.0);
  return r;
}

/* Mean and deviation of fifty runs; a single one stays within three deviations. */
static void head_on(void **unused)
{
  (void)unused;
  watch w;
  run_record r = collide(0.0, 0.0, &w);
  const vv_ledger *l = run_ledger(&r);
  int components;
  const int64_t n = vv_model_field_size(r.model, 0, "velocity", &components);
  double *v = test_calloc((size_t)(n * components), sizeof *v), after = 0.0;
  assert_int_equal(vv_model_output(r.model, r.state, 0, "velocity", v), VV_OK);
  for (int64_t i = 0; i < n; i++) after += v[components * i] / (double)n;
  print_message("  W %.3f at %.2f ms, contact for %.1f ms, then %.1f m/s; E %.1e\n", w.most / l->energy_scale,
                1e3 * (w.most_at - w.first), 1e3 * (w.last - w.first), after, l->max_closure);
  check_near(w.most / l->energy_scale, 0.702, 3 * 0.008);
  check_near(1e3 * (w.most_at - w.first), 13.6, 3 * 0.3);
  check_near(1e3 * (w.last - w.first), 30.2, 3 * 1.0);
  check_near(after, -7.1, 3 * 4.9);
  test_free(v);
  run_free(&r);
}

/* Half a radius off: 8.81 +- 0.35 % of the energy is rubbed away. */
static void with_friction(void **unused)
{
  (void)unused;
  watch w;
  run_record r = collide(0.5, 0.5, &w);
  const vv_ledger *l = run_ledger(&r);
  const double lost = vv_sum_value(&l->posted.friction_loss) / l->energy_scale;
  print_message("  lost %.2f %%; E %.1e\n", 100.0 * lost, l->max_closure);
  check_near(100.0 * lost, 8.81, 3 * 0.35);
  check_most(fabs(vv_sum_value(&l->posted.restitution_loss)) / l->energy_scale, 1e-14);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(head_on), cmocka_unit_test(with_friction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
