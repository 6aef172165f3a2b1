/* tests/physics/test_plane_triangles.c  Triangles that meet in their plane: (55) to (62) and figure 5 of Cirak and West 2005.
 *
 * A corner C of one sheet hits the edge AB of another at (1 - xi) A + xi B.  With the gradients (57) of g = (C - B).(B - A)'
 * (' turns by a right angle) the momenta change by (1 + e) times the normal part of (18), p_norm = grad g (grad g.M^-1 p)/(grad g.M^-1
 * grad g): that is computed here, from places, momenta and masses of three nodes alone, and compared with what the engine of
 * surfaces in space does. */
#include "check.h"
#include "run.h"

#include "model/model.h"

#include <string.h>

enum { CORNER_SHEET, EDGE_SHEET, A = 0, B, C, NODES };

static void write_scene(char *text, size_t size, double e, double mu)
{
  snprintf(
      text, size,
      "visviva: 1\ntime: {end: 0.02, step: 1e-5}\nmethod: {step: leapfrog}\ncontacts: [{restitution: %g, friction: "
      "%g}]\nbodies:\n"
      "  low: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [1, 1]}}, thickness: 0.01, material: {young: "
      "1, poisson: 0.3, density: 100}, rotation: [0, 0, 0.7], velocity: [1, 3, 0]}\n"
      "  high: {kind: shell, mesh: {rectangle: {size: [2, 1], pieces: [1, 1]}}, thickness: 0.01, material: {young: "
      "1, poisson: 0.3, density: 150}, centre: [0.2, 1.3, 0], velocity: [0, -20, 0]}\n",
      e, mu);
}

static void node_of(const run_record *r, int64_t i, const double *q, double out[2])
{
  const vv_block *b = &r->model->block[0];
  out[0] = q[b->q0 + i], out[1] = q[b->q0 + b->column + i];
}

/* The nodes of the impact: those whose momenta changed. */
static void check_impact(double e)
{
  char text[1024];
  write_scene(text, sizeof text, e, 0.0);
  run_record r = run_prepare(text, NULL);
  const vv_block *b = &r.model->block[0];
  double before[3 * 64];
  vv_report report;
  assert_true(r.state->np <= 3 * 64);
  while (run_ledger(&r)->impacts == 0 && r.state->t < 0.02) {
    memcpy(before, r.state->p, sizeof *before * (size_t)r.state->np);
    assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
  }
  assert_int_equal(run_ledger(&r)->impacts, 1);

  int64_t node[NODES], n = 0;
  const int64_t first_high = r.model->body[EDGE_SHEET].node0;
  for (int64_t i = first_high; i < b->nodes; i++) /* the lower edge */
    if (r.state->q[b->q0 + b->column + i] < 1.1) node[n++] = i;
  assert_int_equal(n, 2);
  node[C] = 0;
  for (int64_t i = 1; i < first_high; i++)
    if (r.state->q[b->q0 + b->column + i] > r.state->q[b->q0 + b->column + node[C]]) node[C] = i;

  /* (57), (58): places as they were when the impulse acted, before the drift; sheets fly without forces until then */
  double x[NODES][2], p[NODES][2], m[NODES], grad[NODES][2], rate = 0.0, inverse = 0.0;
  for (int k = 0; k < NODES; k++) {
    m[k] = b->node_real[node[k]]; /* column 0: mass */
    node_of(&r, node[k], r.state->q, x[k]);
    for (int c = 0; c < 2; c++) {
      p[k][c] = before[b->p0 + c * b->column + node[k]];
      x[k][c] -= 1e-5 * r.state->p[b->p0 + c * b->column + node[k]] / m[k];
    }
  }
  const double edge[2] = {x[B][0] - x[A][0], x[B][1] - x[A][1]}, length = edge[0] * edge[0] + edge[1] * edge[1];
  const double xi = ((x[C][0] - x[A][0]) * edge[0] + (x[C][1] - x[A][1]) * edge[1]) / length;
  check_least(xi, 0.1);
  check_most(xi, 0.9);
  for (int c = 0; c < 2; c++) x[C][c] = x[A][c] + xi * edge[c]; /* where it touches: g = 0 */
  for (int k = 0; k < NODES; k++) {
    const double *from = k == A ? x[C] : k == B ? x[A] : x[B], *to = k == A ? x[B] : k == B ? x[C] : x[A];
    const double d[2] = {to[0] - from[0], to[1] - from[1]};
    grad[k][0] = -d[1], grad[k][1] = d[0];
    for (int c = 0; c < 2; c++) rate += grad[k][c] * p[k][c] / m[k], inverse += grad[k][c] * grad[k][c] / m[k];
  }
  for (int k = 0; k < NODES; k++)
    for (int c = 0; c < 2; c++) {
      const double change = r.state->p[b->p0 + c * b->column + node[k]] - p[k][c];
      /* the edges beside the corner are as near as the gap is small, and take a part of it */
      check_near(change, -(1.0 + e) * rate / inverse * grad[k][c], 1e-6 * fabs(rate / inverse) * sqrt(length));
    }
  for (int64_t i = 0; i < b->nodes; i++) check_near(r.state->p[b->p0 + 2 * b->column + i], 0.0, 1e-12);
  run_free(&r);
}

static void test_corner_on_edge(void **unused)
{
  (void)unused;
  check_impact(1.0);
  check_impact(0.5);
  check_impact(0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_corner_on_edge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
