/* validation/wall.c  The engineering benchmark: a steel bar on a rigid wall, in SI units, with its exact solution. */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIPS = 3, JUMPS = 3, MESHES = 4 };
static const char *const tips_word[TIPS] = {"lumped", "split", "cell"};
static const char *const jump_word[JUMPS] = {"slab", "nodal", "modified"};
/* examples/newcomer/bar-on-wall.yaml */
static const wave_bar steel = {.length = 0.5, .young = 2.1e11, .density = 7800, .area = 1e-4};
static const double speed = 5, gap = 1e-4, end = 5e-4;

typedef struct wall_facts {
  double contact, rebound, energy, force; /* contact and force relative to the exact ones, rebound relative to -speed */
  long long impacts;
} wall_facts;

static record_plan wall_plan(const char *tips, int elements)
{
  const bool cell = strcmp(tips, "cell") == 0, split = strcmp(tips, "split") == 0;
  const double l = steel.length / elements, mass = steel.density * steel.area * l;
  const int64_t nodes = cell ? elements : elements + 1;
  return (record_plan){.n_tip = 1,
                       .gap = gap,
                       .tip = {{.nodes = nodes,
                                .node = nodes - 1,
                                .mass = cell ? mass : 0.5 * mass,
                                .bar_mass = steel.density * steel.area * steel.length,
                                .compliance = (cell    ? 0.5
                                               : split ? 0.25
                                                       : 0) *
                                              l / (steel.young * steel.area)}}};
}

static vv_status run_wall(vv_ctx *ctx, const char *tips, const char *jump, int elements, record *out)
{
  const record_plan plan = wall_plan(tips, elements);
  const char *first = strcmp(tips, "cell") == 0 ? "cell" : "lumped";
  vv_spec *spec = NULL;
  vv_status status = vv_scene_read(ctx, VV_EXAMPLES_DIR "/newcomer/bar-on-wall.yaml", &spec);
  if (status == VV_OK) status = vv_spec_set(spec, "bodies.bar.tips.first", first);
  if (status == VV_OK) status = vv_spec_set(spec, "bodies.bar.tips.last", tips);
  if (status == VV_OK) status = vv_spec_set_number(spec, "bodies.bar.elements", elements);
  if (status == VV_OK) status = vv_spec_set(spec, "method.step", "event");
  if (status == VV_OK) status = vv_spec_set(spec, "method.jump", jump);
  if (status == VV_OK) status = record_run(ctx, spec, &plan, out);
  vv_spec_destroy(spec);
  return status;
}

static wall_facts facts_of(const record *r, const wave_bars *w)
{
  const double period = w->tau[0], cut = 0.1 * period, touch = w->t_start;
  return (wall_facts){.contact = (record_last(r) - record_first(r)) / period,
                      .rebound = -r->p[0][r->n - 1] / (steel.density * steel.area * steel.length * speed),
                      .energy = r->ledger.max_closure,
                      .force = record_force(r, touch + cut, touch + period - cut) / (w->impedance[0] * speed),
                      .impacts = record_contacts(r)};
}

static vv_status rules_table(book_chapter *c, vv_ctx *ctx, const wave_bars *w, wall_facts f[TIPS][JUMPS])
{
  book_heading(c, "Jump rules and tips, 100 elements");
  book_say(c, "`energy error` is that of the energy which the rule balances; `left in vibration` is the part of the "
              "energy that is "
              "not in the rebound, 1 - e^2.");
  book_columns(
      c, "tips|jump|contact time/exact|rebound speed (m/s)|restitution e|left in vibration|mean force/exact|energy "
         "error|contacts");
  for (int i = 0; i < TIPS; i++)
    for (int j = 0; j < JUMPS; j++) {
      record r;
      BOOK_TRY(run_wall(ctx, tips_word[i], jump_word[j], 100, &r));
      f[i][j] = facts_of(&r, w);
      record_free(&r);
      const wall_facts *x = &f[i][j];
      book_row(c, "%s|%s|%s|%s|%s|%s|%s|%s|%lld", tips_word[i], jump_word[j], book_fixed(x->contact, 3).s,
               book_fixed(-speed * x->rebound, 3).s, book_fixed(x->rebound, 4).s,
               book_percent(1 - x->rebound * x->rebound).s, book_fixed(x->force, 3).s, book_error(x->energy).s,
               x->impacts);
    }
  book_table_end(c);
  return VV_OK;
}

static vv_status mesh_table(book_chapter *c, vv_ctx *ctx, const wave_bars *w, wall_facts f[MESHES])
{
  static const double n[MESHES] = {50, 100, 200, 400};
  double lost[MESHES], late[MESHES];
  book_heading(c, "Refinement, cell tips, modified jump");
  book_columns(c, "elements|contact time/exact|restitution e|energy error");
  for (int i = 0; i < MESHES; i++) {
    record r;
    BOOK_TRY(run_wall(ctx, "cell", "modified", (int)n[i], &r));
    f[i] = facts_of(&r, w);
    record_free(&r);
    lost[i] = 1 - f[i].rebound, late[i] = fabs(f[i].contact - 1);
    book_row(c, "%.0f|%s|%s|%s", n[i], book_fixed(f[i].contact, 4).s, book_fixed(f[i].rebound, 4).s,
             book_error(f[i].energy).s);
  }
  book_table_end(c);
  const vvi_series series[2] = {figure_line("1 - restitution", MESHES, n, lost, 1, VVI_PLOT_LINE_DOTS),
                                figure_line("contact time error", MESHES, n, late, 2, VVI_PLOT_LINE_DOTS)};
  const vvi_panel panel = {.x_label = "elements",
                           .y_label = "relative error",
                           .log_x = true,
                           .log_y = true,
                           .n_series = 2,
                           .series = series};
  const vvi_page page = {.title = "Bar on a wall: convergence (cell tips, modified jump)",
                         .width = 900,
                         .height = 420,
                         .columns = 1,
                         .n_panel = 1,
                         .panel = &panel};
  return book_plot(c, "refine", "Convergence", &page);
}

