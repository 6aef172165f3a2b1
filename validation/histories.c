/* validation/histories.c  Contact histories against known solutions, under refinement: how long bodies touch, how hard they push
 * and what they exchange.  Waves in a bar, an impulse at one instant, a spring, plates and beams without end, and a heavy ball on
 * a light plate or beam, which are springs then.  Documentation: docs/contact-histories.md. */
#include "book.h"
#include "solids.h"

#include <math.h>
#include <string.h>

enum { TEXT = 1024, LEVELS = 3, QUANTITIES = 3, SCENES = 10 };
enum { DURATION, FORCE, IMPULSE };
static const char *const quantity[QUANTITIES] = {"duration", "peak force", "impulse"};
static const double pi = 3.14159265358979323846;
#define STEEL "young: 2e11, poisson: 0.3, density: 7800"

/* What theory says; not a number: nothing. */
typedef struct theory {
  double q[QUANTITIES];
} theory;

typedef struct scene {
  const char *id, *name, *solution, *refined, *evidence;
  theory (*write)(char *text, double level); /* the scene on one level, and its theory */
  double level[LEVELS];
  double limit[QUANTITIES]; /* of the relative errors on the finest level */
  int free;                 /* the body that nothing but the contact pushes */
} scene;

/* ---- scenes ---- */

/* A bar on a wall: 2 L/c, A (E rho)^(1/2) v, 2 m v.                                                          [bars 45] */
static theory bar(char *text, const char *method, const char *tips, double elements)
{
  const double c = sqrt(2.1e11 / 7850), v = 5;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 7e-4, step: {safety: 0.5}}\nmethod: {step: %s}\nbodies:\n"
           "  rod: {kind: bar, length: 1, elements: %.0f, section: {area: 1e-4}, material: {young: 2.1e11, density: "
           "7850}, tips: {first: %s, last: %s}, position: 0.001, velocity: -5}\n"
           "  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: 0}}}\n",
           method, elements, tips, tips);
  return (theory){{2 / c, 7850e-4 * c * v, 2 * 7850e-4 * v}};
}

static theory bar_event(char *text, double elements)
{
  return bar(text, "event", "cell", elements);
}

static theory bar_leapfrog(char *text, double elements)
{
  return bar(text, "leapfrog", "lumped", elements);
}

static void balls(char *text, const char *step, const char *law, double h)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 0.2, step: %.17g}\nmethod: {step: %s}\ncontacts: [{%s}]\nbodies:\n"
           "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 2, position: [-0.15, 0, 0], velocity: [2, 0, 0]}\n"
           "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 3, position: [0.15, 0, 0], velocity: [-1, 0, 0]}\n",
           h, step, law);
}

/* At one instant: (1 + e) m v with the reduced mass m = 6/5 kg. */
static theory rigid_balls(char *text, double h)
{
  balls(text, "leapfrog", "restitution: 0.5", h);
  return (theory){{NAN, NAN, 1.5 * 1.2 * 3}};
}

/* A spring between them: half a swing. */
static theory sprung_balls(char *text, double h)
{
  const double m = 1.2, k = 3e4, v = 3;
  balls(text, "energy-momentum", "response: penalty, stiffness: 3e4", h);
  return (theory){{pi * sqrt(m / k), v * sqrt(k * m), 2 * m * v}};
}

/* A plate without end is a dashpot: M v' = -Z v, Z = 8 (D rho h)^(1/2), and the first force is the largest. */
static theory endless_plate(char *text, double rings)
{
  const double m = 0.5, end = 1e-3, h = 0.002, bend = 2e11 * h * h * h / (12 * 0.91), z = 8 * sqrt(bend * 7800 * h);
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: %g, step: {safety: 0.5}}\nbodies:\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: %g, position: [0, 0, 0.010001], velocity: [0, 0, "
      "-1]}\n"
      "  plate: {kind: shell, mesh: {disc: {radius: 0.4, rings: %.0f}}, thickness: %g, material: {" STEEL "}}\n",
      end, m, rings, h);
  return (theory){{NAN, z, m * (1 - exp(-z * end / m))}};
}

#define ON_BEAM                                                                                                   \
  "visviva: 1\ntime: {end: %g, step: {safety: 0.3}}\nbodies:\n"                                                   \
  "  ball: {kind: rigid, shape: {ball: {radius: 0.02}}, mass: %g, position: [0, 0, 0.0240001], velocity: [0, 0, " \
  "%g]}\n"                                                                                                        \
  "  beam: {kind: beam, length: %g, elements: %.0f, material: {" STEEL "}, section: {circle: {radius: 0.004}}, "  \
  "position: [%g, 0, 0], axis: [1, 0, 0], normal: [0, 1, 0], ends: {first: %s, last: %s}}\n"
