/* bench/bench_flow.c  What flowing costs over the elastic step, same machine, same build: bench_flow [folder for the CSV [name of scenes]].
 *
 * Four copies of a body: elastic; with a yield stress that nothing reaches (virgin); one that has flowed and is elastic now; one
 * that is blown up or pulled on, so that every point flows in every step.  Timed is the whole step as a run without contact takes
 * it: `stride`, for the others `flow_stride` (or flow and stride).  Windows of the four follow each other in turn, and the least of
 * many counts: what else the machine does disturbs all alike, and the least least. */
#include "tools.h"

#include "math/math.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELASTIC, VIRGIN, FLOWED, FLOWING, CASES };
static const char *const case_name[CASES] = {"elastic", "virgin", "flowed", "flowing"};

typedef struct scene {
  const char *name, *body; /* %s: material */
  int windows;
} scene;

typedef struct subject {
  bench_run run;
  const vv_block *b;
  double *q, *p, *q0, *p0; /* of the block; of the model as they are at the start of a window */
  double h, best;
} subject;

static void rewind_to_start(subject *s)
{
  memcpy(s->run.state->q, s->q0, sizeof(double) * (size_t)s->run.model->nq);
  memcpy(s->run.state->p, s->p0, sizeof(double) * (size_t)s->run.model->np);
}

static int axes_of(const subject *s)
{
  return s->b->kind->node_q < 3 ? 1 : 3;
}

/* How far node i is along axis c: the strain is the same everywhere. */
static double arm_of(const subject *s, int c, int64_t i)
{
  return axes_of(s) == 1 ? (double)i / (double)s->b->nodes : s->q[c * s->b->column + i];
}

static void stretch(subject *s, double strain)
{
  for (int c = 0; c < axes_of(s); c++)
    for (int64_t i = 0; i < s->b->nodes; i++) s->q[c * s->b->column + i] += strain * arm_of(s, c, i);
  vv_posted post = {0};
  vvi_sys_flow(s->run.model, s->h, s->run.state->q, s->run.state->p, &post);
}

/* It goes on: a strain of 1e-5 in every step. */
static void pull_on(subject *s)
{
  const vv_model *m = s->run.model;
  double *unit = calloc((size_t)m->np + 1, sizeof *unit), *moved = malloc(sizeof(double) * (size_t)m->nq);
  if (unit == NULL || moved == NULL) exit(1);
  memcpy(moved, s->run.state->q, sizeof(double) * (size_t)m->nq);
  for (int c = 0; c < axes_of(s); c++)
    for (int64_t i = 0; i < s->b->nodes; i++) unit[s->b->p0 + c * s->b->column + i] = 1.0;
  vvi_sys_drift(m, 1.0, moved, unit); /* by 1/m */
  for (int c = 0; c < axes_of(s); c++)
    for (int64_t i = 0; i < s->b->nodes; i++) {
      const int64_t at = c * s->b->column + i;
      const double inverse = moved[s->b->q0 + at] - s->q[at];
      s->p[at] = inverse > 0.0 ? 1e-5 / s->h * arm_of(s, c, i) / inverse : 0.0;
    }
  free(unit), free(moved);
}

static subject open_case(const scene *c, int which)
{
  static const char *const law[CASES] = {"poisson: 0.3", "poisson: 0.3, law: j2, yield: 1e20",
                                         "poisson: 0.3, law: j2, yield: 1e3, hardening: 1e4",
                                         "poisson: 0.3, law: j2, yield: 1e3, hardening: 1e4"};
  char text[2048], body[1024];
  const bool bar = strstr(c->body, "kind: bar") != NULL;
  snprintf(body, sizeof body, c->body, law[which] + (bar ? strlen("poisson: 0.3") : 0));
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-7}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
           "  %s\n",
           body);
  subject s = {.run = bench_parse(text, 1), .h = 1e-7, .best = INFINITY};
  const vv_model *m = s.run.model;
  s.b = &m->block[0];
  s.q = s.run.state->q + s.b->q0, s.p = s.run.state->p + s.b->p0;
  s.q0 = malloc(sizeof(double) * (size_t)m->nq), s.p0 = malloc(sizeof(double) * (size_t)m->np);
  if (s.q0 == NULL || s.p0 == NULL) exit(1);
  if (which >= FLOWED) stretch(&s, 0.02);
  if (which == FLOWED) stretch(&s, -0.001);
  if (which == FLOWING) pull_on(&s);
  memcpy(s.q0, s.run.state->q, sizeof(double) * (size_t)m->nq);
  memcpy(s.p0, s.run.state->p, sizeof(double) * (size_t)m->np);
  return s;
}

