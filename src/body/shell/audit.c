/* body/shell/audit.c  Energies and momenta of shells, and the fields that are written to files. */
#include "body/shell/limits.h"
#include "body/shell/shell.h"

#include "math/math.h"
#include "visviva/net.h"

#include <float.h>
#include <string.h>

/* ---- sums ---- */

static void audit_tile(const vv_block *b, int64_t i, const double *q, const double *p, double *part)
{
  const shell_plan *plan = b->plan;
  vv_totals t = {0};
  plan->audit(b, &plan->tile[i], shell_next_tile(plan, i), q, p, &t);
  const double all[SHELL_SUMS] = {t.kinetic, t.strain, t.potential, t.p_abs, t.L_abs, t.p[0],
                                  t.p[1],    t.p[2],   t.L[0],      t.L[1],  t.L[2]};
  memcpy(part + SHELL_SUMS * i, all, sizeof all);
}

static void add_part(const double *x, vv_totals *sum)
{
  sum->kinetic += x[0], sum->strain += x[1], sum->potential += x[2];
  sum->p_abs += x[3], sum->L_abs += x[4];
  for (int c = 0; c < 3; c++) sum->p[c] += x[5 + c], sum->L[c] += x[8 + c];
}

void shell_audit(const vv_block *b, const double *q, const double *p, vv_totals *sum)
{
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine), *part = shell_parts(b, scratch), all[SHELL_SUMS];
  const int64_t n = shell_tiles_here(plan);
  shell_fetch_places(b, q);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (n >= SHELL_SHARED_FROM)
  for (int64_t i = 0; i < n; i++) audit_tile(b, shell_tile_here(plan, i), q, p, part);
  shell_sum_tiles(b, SHELL_SUMS, part, all);
  shell_scratch_done(b, scratch, mine);
  add_part(all, sum);
}

/* Over ranks: of their tiles, for rank 0. */
void shell_audit_body(const vv_block *b, int32_t j, const double *q, const double *p, vv_totals *sum)
{
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine), *part = shell_parts(b, scratch);
  shell_fetch_places(b, q);
  for (int64_t i = 0; i < plan->tiles; i++)
    if (plan->tile[i].body == j && shell_is_here(plan, i)) audit_tile(b, i, q, p, part);
  shell_gather_tiles(b, SHELL_SUMS, part);
  for (int64_t i = 0; i < plan->tiles; i++)
    if (plan->tile[i].body == j) add_part(part + SHELL_SUMS * i, sum);
  shell_scratch_done(b, scratch, mine);
}

/* Places are multiples of their rounding: a triangle with sides s far from the origin shows strains up to eps |x|/s and
 * curvatures up to eps |x|/s^2 that are none.                                                               [ledger 10] */
double shell_energy_floor(const vv_block *b, const double *q)
{
  const shell_plan *plan = b->plan;
  double sum = 0.0, far = 0.0;
  for (int64_t j = 0; j < shell_tiles_here(plan); j++) {
    const shell_tile *t = &plan->tile[shell_tile_here(plan, j)];
    for (int c = 0; c < 3; c++)
      for (int64_t i = t->node0 + t->own0; i < t->node0 + t->own0 + t->own; i++)
        far = fmax(far, fabs(q[c * b->column + i]));
  }
  if (plan->share != NULL) {
    far = -far;
    plan->share->net->least(plan->share->net, 1, &far);
    far = -far;
  }
  for (int64_t i = 0; i < plan->tiles; i++) {
    const shell_tile *t = &plan->tile[i]; /* one element stands for it */
    const shell_body *k = shell_of(b, t->body);
    const double strain = DBL_EPSILON * far / sqrt(t->side2), h = k->thickness;
    const double curvature = 2.0 * DBL_EPSILON * far / t->side2;
    const double stiffness = k->young * h / (1.0 - k->poisson * k->poisson) * t->area * (double)t->elements;
    sum += 0.5 * stiffness * (strain * strain + h * h / 12.0 * curvature * curvature);
  }
  return sum;
}

/* ---- output ---- */