static const double beam_radius = 0.004;

/* A beam without end: v = v0 exp(a^2 t) erfc(a t^(1/2)); its first force has no bound. */
static theory endless_beam(char *text, double elements)
{
  const double r = beam_radius, m = 0.1, end = 1e-3, bend = 2e11 * pi * r * r * r * r / 4, line = 7800 * pi * r * r;
  const double y = 2 * sqrt(2.0) * pow(bend, 0.25) * pow(line, 0.75) / m * sqrt(end);
  snprintf(text, TEXT, ON_BEAM, end, m, -1.0, 2.0, elements, -1.0, "free", "free");
  return (theory){{NAN, NAN, m * (1 - exp(y * y) * erfc(y))}};
}

/* Half a swing of a mass on a spring k that carries a part of its own mass along: T = pi (M'/k)^(1/2), F = v M (k/M')^(1/2). */
static theory swing(double m, double carried, double k, double v)
{
  const double all = m + carried;
  return (theory){{pi * sqrt(all / k), v * m * sqrt(k / all), 2 * m * v}};
}

/* 1/k = L^3/(48 E I) + L/(4 G A); Rayleigh's 17/35 of the beam swings along.  Theory leaves the beam's own vibration out: struck
 * with v it has the force v (k m')^(1/2), that is (m'/M)^(1/2) = 1.4 % of the peak, so that a lighter ball (50 kg: 2.8 %) says
 * nothing about half a per cent. */
static theory heavy_on_beam(char *text, double elements)
{
  const double l = 0.2, r = beam_radius, m = 200, v = 0.002, area = pi * r * r, bend = 2e11 * area * r * r / 4;
  const double k = 1 / (l * l * l / (48 * bend) + l / (4 * 2e11 / 2.6 * area));
  const theory t = swing(m, 17.0 / 35.0 * 7800 * area * l, k, v);
  snprintf(text, TEXT, ON_BEAM, 1.15 * t.q[DURATION], m, -v, l, elements, -0.5 * l, "pinned", "pinned");
  return t;
}

/* k = 16 pi D/R^2; of the plate 7/54 swings along (the square of 1 - r^2 + 2 r^2 ln r, in the mean). */
static theory heavy_on_plate(char *text, double rings)
{
  const double radius = 0.1, h = 0.002, m = 10, v = 0.004, bend = 2e11 * h * h * h / (12 * 0.91);
  const theory t = swing(m, 7.0 / 54.0 * 7800 * h * pi * radius * radius, 16 * pi * bend / (radius * radius), v);
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %g, step: {safety: 0.5}}\nbodies:\n"
           "  ball: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: %g, position: [0, 0, 0.0100001], velocity: [0, "
           "0, %g]}\n"
           "  plate: {kind: shell, mesh: {disc: {radius: %g, rings: %.0f}}, thickness: %g, material: {" STEEL
           "}, edges: [{hold: clamped}]}\n",
           1.4 * t.q[DURATION], m, -v, radius, rings, h);
  return t;
}

/* ---- massless layers ---- */

/* All of a rod at once: a mass on the spring of the whole layer.                                            [layer 1] */
static theory flat_rod(char *text, double elements)
{
  const double r = 0.01, m = 7800 * pi * r * r, k = 1e9 * sqrt(pi) * r, v = 1;
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 3e-3, step: {safety: 0.3}}\nmethod: {step: leapfrog}\ncontacts: [{layer: 1e9}]\n"
           "bodies:\n  rod: {kind: beam, length: 1, elements: %.0f, material: {" STEEL
           "}, section: {circle: {radius: %g}}, position: [0, 0, 0.0101], axis: [1, 0, 0], velocity: [0, 0, -1]}\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n",
           elements, r);
  return (theory){{pi * sqrt(m / k), v * sqrt(k * m), 2 * m * v}};
}

/* The plate of H5 with a spring k between: F'' + (k/Z) F' + (k/M) F = 0, F = 0 and F' = k v at first; the ball has the velocity
 * F'/k + F/Z.  The node under the ball owns a third of six triangles.                                        [layer 3] */
