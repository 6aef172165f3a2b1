/* tests/support/plastic.c  See plastic.h. */
#include "plastic.h"

#include "math/math.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bars ---- */

const plastic_rebound plastic_rebounds[PLASTIC_REBOUNDS] = {{1.5, 0.534341, 0.667679, 0.006985, 2.0},
                                                            {3.0, 0.310677, 0.890665, 0.031413, 3.07335},
                                                            {6.0, 0.181476, 0.956934, 0.103777, 3.64939}};

void plastic_rebound_scene(double v, int elements, double safety, double restitution, const char *more, char *text,
                           size_t size)
{
  snprintf(text, size,
           "visviva: 1\ntime: {end: 6, step: {safety: %.17g}}\nmethod: {step: leapfrog}\nbodies:\n"
           "  bar: {kind: bar, length: 1, elements: %d, section: {area: 1}, velocity: %.17g, position: 0,\n"
           "        material: {law: j2, young: 1, density: 1, yield: 0.01, hardening: 0.1}%s}\n"
           "  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0]}}}\n"
           "contacts: [{between: all, restitution: %.17g}]\n",
           safety, elements, -0.01 * v, more, restitution);
}

double plastic_release(int n, const double *time, const double *impulse)
{
  int i = 0;
  while (i + 1 < n && impulse[i] < 0.999 * impulse[n - 1]) i++;
  return time[i];
}

void plastic_wall_scene(int elements, bool flows, char *text, size_t size)
{
  snprintf(text, size,
           "visviva: 1\ntime: {end: %g, step: {safety: 0.5}}\nmethod: {step: leapfrog}\nbodies:\n"
           "  bar: {kind: bar, length: 0.0324, elements: %d, section: {area: 3.2169909e-5}, velocity: -227,\n"
           "        tips: {first: lumped, last: lumped}, material: {young: 117e9, density: 8922.55%s}}\n"
           "  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0]}}}\ncontacts: [{restitution: %d}]\n",
           flows ? 5e-4 : 1.2e-4, elements, flows ? ", law: j2, yield: 400e6, hardening: 100.1e6" : "", flows ? 0 : 1);
}

/* ---- spring-back ---- */

void plastic_strip_scene(int points, char *text, size_t size)
{
  snprintf(text, size,
           "visviva: 1\ntime: {end: 1e-3}\nbodies:\n"
           "  strip: {kind: shell, mesh: {rectangle: {size: [2e-3, 2e-3], pieces: [12, 12]}}, thickness: 1e-3,\n"
           "          material: {young: 70e9, poisson: 0.4999, density: 2700, law: j2, yield: 100e6, points: %d}}\n",
           points);
}

double plastic_sheet_energy(const vv_model *model, const vv_state *state, const double *rest)
{
  const vv_block *b = &model->block[0];
  double *density = calloc((size_t)b->elements, sizeof *density), sum = 0.0;
  int n = 0;
  if (density == NULL || vv_model_output(model, state, 0, "energy_density", density) != VV_OK) sum = NAN;
  for (int64_t e = 0; density != NULL && e < b->elements; e++) {
    bool inside = true;
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 2; c++) inside &= fabs(rest[3 * b->element_node[3 * e + i] + c]) < 5.1e-4;
    if (inside) sum += density[e], n++;
  }
  free(density);
  return sum / n;
}

/* z = k x^2/2 - k y^2/4: bent, and as much the other way across as nu = 1/2 wants, so that stresses are uniaxial. */
static void bend(const vv_block *b, double *q, const double *rest, double k)
{
  for (int64_t i = 0; i < b->nodes; i++) {
    const double x = rest[3 * i], y = rest[3 * i + 1];
    q[2 * b->column + i] = 0.5 * k * x * x - 0.25 * k * y * y;
  }
}