enum shell_output_word {
  OUT_POSITION,
  OUT_LIMIT,
  OUT_VELOCITY,
  OUT_MOMENTUM,
  OUT_NUMBER,
  OUT_STRAIN,
  OUT_CURVATURE,
  OUT_STRESS,
  OUT_MISES,
  OUT_THICKNESS,
  OUT_ENERGY,
  OUT_PLASTIC,
  OUT_DAMAGE,
  OUT_DISSIPATED
};
const vv_output_field shell_output_field[] = {
    {"position", "m", 3, false},
    {"limit", "m", 3, false},
    {"velocity", "m/s", 3, false},
    {"momentum", "kg m/s", 3, false},
    {"number", "1", 1, false},
    {"strain", "1", 3, true},
    {"curvature", "1/m", 3, true},
    {"stress", "Pa", 3, true},
    {"mises", "Pa", 1, true},
    {"thickness", "m", 1, true},
    {"energy_density", "J/m^2", 1, true},
    {"plastic_strain", "1", 1, true},
    {"damage", "1", 1, true},
    {"dissipated_density", "J/m^2", 1, true},
};
_Static_assert(sizeof shell_output_field / sizeof *shell_output_field == SHELL_OUTPUTS, "one row each");

/* Components in the orthonormal frame of the reference triangle whose first axis is along its first side, from
 * components along the sides: with R = G0, t1 = A1/sqrt(R11), t2 = (A2 - R12/R11 A1)/d, d = sqrt(det R/R11).   [shell 13] */
static void lower_to_frame(const double R[3], const double e[3], double out[3])
{
  const double s = R[2] / R[0], d2 = R[1] - R[2] * s;
  out[0] = e[0] / R[0];
  out[1] = (e[1] - 2.0 * s * e[2] + s * s * e[0]) / d2;
  out[2] = (e[2] - s * e[0]) / sqrt(R[0] * d2);
}

static void upper_to_frame(const double R[3], const double n[3], double out[3])
{
  const double c = R[2] / sqrt(R[0]), d2 = R[1] - c * c, a = sqrt(R[0]);
  out[0] = n[0] * R[0] + 2.0 * n[2] * a * c + n[1] * c * c;
  out[1] = n[1] * d2;
  out[2] = (n[2] * a + n[1] * c) * sqrt(d2);
}

/* What an element has to show, in its frame. */
typedef struct shown {
  double strain[3], curvature[3], stress[3], bending[3]; /* bending: stress of the outer faces, up to sign */
  double thickness, energy, lost;
  double mises, plastic, damage; /* mises below 0: from the faces */
} shown;

/* Mean thickness: of both points (neo-Hooke), or by e33 = -nu/(1 - nu) tr e. */
static double thickness_of(const shell_body *k, const shell_patch *p, const shell_element *e, const double strain[3])
{
  if (k->law == SHELL_STVK) return k->thickness * (1.0 - k->poisson / (1.0 - k->poisson) * (strain[0] + strain[1]));
  double sum = 0.0;
  for (int side = -1; side <= 1; side += 2) {
    double C[3], R[3];
    for (int c = 0; c < 3; c++) {
      C[c] = e->G[c] - side * k->lever * e->B[c];
      R[c] = p->rest[c] - side * k->lever * p->rest[3 + c];
    }
    const double ratio = (C[0] * C[1] - C[2] * C[2]) / (R[0] * R[1] - R[2] * R[2]);
    sum += 0.5 * sqrt((2.0 * k->mu + k->lambda) / (2.0 * k->mu + k->lambda * ratio));
  }
  return k->thickness * sum;
}

static shown show(const shell_body *k, const shell_patch *p, const shell_element *e, double lost)
{
  const double *R = p->rest, h = k->thickness, unit = SHELL_A * SHELL_A;
  const double area = 0.5 * sqrt(R[0] * R[1] - R[2] * R[2]) / unit;
  double E[3], K[3], moment[3];
  shown s;
  for (int c = 0; c < 3; c++) E[c] = 0.5 * (e->G[c] - R[c]), K[c] = (e->B[c] - R[3 + c]) * (unit / SHELL_D);
  lower_to_frame(R, E, s.strain);
  lower_to_frame(R, K, s.curvature);
  upper_to_frame(R, e->N, s.stress);
  upper_to_frame(R, e->M, moment);
  for (int c = 0; c < 3; c++) {
    s.stress[c] /= area * h;
    s.bending[c] = moment[c] * (SHELL_D / unit) / area * (6.0 / (h * h));
  }
  s.thickness = thickness_of(k, p, e, s.strain);
  s.energy = e->energy / area, s.lost = lost / area;
  s.mises = -1.0, s.plastic = s.damage = 0.0;
  return s;
}

/* The larger of the two faces. */
static double mises(const shown *s)
{
  double most = 0.0;
  for (int side = -1; side <= 1; side += 2) {
    double t[3];
    for (int c = 0; c < 3; c++) t[c] = s->stress[c] + side * s->bending[c];
    most = fmax(most, t[0] * t[0] - t[0] * t[1] + t[1] * t[1] + 3.0 * t[2] * t[2]);
  }
  return sqrt(most);
}