static theory layered_plate(char *text, double rings)
{
  const double m = 0.5, v = 1, end = 3e-3, h = 0.002, radius = 0.4, k = 1e5, edge = radius / rings;
  const double z = 8 * sqrt(2e11 * h * h * h / (12 * 0.91) * 7800 * h), a = 0.5 * k / z, w = sqrt(k / m - a * a);
  const double start = 1e-6, t = end - start, peak = fmin(atan2(w, a) / w, t);
  const double f = k * v / w * exp(-a * t) * sin(w * t), df = k * v * exp(-a * t) * (cos(w * t) - a / w * sin(w * t));
  snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: %g, step: {safety: 0.5}}\nmethod: {step: leapfrog}\ncontacts: [{layer: "
      "%.17g}]\nbodies:\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.01}}, mass: %g, position: [0, 0, 0.010001], velocity: [0, 0, "
      "-1]}\n"
      "  plate: {kind: shell, mesh: {disc: {radius: %g, rings: %.0f}}, thickness: %g, material: {" STEEL "}}\n",
      end, k / (edge * edge * sqrt(0.75)), m, radius, rings, h);
  return (theory){{NAN, k * v / w * exp(-a * peak) * sin(w * peak), m * (v - df / k - f / z)}};
}

/* clang-format off */
static const scene all[SCENES] = {
  {"H1", "steel bar on a wall, `event`, `cell` ends", "waves: 2 L/c, A (E rho)^(1/2) v, 2 m v", "elements",
   "1 m, 5 m/s, 50, 200 and 800 elements, half the stable step", bar_event, {50, 200, 800}, {0.002, 0.002, 0.002}, 0},
  {"H2", "the same, `leapfrog`, `lumped` ends", "the same", "elements",
   "as H1", bar_leapfrog, {50, 200, 800}, {0.002, 0.002, 0.002}, 0},
  {"H3", "two rigid balls", "(1 + e) m v, at one instant", "step, s",
   "2 and 3 kg, 3 m/s, e = 0.5", rigid_balls, {4e-3, 1e-3, 2.5e-4}, {0, 0, 1e-12}, 0},
  {"H4", "two rigid balls with a spring", "half a swing: pi (m/k)^(1/2), v (k m)^(1/2), 2 m v", "step, s",
   "2 and 3 kg, 3 m/s, `response: penalty`, 3e4 N/m", sprung_balls, {4e-4, 1e-4, 2.5e-5}, {0.002, 0.01, 1e-12}, 0},
  {"H5", "rigid ball on a plate without end, the first ms", "Zener: force Z v at first, M v (1 - exp(-Z t/M)), Z = 8 (D rho h)^(1/2)", "rings",
   "free disc of 0.4 m, 2 mm steel, 0.5 kg, 1 m/s; theory has its largest force at the first instant, which no mesh sees: only 30 % is asked of it, H11 has no such instant", endless_plate, {8, 16, 32}, {0, 0.3, 0.03}, 0},
  {"H6", "rigid ball on a beam without end, the first ms", "M v (1 - exp(a^2 t) erfc(a t^(1/2))), a = 2^(3/2) (E I)^(1/4) (rho A)^(3/4)/M", "elements",
   "free rod of 2 m, radius 4 mm, steel, 0.1 kg, 1 m/s", endless_beam, {40, 80, 160}, {0, 0, 0.01}, 0},
  {"H7", "heavy ball on a light beam", "half a swing: pi (M'/k)^(1/2), v M (k/M')^(1/2), 2 M v; 1/k = L^3/(48 E I) + L/(4 G A)", "elements",
   "rod of 0.2 m between pins, radius 4 mm, steel, 200 kg, 2 mm/s; from the first touch to the last release; the vibration of the rod itself, which theory leaves out, is up to (17 m/35 M)^(1/2) = 1.4 % of the force (50 kg stood here once: 2.8 %, and 1.5 % was measured)", heavy_on_beam, {8, 16, 32}, {0.01, 0.005, 0.002}, 0},
  {"H8", "heavy ball on a light plate", "the same, k = 16 pi D/R^2", "rings",
   "clamped disc of 0.1 m, 2 mm steel, 10 kg, 4 mm/s; from the first touch to the last release", heavy_on_plate, {4, 8, 16}, {0.05, 0.03, 0.01}, 0},
  {"H10", "rod that falls flat on a massless layer", "half a swing: pi (m/k)^(1/2), 2 m v", "elements",
   "1 m, radius 10 mm, steel, 1 m/s, `layer: 1e9`", flat_rod, {8, 16, 32}, {0.002, 0, 1e-5}, 0},
  {"H11", "the plate of H5 with a massless layer of 1e5 N/m at the node that is hit", "F'' + (k/Z) F' + (k/M) F = 0: peak force, impulse in 3 ms", "rings",
   "as H5, with `layer`", layered_plate, {8, 16, 32}, {0, 0.03, 0.03}, 0},
};
/* clang-format on */