double plastic_spring_back(const vv_model *model, vv_state *state, double x)
{
  enum { STEPS = 400 };
  const double E = 70e9, yield = 100e6, h = 1e-3, ky = yield / (E * 0.5 * h), k = ky / x, d = 1e-3 * ky;
  const vv_block *b = &model->block[0];
  double *q = state->q + b->q0, *rest = calloc(3 * (size_t)b->nodes, sizeof *rest);
  vv_posted post = {0};
  if (rest == NULL || vv_model_output(model, state, 0, "position", rest) != VV_OK) {
    free(rest);
    return NAN;
  }
  for (int i = 1; i <= STEPS; i++) {
    bend(b, q, rest, k * i / STEPS);
    b->kind->flow(b, 1.0, q, state->p + b->p0, &post);
  }
  bend(b, q, rest, k + d);
  const double up = plastic_sheet_energy(model, state, rest);
  bend(b, q, rest, k - d);
  const double moment = (up - plastic_sheet_energy(model, state, rest)) / (2.0 * d);
  memset(q + b->z0, 0, sizeof(double) * (size_t)b->z_reals); /* stiffness of the virgin strip */
  bend(b, q, rest, d);
  const double stiffness = 2.0 * plastic_sheet_energy(model, state, rest) / (d * d);
  free(rest);
  return 1.0 - moment / (stiffness * k);
}

/* ---- a sphere that is blown up ---- */

void plastic_sphere_scene(int frequency, char *text, size_t size)
{
  snprintf(text, size,
           "visviva: 1\ntime: {end: 1.2e-4, step: {safety: 0.4}}\nbodies:\n"
           "  ball: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: %d}}, thickness: 1e-3,\n"
           "         material: {" PLASTIC_ALUMINIUM ", law: j2, yield: 200e6, hardening: 500e6},\n"
           "         pressure: [{value: 12e6, history: {pulse: {duration: 5e-5}}}]}\n",
           frequency);
}

/* rho h R^2 s'' = p s^2 R - h dW/ds with the plastic metric as one number; many small steps. */
double plastic_sphere_exact(void)
{
  const double R = 0.1, h = 1e-3, Y0 = 200e6, H = 500e6, most = 12e6, duration = 5e-5, end = 1.2e-4;
  const double E = 70e9, nu = 0.33, rho = 2700.0, a = E / (2.0 * (1.0 - nu));
  double s = 1.0, v = 0.0, P = 1.0, alpha = 0.0;
  const int n = 400000;
  const double dt = end / n;
  for (int i = 0; i < n; i++) {
    const double t = (i + 0.5) * dt, pulse = t < duration ? sin(VV_PI * t / duration) : 0.0, p = most * pulse * pulse;
    s += 0.5 * dt * v;
    double m = 0.5 * (s * s / P - 1.0);
    const double trial = 2.0 * a * m, Y = Y0 + H * alpha;
    if (fabs(trial) > Y) { /* one modulus: theta from (1 + a theta) Y = (1 - H theta) |trial| */
      const double theta = (fabs(trial) - Y) / (a * Y + H * fabs(trial)), x = 1.0 / (1.0 + a * theta);
      P = s * s / (1.0 + 2.0 * x * m), alpha += theta * x * fabs(trial);
      m *= x;
    }
    v += dt * (p * s * s * R - h * 2.0 * E * m / (1.0 - nu) * s / P) / (rho * h * R * R);
    s += 0.5 * dt * v;
  }
  return alpha;
}

/* ---- a clamped disc ---- */

void plastic_disc_scene(int rings, double safety, char *text, size_t size)
{
  snprintf(text, size,
           "visviva: 1\ntime: {end: 7e-4, step: {safety: %.17g}}\nbodies:\n"
           "  disc: {kind: shell, mesh: {disc: {radius: 0.1, rings: %d}}, thickness: 5e-3, edges: [{hold: clamped}], "
           "velocity: [0, 0, 136.083],\n         material: {" PLASTIC_ALUMINIUM ", law: j2, yield: 200e6}}\n",
           safety, rings);
}

