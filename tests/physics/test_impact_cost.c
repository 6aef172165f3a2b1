/* tests/physics/test_impact_cost.c  What an impact costs, in forces: those that the trial flights of a step with impacts ask for beside
 * the one of every step, counted at the table of the body kind.  The theory says 4 K, and 6 K where nothing is lost, with K of
 * [shadow 4]; linear bars and rigid bodies ask for none.  The output is the table of docs/performance.md. */
#include "check.h"

#include "contact/contact.h"
#include "model/model.h"
#include "run.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048, BLOCKS = 8 };

/* ---- the count ---- */

enum { STEPS = 200000 };
static struct {
  const vv_body_kind *real[BLOCKS];
  vv_body_kind kind[BLOCKS];
  vv_some_table some[BLOCKS];
  const double *q[BLOCKS]; /* of the state: what drifts there is a step */
  int n;
  double whole, part; /* forces since the last drift, and how much of the nodes these were asked for */
  int64_t steps;
  double of_step[2][STEPS]; /* whole and part of each step, from drift to drift */
} count;

static const vv_body_kind *real_of(const vv_block *b)
{
  return count.real[b->kind - count.kind];
}

static void ask(double forces, double share)
{
  count.whole += forces, count.part += forces * share;
}

static void end_step(const vv_block *b, const double *q)
{
  if (b->kind != count.kind || q != count.q[0]) return;
  assert_in_range(count.steps, 0, STEPS - 1);
  count.of_step[0][count.steps] = count.whole, count.of_step[1][count.steps++] = count.part;
  count.whole = count.part = 0.0;
}

static void count_kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  ask(1.0, 1.0);
  real_of(b)->kick(b, t, h, q, p);
}

static void count_force_kick(const vv_block *b, double h, const double *q, double *f, double *p)
{
  ask(1.0, 1.0);
  real_of(b)->force_kick(b, h, q, f, p);
}

static void count_stride(const vv_block *b, double h, double *q, double *p)
{
  ask(1.0, 1.0);
  real_of(b)->stride(b, h, q, p);
  end_step(b, q);
}

static int count_drift(const vv_block *b, double h, double *q, double *p)
{
  end_step(b, q);
  return real_of(b)->drift(b, h, q, p);
}

static void count_leap(const vv_block *b, double a, double h, double kick, double *q, double *f, double *p)
{
  end_step(b, q);
  if (kick != 0.0) ask(1.0, 1.0);
  real_of(b)->leap(b, a, h, kick, q, f, p);
}

static void count_some(const vv_block *b, double h, double drift, int64_t n, const int32_t *node, const void *set,
                       int states, double *const scratch[], double *const q[], double *const p[])
{
  ask(states, (double)n / (double)b->nodes);
  real_of(b)->some->kick(b, h, drift, n, node, set, states, scratch, q, p);
}

/* From now on the forces of all that bends are counted. */
static void count_from_now(run_record *r)
{
  memset(&count, 0, sizeof count);
  for (int i = 0; i < r->model->n_block; i++) {
    vv_block *b = &r->model->block[i];
    if (b->elements == 0) continue;
    assert_in_range(count.n, 0, BLOCKS - 1);
    vv_body_kind *k = &count.kind[count.n];
    *k = *(count.real[count.n] = b->kind), count.q[count.n] = r->state->q + b->q0;
    k->kick = count_kick, k->drift = count_drift;
    if (k->force_kick != NULL) k->force_kick = count_force_kick;
    if (k->leap != NULL) k->leap = count_leap;
    if (k->stride != NULL) k->stride = count_stride;
    if (k->some != NULL)
      count.some[count.n] = *k->some, count.some[count.n].kick = count_some, k->some = &count.some[count.n];
    b->kind = k;
    count.n++;
  }
}

/* ---- the runs ---- */

typedef struct cost {
  double base;               /* forces of a step without impacts, each of them */
  double least, whole, most; /* more of a step with impacts: the least, the mean, the most of all, */
  double part;               /* and the mean in forces of all nodes */
  int64_t hits;              /* steps with impacts */
} cost;

/* The steps of one stretch; a row of the ledger, which asks for forces of its own, ends before the first and behind the last. */
static cost measure(const char *text)
{
  vv_events events = {.event = calloc(100000, sizeof *events.event), .capacity = 100000};
  assert_non_null(events.event);
  run_record r = run_prepare(text, NULL);
  assert_int_equal(vv_sim_observe(r.sim, 1 << 20, vv_events_observe, &events), VV_OK);
  assert_int_equal(vv_sim_steps(r.sim, 2, &r.report), VV_OK);
  count_from_now(&r);
  const int64_t first = r.state->step, steps = vv_model_steps(r.model) - first, known = events.n;
  assert_int_equal(vv_sim_steps(r.sim, steps, &r.report), VV_OK);
  assert_int_equal(events.missed, 0);
  unsigned char *hit = calloc((size_t)steps + 1, 1);
  assert_non_null(hit);
  for (int64_t i = known; i < events.n; i++) {
    const int64_t k = (int64_t)round(events.event[i].time / r.sim->step.h) - first;
    if (strcmp(events.event[i].kind, "bounce") == 0 && k > 0 && k < steps) hit[k] = 1;
  }
  cost c = {.base = count.n > 0 ? NAN : 0.0, .least = INFINITY};
  if (count.n > 0) assert_int_equal(count.steps, steps);
  for (int64_t k = 1; k < steps; k++) {
    const double whole = count.n > 0 ? count.of_step[0][k] : 0.0;
    if (!hit[k] && !(c.base <= whole)) c.base = whole; /* what is no impact may be a contact that holds */
  }
  for (int64_t k = 1; k < steps; k++) {
    if (!hit[k]) continue;
    const double more = (count.n > 0 ? count.of_step[0][k] : 0.0) - c.base;
    c.least = fmin(c.least, more), c.most = fmax(c.most, more), c.whole += more, c.hits++;
    c.part += (count.n > 0 ? count.of_step[1][k] : 0.0) - c.base;
  }
  c.whole /= (double)c.hits, c.part /= (double)c.hits;
  run_free(&r);
  free(events.event), free(hit);
  return c;
}