/* ---- runs ---- */

typedef struct measured {
  double error[QUANTITIES]; /* relative; not a number: theory says nothing */
  double exchange;          /* what the body got less what was booked, over the impulse */
  int64_t contacts, impulses;
} measured;

/* One pair, or the scene is wrong. */
static vv_status compare(const vv_model *model, const vv_state *state, const vv_sim *sim, const double before[],
                         const scene *s, const theory *t, measured *out)
{
  double after[VV_BODY_TOTALS], off = 0.0;
  vv_contact_total c;
  if (vv_ledger_pairs(vv_sim_ledger(sim)) != 1) return VV_UNSUPPORTED;
  BOOK_TRY(vv_ledger_pair(vv_sim_ledger(sim), 0, &c));
  BOOK_TRY(vv_model_totals(model, state, s->free, after));
  const double got = c.body[1] == s->free ? 1.0 : -1.0;
  for (int k = 0; k < 3; k++) off = fmax(off, fabs(after[3 + k] - before[3 + k] - got * c.impulse[k]));
  const double found[QUANTITIES] = {c.release - c.touch, c.peak_force, c.normal};
  for (int i = 0; i < QUANTITIES; i++) out->error[i] = found[i] / t->q[i] - 1.0;
  out->exchange = off / c.normal, out->contacts = c.episodes, out->impulses = c.impulses;
  return VV_OK;
}

typedef vv_status look(const vv_model *model, const vv_state *state, const vv_sim *sim, const double before[],
                       const scene *s, const theory *t, measured *out);

/* every: steps between two looks at the energy. */
static vv_status run_text(vv_ctx *ctx, const char *text, int64_t every, const scene *s, const theory *t, look *at_end,
                          measured *out)
{
  const vv_sim_def def = vv_sim_default();
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_sim *sim = NULL;
  vv_report report = {0};
  double before[VV_BODY_TOTALS];
  vv_status status = vv_scene_parse(ctx, "histories", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, &state);
  if (status == VV_OK) status = vv_model_totals(model, state, s->free, before);
  if (status == VV_OK) status = vv_sim_create(model, state, &def, &sim);
  for (int64_t left = status == VV_OK ? vv_model_steps(model) : 0; status == VV_OK && left > 0; left -= every)
    status = vv_sim_steps(sim, left < every ? left : every, &report);
  if (status == VV_OK && report.reason != VV_REASON_DONE) status = VV_UNSUPPORTED;
  if (status == VV_OK) status = at_end(model, state, sim, before, s, t, out);
  vv_sim_destroy(sim);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  return status;
}

static vv_status run(vv_ctx *ctx, const scene *s, double level, measured *out)
{
  char text[TEXT];
  const theory t = s->write(text, level);
  return run_text(ctx, text, INT64_MAX, s, &t, compare, out);
}

/* ---- a ring on a floor: does contact last? ---- */

static vv_status count(const vv_model *model, const vv_state *state, const vv_sim *sim, const double before[],
                       const scene *s, const theory *t, measured *out)
{
  vv_contact_total c;
  (void)model, (void)state, (void)before, (void)s, (void)t;
  BOOK_TRY(vv_ledger_pair(vv_sim_ledger(sim), 0, &c));
  out->contacts = c.episodes, out->impulses = c.impulses;
  out->exchange = vv_ledger_get(vv_sim_ledger(sim), VV_LEDGER_MAX_CLOSURE);
  return VV_OK;
}