static void measure(const scene *c, FILE *csv)
{
  subject s[CASES];
  for (int i = 0; i < CASES; i++) s[i] = open_case(c, i);
  const int64_t n = s[0].b->elements;
  const int steps = 2 + (int)(2e4 / (double)n);
  double work = 0.0;
  for (int window = 0; window < c->windows; window++)
    for (int i = 0; i < CASES; i++) {
      vv_posted post = {0};
      double *q = s[i].run.state->q, *p = s[i].run.state->p;
      rewind_to_start(&s[i]);
      vvi_sys_flow_stride(s[i].run.model, s[i].h, q, p, &post); /* what the copy has put elsewhere comes near again */
      const double start = bench_clock(1);
      for (int k = 0; k < steps; k++) vvi_sys_flow_stride(s[i].run.model, s[i].h, q, p, &post);
      s[i].best = fmin(s[i].best, bench_clock(1) - start);
      if (i == FLOWING) work = vv_sum_value(&post.plastic_work);
    }
  if (!(work > 0.0)) exit(1); /* it did not flow: nothing was measured */
  printf("%-18s %8lld", c->name, (long long)n);
  fprintf(csv, "%s,%lld", c->name, (long long)n);
  for (int i = 0; i < CASES; i++) {
    const double ns = 1e9 * s[i].best / (double)steps / (double)n;
    printf("  %8.2f (%4.2f)", ns, s[i].best / s[0].best);
    fprintf(csv, ",%.3f", ns);
    free(s[i].q0), free(s[i].p0);
    bench_close(&s[i].run);
  }
  printf("\n");
  fprintf(csv, "\n");
  fflush(stdout);
}

#define SHELL(frequency)                                               \
  "s: {kind: shell, mesh: {sphere: {radius: 1, frequency: " #frequency \
  "}}, thickness: 0.01, material: {young: 1e6, density: 1e3, %s}}"

int main(int argc, char **argv)
{
  static const scene list[] = {
      {"shell 4k", SHELL(22), 400},
      {"shell 12k", SHELL(38), 200},
      {"shell 50k", SHELL(79), 60},
      {"shell 500k", SHELL(250), 12},
      {"bar 10k",
       "s: {kind: bar, length: 1, elements: 10000, section: {area: 1}, material: {young: 1e6, density: 1e3%s}}", 200},
      {"beam 1k, 3 x 12",
       "s: {kind: beam, length: 1, elements: 1000, axis: [1, 0, 0], section: {circle: {radius: 0.01}}, material: "
       "{young: "
       "1e6, density: 1e3, %s}}",
       200}};
  FILE *csv = bench_csv(argc, argv, "-flow");
  fprintf(csv, "scene,elements,ns_elastic,ns_virgin,ns_flowed,ns_flowing\n");
  printf("%-18s %8s", "ns per element", "elements");
  for (int i = 0; i < CASES; i++) printf("  %8s %6s", case_name[i], "");
  printf("\n");
  for (int i = 0; i < VV_COUNT(list); i++)
    if (argc < 3 || strstr(list[i].name, argv[2]) != NULL) measure(&list[i], csv);
  printf("\n(over the elastic step); load %.2f\n", bench_load());
  return fclose(csv) != 0;
}