static void element_output(const shown *s, int field, int64_t e, double *out)
{
  const double *three = field == OUT_STRAIN ? s->strain : field == OUT_CURVATURE ? s->curvature : s->stress;
  if (field <= OUT_STRESS)
    memcpy(out + 3 * e, three, 3 * sizeof *out);
  else
    out[e] = field == OUT_MISES        ? (s->mises >= 0.0 ? s->mises : mises(s))
             : field == OUT_THICKNESS  ? s->thickness
             : field == OUT_PLASTIC    ? s->plastic
             : field == OUT_DAMAGE     ? s->damage
             : field == OUT_DISSIPATED ? s->lost
                                       : s->energy;
}

static void tile_output(const vv_block *b, const shell_tile *t, int field, const double *q, double *out)
{
  double x[4 * SHELL_MOST_LOCAL];
  const shell_body *k = shell_of(b, t->body);
  shell_tile_places(t, b->column, q, x);
  for (int i = 0; i < t->groups; i++)
    for (int lane = 0; lane < SHELL_GROUP; lane++) {
      const int at = shell_lane_element(&t->group[i], lane);
      shell_patch p;
      shell_element e;
      if (at < 0) continue;
      if (!shell_can_break(k) || !shell_patch_torn(k, t, &t->group[i], lane, q, &p))
        shell_patch_of(t, &t->group[i], lane, &p);
      shell_element_at(k, &p, x, &e);
      shell_lane look = {0};
      if (k->columns > 0.0) { /* stresses in place of the elastic ones */
        shell_lane_look(k, t, i, lane, q, p.rest, e.G, e.B, &look);
        memcpy(e.N, look.N, sizeof e.N), memcpy(e.M, look.M, sizeof e.M), e.energy = look.energy;
      }
      shown s = show(k, &p, &e, look.lost);
      if (k->points > 0.0) s.plastic = look.alpha, s.mises = look.mises, s.damage = look.damage;
      element_output(&s, field, t->element0 + at, out);
    }
}

/* int N_i dA over the surface at rest: the mass of a node is that times density and thickness. */
void shell_extent(const vv_block *b, double *out)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const shell_body *k = shell_of(b, j);
    const vv_body *body = b->body[j];
    const double *mass = b->node_real + SHELL_MASS * b->stride;
    for (int64_t i = body->node0; i < body->node0 + body->n_node; i++) out[i] = mass[i] / (k->density * k->thickness);
  }
}

/* Does a field ask for what the owners of tiles alone have? */
static bool is_theirs(const vv_block *b, int field)
{
  return (field == OUT_LIMIT && !shell_keeps_limits(b)) || field == OUT_NUMBER || field >= OUT_STRAIN;
}

/* Over ranks: each its own, for rank 0. */
void shell_output(const vv_block *b, int field, const double *q, const double *p, double *out)
{
  const shell_plan *plan = b->plan;
  const bool shared = plan->share != NULL && plan->share->settled && is_theirs(b, field);
  const double *minv = shell_node(b, SHELL_INVERSE_MASS), *number = shell_node(b, SHELL_NUMBER);
  const int64_t n = shared ? shell_tiles_here(plan) : plan->tiles;
  if (shared) shell_fetch_places(b, q);
  if (field == OUT_LIMIT) shell_limits(b, shared, q, out);
  if (field == OUT_NUMBER) memcpy(out, number, sizeof *out * (size_t)b->nodes);
  if (field >= OUT_STRAIN) {
#pragma omp parallel for schedule(static) num_threads(b->threads) if (n >= SHELL_SHARED_FROM)
    for (int64_t i = 0; i < n; i++) tile_output(b, &plan->tile[shared ? shell_tile_here(plan, i) : i], field, q, out);
  }
  if (shared) shell_gather_rows(b, shell_output_field[field].components, shell_output_field[field].on_elements, out);
  if (field != OUT_POSITION && field != OUT_VELOCITY && field != OUT_MOMENTUM) return;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->nodes > SHELL_MANY)
  for (int64_t i = 0; i < b->nodes; i++)
    for (int c = 0; c < 3; c++)
      out[3 * i + c] = field == OUT_POSITION   ? q[c * b->column + i]
                       : field == OUT_VELOCITY ? minv[i] * p[c * b->column + i]
                                               : p[c * b->column + i];
}