static vv_status ring(book_chapter *c, vv_ctx *ctx)
{
  static const int elements[LEVELS] = {40, 80, 160};
  static const char *const law[2] = {"restitution: 1", "layer: 1e11"};
  measured m[2][LEVELS];
  double fewer = 0.0, energy = 0.0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < LEVELS; i++) {
      char text[TEXT];
      snprintf(text, TEXT,
               "visviva: 1\ntime: {end: 5e-3, step: {safety: 0.3}}\nmethod: {step: leapfrog}\nrecord: {pause: 2e-6}\n"
               "contacts: [{%s}]\nbodies:\n"
               "  ring: {kind: beam, elements: %d, material: {" STEEL "}, section: {circle: {radius: 0.002}}, shape: "
               "{ring: {radius: 0.1, normal: [0, 1, 0]}}, position: [0, 0, 0.103], velocity: [0, 0, -2]}\n"
               "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n",
               law[k], elements[i]);
      BOOK_TRY(run_text(ctx, text, 1, &all[0], NULL, count, &m[k][i]));
    }
  for (int i = 0; i < LEVELS; i++) {
    fewer = fmax(fewer, (double)m[1][i].contacts / (double)m[0][i].contacts);
    energy = fmax(energy, m[1][i].exchange / m[0][i].exchange);
  }
  book_claim claim = {.id = "H12",
                      .text = "a ring on a floor: with a massless layer contact lasts instead of chattering",
                      .published = "announced for nonlinear bodies (2017, 5.3)",
                      .evidence =
                          "steel, radius 0.1 m, 2 m/s, 40, 80, 160 elements, 5 ms; restitution 1 and `layer: 1e11`, "
                          "contacts 2e-6 s apart count as two"};
  snprintf(claim.measured, sizeof claim.measured,
           "%lld, %lld, %lld contacts become %lld, %lld, %lld; energy off by %s, %s, %s and %s, %s, %s",
           (long long)m[0][0].contacts, (long long)m[0][1].contacts, (long long)m[0][2].contacts,
           (long long)m[1][0].contacts, (long long)m[1][1].contacts, (long long)m[1][2].contacts,
           book_error(m[0][0].exchange).s, book_error(m[0][1].exchange).s, book_error(m[0][2].exchange).s,
           book_error(m[1][0].exchange).s, book_error(m[1][1].exchange).s, book_error(m[1][2].exchange).s);
  book_judge_exact(&claim, fmax(5.0 * fewer, 10.0 * energy), 1.0);
  snprintf(claim.rule, sizeof claim.rule,
           "a fifth of the contacts or less and a tenth of the energy error, on every mesh");
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- a plate on a floor: contact as a field ---- */

/* Of all nodes and four frames: how far contact_normal is from rho h g, over that. */
static vv_status lie(vv_ctx *ctx, int rings, double *off)
{
  enum { FRAME = 20, FRAMES = 4, NODES = 1024 };
  static double out[3 * NODES];
  const double weight = 1000 * 0.05 * 10;
  char text[SOLIDS_TEXT];
  solids_run run;
  snprintf(text, SOLIDS_TEXT,
           "visviva: 1\ntime: {end: 1, step: 2e-5}\ngravity: [0, 0, -10]\nmethod: {step: leapfrog}\ncontacts: "
           "[{restitution: 0}]\nrecord: {every: 4e-4, traction: true}\nbodies:\n"
           "  plate: {kind: shell, mesh: {disc: {radius: 1, rings: %d}}, thickness: 0.05, material: {young: 1e6, "
           "poisson: 0.3, density: 1000}, centre: [0, 0, 1e-7]}\n"
           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n",
           rings);
  BOOK_TRY(solids_open(ctx, text, FRAME, &run));
  const int64_t n = vv_model_field_size(run.model, 0, "contact_normal", NULL);
  vv_status status = n > 0 && n <= NODES ? VV_OK : VV_ARG;
  for (int k = 0; k < FRAMES && status == VV_OK; k++) {
    status = solids_steps(&run, FRAME);
    if (status == VV_OK) status = solids_field(&run, "plate", "contact_normal", out);
    for (int64_t i = 0; i < n && status == VV_OK; i++)
      *off = fmax(*off, hypot(hypot(out[3 * i], out[3 * i + 1]), out[3 * i + 2] - weight) / weight);
  }
  solids_close(&run);
  return status;
}