typedef struct scene {
  const char *name, *bodies;
  double end;  /* s */
  bool trials; /* it bends, and not linearly */
} scene;

#define ROOM(size) "  room: {kind: obstacle, shape: {room: {size: [" #size ", " #size ", " #size "]}}}\n"
static const scene list[] = {
    {"bar, linear",
     "  band: {kind: bar, length: 1, elements: 10, section: {area: 1e-4}, position: -0.5, velocity: 2, "
     "material: {young: 1e6, density: 1000}}\n" ROOM(4),
     20.0, false},
    {"bar, neo-Hookean",
     "  band: {kind: bar, length: 1, elements: 10, section: {area: 1e-4}, position: -0.5, velocity: 2, "
     "material: {young: 1e6, density: 1000, law: neo-hookean}}\n" ROOM(4),
     20.0, true},
    {"beam",
     "  rod: {kind: beam, length: 0.5, elements: 8, material: {young: 1e7, poisson: 0.45, density: 1100}, "
     "section: {circle: {radius: 0.02}}, position: [-0.25, -0.5, 0.3], axis: [1, 0, 0.2], velocity: [1, 2, -3]}\n" ROOM(
         2),
     1.0, true},
    {"shell, 18 nodes",
     "  skin: {kind: shell, mesh: {sphere: {radius: 0.3, level: 1}}, thickness: 2e-2, "
     "material: {young: 1e6, poisson: 0.45, density: 1000}, velocity: [1, 0.5, -1]}\n" ROOM(2),
     1.0, true},
    {"shell, 1,026 nodes",
     "  skin: {kind: shell, mesh: {sphere: {radius: 0.3, level: 4}}, thickness: 2e-2, "
     "material: {young: 1e6, poisson: 0.45, density: 1000}, velocity: [3, 1.5, -3]}\n" ROOM(2),
     0.25, true},
    {"rigid box",
     "  box: {kind: rigid, shape: {box: {size: [0.3, 0.2, 0.1]}}, mass: 1, velocity: [1, 0.5, -1], spin: [3, 2, "
     "1]}\n" ROOM(2),
     5.0, false},
};
static const struct law {
  const char *name, *text;
  bool exact;
} law[] = {{"e = 1", "restitution: 1", true},
           {"e = 0.9", "restitution: 0.9", false},
           {"e = 0.9, mu = 0.2", "restitution: 0.9, friction: 0.2", false}};
static const double fraction[] = {0.1, 0.3, 0.5};
/* [shadow 4], table of docs/theory/shadow.md: without losses, with them */
static const int trials[2][3] = {{2, 3, 5}, {1, 2, 2}};

static cost at(const scene *s, const struct law *l, double part)
{
  char text[TEXT], step[64] = "1e-3";
  if (strncmp(s->name, "rigid", 5) != 0) snprintf(step, sizeof step, "{safety: %g}", part);
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: %g, step: %s}\nmethod: {step: leapfrog}\ngravity: [0, 0, -9.81]\n"
           "record: {ledger: 100000000}\ncontacts: [{%s}]\nbodies:\n%s",
           s->end, step, l->text, s->bodies);
  return measure(text);
}

static bool is_bar(const scene *s)
{
  return strncmp(s->name, "bar", 3) == 0;
}

/* What holds or is calmed asks for nothing, so that where something is lost a step with impacts may ask for less.  Of surfaces a step
 * whose impulses make something faster than its pairs were searched with is answered once more, and asks twice. */
static void check_cost(const scene *s, const struct law *l, int i, const cost *c)
{
  const int flights = l->exact && !is_bar(s) ? 3 : 2; /* tips of bars: two, without losses too */
  const double due = s->trials ? 2.0 * flights * trials[l->exact ? 0 : 1][i] : 0.0;
  check_least((double)c->hits, 5.0);
  check_most(c->most, strncmp(s->name, "shell", 5) == 0 ? 2.0 * due : due);
  check_most(c->part, c->whole);
  if (l->exact) check_least(c->least, due);
}

static void test_forces_of_an_impact(void **unused)
{
  (void)unused;
  print_message("| body | law | a step | 0.1 | 0.3 | 0.5 |\n|---|---|---|---|---|---|\n");
  for (int k = 0; k < VV_COUNT(list); k++)
    for (int j = 0; j < VV_COUNT(law); j++) {
      cost c[3];
      if (is_bar(&list[k]) && strstr(law[j].text, "friction") != NULL) continue; /* guided: they cannot slide */
      for (int i = 0; i < 3; i++) c[i] = at(&list[k], &law[j], fraction[i]);
      print_message("| %s | %s | %g |", list[k].name, law[j].name, c[0].base);
      for (int i = 0; i < 3; i++)
        print_message(" %.3g [%g..%g] (%.3g) n %ld |", c[i].whole, c[i].least, c[i].most, c[i].part, (long)c[i].hits);
      print_message("\n");
      for (int i = 0; i < 3; i++) check_cost(&list[k], &law[j], i, &c[i]);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forces_of_an_impact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