static vv_status motion_plot(book_chapter *c, vv_ctx *ctx, const wave_bars *w)
{
  static const char *const names[2] = {"lumped tips, slab jump", "cell tips, modified jump"};
  record r[2] = {{0}, {0}};
  vv_status status = run_wall(ctx, "lumped", "slab", 100, &r[0]);
  if (status == VV_OK) status = run_wall(ctx, "cell", "modified", 100, &r[1]);
  const record *const pair[2] = {&r[0], &r[1]};
  const record *both[2] = {pair[0], pair[1]};
  if (status == VV_OK)
    status = figure_impact(c, "motion", "Steel bar on a rigid wall, 5 m/s (s, m, m/s)", both, names, w, gap / speed);
  record_free(&r[0]);
  record_free(&r[1]);
  return status;
}

static void claims(book_chapter *c, wall_facts f[TIPS][JUMPS], const wall_facts fine[MESHES])
{
  static const char evidence[] = "steel bar 0.5 m, 100 elements, 5 m/s, 0.8 of the stable step; lumped, split, cell "
                                 "tips; slab, nodal, modified jump";
  const wall_facts *best = &f[TIPS - 1][JUMPS - 1];
  double contact = 0, rebound = 1, force = 0, energy[JUMPS] = {0};
  for (int i = 0; i < TIPS; i++)
    for (int j = 0; j < JUMPS; j++) {
      contact = fmax(contact, fabs(f[i][j].contact - 1));
      rebound = fmin(rebound, f[i][j].rebound);
      force = fmax(force, fabs(f[i][j].force - 1));
      energy[j] = fmax(energy[j], f[i][j].energy);
    }
  book_claim claim = {.id = "W1", .text = "contact time 2L/c", .published = "0.1927 ms", .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "off by at most %s; cell tips, modified jump: %s",
           book_percent(contact).s, book_percent(fabs(best->contact - 1)).s);
  book_judge_below(&claim, contact, 0.05);
  book_add_claim(c, &claim);
  claim =
      (book_claim){.id = "W2", .text = "rebound at the speed of impact", .published = "e = 1", .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "e = %s or more; cell tips, modified jump: %s",
           book_fixed(rebound, 3).s, book_fixed(best->rebound, 3).s);
  book_judge_above(&claim, rebound, 0.95);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "W3", .text = "force on the wall", .published = "20.2 kN", .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "mean off by at most %s", book_percent(force).s);
  book_judge_below(&claim, force, 0.02);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "W4", .text = "energy conserved", .published = "exact", .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "modified %s; slab %s, nodal %s", book_error(energy[2]).s,
           book_error(energy[0]).s, book_error(energy[1]).s);
  book_judge_below(&claim, energy[2], 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "W5",
                       .text = "restitution converges to 1",
                       .published = "e = 1",
                       .evidence = "cell tips, modified jump, 50 to 400 elements"};
  snprintf(claim.measured, sizeof claim.measured, "1 - e = %s to %s", book_number(1 - fine[0].rebound, 2).s,
           book_number(1 - fine[MESHES - 1].rebound, 2).s);
  book_judge_below(&claim, (1 - fine[MESHES - 1].rebound) / (1 - fine[0].rebound), 0.5);
  snprintf(claim.rule, sizeof claim.rule, "reproduced if 1 - e at 400 elements is at most half of that at 50");
  book_add_claim(c, &claim);
}

vv_status chapter_wall(book *b)
{
  book_chapter *c;
  wall_facts f[TIPS][JUMPS], fine[MESHES];
  BOOK_TRY(book_chapter_begin(b, "wall", "Engineering benchmark: a bar on a rigid wall",
                              "Textbook solution of the wave equation (docs/theory/bars.md, [bars 45]); "
                              "scene examples/newcomer/bar-on-wall.yaml.",
                              &c));
  wave_bars *w = malloc(sizeof *w);
  if (w == NULL) return VV_NOMEM;
  vv_status status = wave_bar_on_wall(w, steel, speed, gap / speed, 1.1 * end) ? VV_OK : VV_ARG;
  if (status == VV_OK) {
    book_heading(c, "The problem");
    book_say(c,
             "A steel bar (0.5 m, 2.1e11 Pa, 7800 kg/m^3, 1 cm^2) hits a rigid wall at 5 m/s. Exact: contact for 2L/c "
             "= %s ms, "
             "force %s kN throughout, rebound at -5 m/s without any vibration: a restitution of exactly 1. The "
             "part of the energy that a mesh leaves in vibration is its error.",
             book_fixed(1e3 * w->tau[0], 4).s, book_fixed(1e-3 * w->impedance[0] * speed, 1).s);
    status = rules_table(c, book_ctx(b), w, f);
  }
  if (status == VV_OK) status = motion_plot(c, book_ctx(b), w);
  if (status == VV_OK) status = mesh_table(c, book_ctx(b), w, fine);
  free(w);
  BOOK_TRY(status);
  claims(c, f, fine);
  return book_chapter_end(c);
}