static vv_status plate(book_chapter *c, vv_ctx *ctx)
{
  static const int rings[LEVELS] = {4, 8, 16};
  double off[LEVELS] = {0};
  for (int i = 0; i < LEVELS; i++) BOOK_TRY(lie(ctx, rings[i], &off[i]));
  book_claim claim = {.id = "H13",
                      .text = "contact as a field: a plate on a floor shows its weight over its area at every node",
                      .published = "exact",
                      .evidence = "`record: {traction: true}` [contact 32]; discs of 4, 8, 16 rings at rest from the "
                                  "start, worst node of the first four frames of 20 steps"};
  snprintf(claim.measured, sizeof claim.measured, "%s, %s, %s of it", book_error(off[0]).s, book_error(off[1]).s,
           book_error(off[2]).s);
  book_judge_exact(&claim, fmax(off[0], fmax(off[1], off[2])), 1e-9);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- the page ---- */

static book_text percent(double x)
{
  return isnan(x) ? (book_text){""} : fabs(x) < 1e-9 ? book_error(fabs(x)) : book_percent(x);
}

/* Within the limits on the finest level, and there because of the mesh or the step: three fifths of the coarsest at most,
 * unless that is a thousandth already.  1 or less: so it is. */
static double judged(const scene *s, const measured m[LEVELS])
{
  double worst = 0.0;
  for (int i = 0; i < QUANTITIES; i++) {
    const double coarse = fabs(m[0].error[i]), fine = fabs(m[LEVELS - 1].error[i]);
    if (s->limit[i] <= 0.0) continue;
    worst = fmax(worst, isnan(fine) ? INFINITY : fine / s->limit[i]);
    if (coarse > 1e-3) worst = fmax(worst, fine / (0.6 * coarse));
  }
  return worst;
}

static void add_claim(book_chapter *c, const scene *s, const measured m[LEVELS])
{
  book_claim claim = {.id = s->id, .text = s->name, .published = s->solution, .evidence = s->evidence};
  size_t n = 0;
  for (int i = 0; i < QUANTITIES; i++) {
    if (s->limit[i] <= 0.0) continue;
    n += (size_t)snprintf(claim.measured + n, sizeof claim.measured - n, "%s%s off by %s, %s, %s", n > 0 ? "; " : "",
                          quantity[i], percent(m[0].error[i]).s, percent(m[1].error[i]).s, percent(m[2].error[i]).s);
  }
  book_judge_exact(&claim, judged(s, m), 1.0);
  n = (size_t)snprintf(claim.rule, sizeof claim.rule, "on the finest level");
  for (int i = 0; i < QUANTITIES; i++)
    if (s->limit[i] > 0.0)
      n += (size_t)snprintf(claim.rule + n, sizeof claim.rule - n, " %s within %g %%,", quantity[i], 100 * s->limit[i]);
  snprintf(claim.rule + n, sizeof claim.rule - n, " and at most 3/5 of the coarsest where that is more than 0.1 %%");
  book_add_claim(c, &claim);
}

static vv_status write_scene(book_chapter *c, vv_ctx *ctx, const scene *s, double *exchange)
{
  measured m[LEVELS];
  for (int k = 0; k < LEVELS; k++) {
    BOOK_TRY(run(ctx, s, s->level[k], &m[k]));
    *exchange = fmax(*exchange, m[k].exchange);
    book_row(c, "%s|%s %g|%lld|%lld|%s|%s|%s", k == 0 ? s->name : "", s->refined, s->level[k], (long long)m[k].contacts,
             (long long)m[k].impulses, percent(m[k].error[DURATION]).s, percent(m[k].error[FORCE]).s,
             percent(m[k].error[IMPULSE]).s);
  }
  add_claim(c, s, m);
  return VV_OK;
}

vv_status chapter_histories(book *b)
{
  book_chapter *c;
  double exchange = 0.0;
  BOOK_TRY(book_chapter_begin(b, "histories", "Contact histories: duration, peak force, impulse",
                              "Textbook solutions; C. Zener, The intrinsic inelasticity of large plates, Physical "
                              "Review 59 (1941) 669-673; docs/contact-histories.md.",
                              &c));
  book_say(c, "Errors against the solution, relative. A force is a mean over a window that shrinks with the mesh "
              "[ledger 15]; where theory has its largest force at one instant (H5) the error shrinks with the window, "
              "and where that force has no bound (H6) there is none to compare with.");
  book_columns(c, "scene|refined|contacts|impulses|duration|peak force|impulse");
  for (int i = 0; i < SCENES; i++)
    if (book_wants(c, "H9") || book_wants(c, all[i].id)) BOOK_TRY(write_scene(c, book_ctx(b), &all[i], &exchange));
  book_table_end(c);
  book_claim claim = {.id = "H9",
                      .text = "the impulse booked is the momentum exchanged",
                      .published = "exact",
                      .evidence = "all runs of H1 to H8, H10 and H11"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(exchange).s);
  book_judge_exact(&claim, exchange, 1e-12);
  if (book_wants(c, "H9")) book_add_claim(c, &claim);
  if (book_wants(c, "H12")) BOOK_TRY(ring(c, book_ctx(b)));
  if (book_wants(c, "H13")) BOOK_TRY(plate(c, book_ctx(b)));
  return book_chapter_end(c);
}