void plastic_disc_find(const vv_model *model, const vv_state *state, plastic_centre *out)
{
  const vv_block *b = &model->block[0];
  const double *x = state->q + b->q0, *y = x + b->column;
  int n = 0;
  *out = (plastic_centre){0};
  for (int64_t i = 0; i < b->nodes; i++)
    if (hypot(x[i], y[i]) < hypot(x[out->centre], y[out->centre])) out->centre = i;
  for (int64_t e = 0; e < b->elements; e++) /* each triangle around it adds the node behind it */
    for (int k = 0; k < 3 && n < 6; k++)
      if (b->element_node[3 * e + k] == out->centre) out->ring[n++] = b->element_node[3 * e + (k + 1) % 3];
}

/* The point of the limit surface: half of the node, half of the six around it. */
vv_status plastic_disc_look(const vv_view *v, void *user)
{
  plastic_centre *w = user;
  const vv_block *b = &v->model->block[0];
  const double *z = v->state->q + b->q0 + 2 * b->column;
  if (v->state->t <= 4e-4) return VV_OK;
  w->sum += 0.5 * z[w->centre], w->n++;
  for (int k = 0; k < 6; k++) w->sum += z[w->ring[k]] / 12.0;
  return VV_OK;
}

double plastic_disc_deflection(const plastic_centre *w)
{
  return w->sum / (double)w->n / 0.05;
}

/* ---- damping ---- */

void plastic_swing_look(plastic_swing *w, double momentum, double energy)
{
  enum { FIRST = 4, LAST = 24 }; /* the pulse is over; ten periods */
  if (momentum * w->before < 0.0) {
    if (w->turns == FIRST) w->first = energy;
    if (w->turns == LAST) w->last = energy;
    w->turns++;
  }
  w->before = momentum;
}

double plastic_swing_ratio(const plastic_swing *w)
{
  return log(w->first / w->last) / (4.0 * VV_PI * 10.0);
}

double plastic_cantilever_period(void)
{
  const double E = 70e9, rho = 2700.0, R = 0.02, L = 0.4;
  return 2.0 * VV_PI * L * L / (1.8751 * 1.8751 * sqrt(E * 0.25 * R * R / rho));
}

void plastic_cantilever_scene(const char *damping, char *text, size_t size)
{
  const double period = plastic_cantilever_period();
  snprintf(text, size,
           "visviva: 1\ntime: {end: %.17g, step: {safety: 0.5}}\nbodies:\n"
           "  beam: {kind: beam, length: 0.4, elements: 8, section: {circle: {radius: 0.02}}, ends: {first: clamped},\n"
           "         material: {" PLASTIC_ALUMINIUM "}, damping: {%s},\n"
           "         loads: [{at: 1, force: [1, 0, 0], history: {pulse: {duration: %.17g}}}]}\n",
           14.0 * period, damping, 1.5 * period);
}

/* Across, of its last node. */
vv_status plastic_cantilever_look(const vv_view *v, void *user)
{
  const vv_block *b = &v->model->block[0];
  plastic_swing_look(user, v->state->p[b->p0 + b->nodes - 1], v->ledger->nodal_now);
  return VV_OK;
}

/* All in the membrane, omega^2 = 2 E/((1 - nu) rho R^2). */
void plastic_breath_scene(double from, double to, char *text, size_t size)
{
  const double period = 2.0 * VV_PI * 0.1 / sqrt(2.0 * 70e9 / (0.67 * 2700.0));
  snprintf(text, size,
           "visviva: 1\ntime: {end: %.17g, step: {safety: 0.05}}\nbodies:\n"
           "  ball: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: 4}}, thickness: 1e-3,\n"
           "         material: {" PLASTIC_ALUMINIUM "}, damping: {ratio: {value: 0.02, from: %.17g, to: %.17g}},\n"
           "         pressure: [{value: 1e4, history: {pulse: {duration: %.17g}}}]}\n",
           14.0 * period, from / period, to / period, 0.7 * period);
}

/* Radial. */
vv_status plastic_breath_look(const vv_view *v, void *user)
{
  const vv_block *b = &v->model->block[0];
  double sum = 0.0;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < b->nodes; i++)
      sum += v->state->p[b->p0 + c * b->column + i] * v->state->q[b->q0 + c * b->column + i];
  plastic_swing_look(user, sum, v->ledger->nodal_now);
  return VV_OK;
}
