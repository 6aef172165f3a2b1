/* validation/wall.c  The engineering benchmark: a steel bar on a rigid wall, in SI units, with its exact solution. */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIPS = 3, JUMPS = 3, MODIFIED = 2, MESHES = 4, SAFETIES = 2 };
static const char *const tips_word[TIPS] = {"lumped", "split", "cell"};
static const char *const jump_word[JUMPS] = {"slab", "nodal", "modified"};
/* examples/newcomer/bar-on-wall.yaml */
static const wave_bar steel = {.length = 0.5, .young = 2.1e11, .density = 7800, .area = 1e-4};
static const double safety[SAFETIES] = {0.8, 0.1}; /* step over stable step */
static const double speed = 5, gap = 1e-4, end = 5e-4;

typedef struct wall_facts {
  double contact, rebound, energy, force; /* contact and force relative to the exact ones, rebound relative to -speed */
  long long impacts, lost;                /* lost: events without a root */
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

static vv_status run_wall(vv_ctx *ctx, const char *tips, const char *jump, int elements, double part, record *out)
{
  const record_plan plan = wall_plan(tips, elements);
  const char *first = strcmp(tips, "cell") == 0 ? "cell" : "lumped";
  vv_spec *spec = NULL;
  vv_status status = vv_scene_read(ctx, VV_EXAMPLES_DIR "/newcomer/bar-on-wall.yaml", &spec);
  if (status == VV_OK) status = vv_spec_set(spec, "bodies.bar.tips.first", first);
  if (status == VV_OK) status = vv_spec_set(spec, "bodies.bar.tips.last", tips);
  if (status == VV_OK) status = vv_spec_set_number(spec, "bodies.bar.elements", elements);
  if (status == VV_OK) status = vv_spec_set_number(spec, "time.step.safety", part);
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
                      .impacts = record_contacts(r),
                      .lost = r->ledger.fallbacks};
}

static vv_status rules_table(book_chapter *c, vv_ctx *ctx, const wave_bars *w, int k, wall_facts f[TIPS][JUMPS])
{
  book_say(c, "Step %g of the stable step:", safety[k]);
  book_columns(
      c, "tips|jump|contact time/exact|rebound speed (m/s)|restitution e|mean force/exact|energy error|contacts|events "
         "without root");
  for (int i = 0; i < TIPS; i++)
    for (int j = 0; j < JUMPS; j++) {
      record r;
      BOOK_TRY(run_wall(ctx, tips_word[i], jump_word[j], 100, safety[k], &r));
      f[i][j] = facts_of(&r, w);
      record_free(&r);
      const wall_facts *x = &f[i][j];
      book_row(c, "%s|%s|%s|%s|%s|%s|%s|%lld|%lld", tips_word[i], jump_word[j], book_fixed(x->contact, 3).s,
               book_fixed(-speed * x->rebound, 3).s, book_fixed(x->rebound, 4).s, book_fixed(x->force, 3).s,
               book_error(x->energy).s, x->impacts, x->lost);
    }
  book_table_end(c);
  return VV_OK;
}

static vv_status mesh_table(book_chapter *c, vv_ctx *ctx, const wave_bars *w, wall_facts f[MESHES])
{
  static const double n[MESHES] = {50, 100, 200, 400}, fold[MESHES] = {0, 1, 2, 3};
  double lost[MESHES], late[MESHES];
  book_heading(c, "Refinement, cell tips, modified jump");
  book_columns(c, "elements|contact time/exact|restitution e|energy error");
  for (int i = 0; i < MESHES; i++) {
    record r;
    BOOK_TRY(run_wall(ctx, "cell", "modified", (int)n[i], safety[0], &r));
    f[i] = facts_of(&r, w);
    record_free(&r);
    lost[i] = 1 - f[i].rebound, late[i] = fabs(f[i].contact - 1);
    book_row(c, "%.0f|%s|%s|%s", n[i], book_fixed(f[i].contact, 4).s, book_fixed(f[i].rebound, 4).s,
             book_error(f[i].energy).s);
  }
  book_table_end(c);
  const vvi_series series[2] = {figure_line("1 - restitution", MESHES, fold, lost, 1, VVI_PLOT_LINE_DOTS),
                                figure_line("contact time error", MESHES, fold, late, 2, VVI_PLOT_LINE_DOTS)};
  const vvi_panel panel = {
      .x_label = "k: 50 x 2^k elements", .y_label = "relative error", .log_y = true, .n_series = 2, .series = series};
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
  static const double level[2] = {0, 0};
  record r[2] = {{0}, {0}};
  vv_status status = run_wall(ctx, "lumped", "slab", 100, safety[1], &r[0]);
  if (status == VV_OK) status = run_wall(ctx, "cell", "modified", 100, safety[1], &r[1]);
  const record *both[2] = {&r[0], &r[1]};
  if (status == VV_OK)
    status = figure_impact(c, "motion", "Steel bar on a rigid wall, 5 m/s, step 0.1 of the stable step (s, m, m/s)",
                           both, names, w, gap / speed, level);
  record_free(&r[0]);
  record_free(&r[1]);
  return status;
}

static void claim_default(book_chapter *c, wall_facts f[SAFETIES][TIPS][JUMPS])
{
  static const char evidence[] =
      "steel bar 0.5 m, 100 elements, 5 m/s; lumped, split, cell tips; jump modified (the default); 0.8 of "
      "the stable step";
  double contact = 0, rebound = 1, force = 0;
  for (int i = 0; i < TIPS; i++) {
    const wall_facts *x = &f[0][i][MODIFIED];
    contact = fmax(contact, fabs(x->contact - 1)), rebound = fmin(rebound, x->rebound);
    force = fmax(force, fabs(x->force - 1));
  }
  book_claim claim = {.id = "W1", .text = "contact time 2L/c", .published = "0.1927 ms", .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "off by %s", book_percent(contact).s);
  book_judge_exact(&claim, contact, 0.02);
  book_add_claim(c, &claim);
  claim =
      (book_claim){.id = "W2", .text = "rebound at the speed of impact", .published = "e = 1", .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "e = %s or more", book_fixed(rebound, 3).s);
  book_judge_exact(&claim, 1 - rebound, 0.02);
  book_add_claim(c, &claim);
  claim =
      (book_claim){.id = "W3", .text = "force on the wall, in the mean", .published = "20.2 kN", .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "off by %s", book_percent(force).s);
  book_judge_exact(&claim, force, 0.02);
  book_add_claim(c, &claim);
  claim = (book_claim){
      .id = "W4", .text = "energy conserved, lumped and cell tips", .published = "exact", .evidence = evidence};
  const double energy = fmax(f[0][0][MODIFIED].energy, f[0][TIPS - 1][MODIFIED].energy);
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(energy).s);
  book_judge_exact(&claim, energy, 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "W5", .text = "energy conserved, split tips", .published = "exact", .evidence = evidence};
  const wall_facts *split = &f[0][1][MODIFIED];
  snprintf(claim.measured, sizeof claim.measured, "%s%s; at 0.1 of the stable step %s", book_error(split->energy).s,
           split->lost > 0 ? ", grazing tips turned back" : "", book_error(f[1][1][MODIFIED].energy).s);
  book_judge_exact(&claim, split->energy, 1e-12);
  book_add_claim(c, &claim);
}

static void claim_other_rules(book_chapter *c, wall_facts f[SAFETIES][TIPS][JUMPS], const wall_facts fine[MESHES])
{
  static const char *const rule[2] = {"slab", "nodal"};
  char text[2][160];
  double worst = 0;
  for (int j = 0; j < 2; j++) {
    size_t used = (size_t)snprintf(text[j], sizeof text[j], "%s", rule[j]);
    for (int i = 0; i < TIPS; i++) {
      used += (size_t)snprintf(text[j] + used, sizeof text[j] - used, "%s %s (%s)", i > 0 ? "," : "",
                               book_percent(f[0][i][j].energy).s, tips_word[i]);
      worst = fmax(worst, f[1][i][j].energy);
    }
  }
  book_claim steps = {
      .id = "W6",
      .text = "the papers' jump rules at 0.8 of the stable step, longer than they show: lumped tips blow up, the "
              "others do not",
      .published = "not claimed",
      .evidence = "lumped, split, cell tips, 100 elements; energy errors; the modified rule: W4, W5",
      .chaotic = true};
  snprintf(steps.measured, sizeof steps.measured, "%s; %s", text[0], text[1]);
  book_tell(&steps);
  book_add_claim(c, &steps);
  steps = (book_claim){.id = "W7",
                       .text = "slab and nodal jumps keep the energy at 0.1 of the stable step",
                       .published = "exact",
                       .evidence = "lumped, split, cell tips, 100 elements"};
  snprintf(steps.measured, sizeof steps.measured, "off by %s at most", book_percent(worst).s);
  book_judge_exact(&steps, worst, 0.01);
  book_add_claim(c, &steps);
  book_claim claim = {.id = "W8",
                      .text = "restitution converges to 1",
                      .published = "e = 1",
                      .evidence = "cell tips, modified jump, 50 to 400 elements, 0.8 of the stable step"};
  snprintf(claim.measured, sizeof claim.measured, "1 - e = %s to %s", book_number(1 - fine[0].rebound, 2).s,
           book_number(1 - fine[MESHES - 1].rebound, 2).s);
  book_judge_exact(&claim, (1 - fine[MESHES - 1].rebound) / (1 - fine[0].rebound), 0.5);
  snprintf(claim.rule, sizeof claim.rule, "1 - e at 400 elements is at most half of that at 50");
  book_add_claim(c, &claim);
}

vv_status chapter_wall(book *b)
{
  book_chapter *c;
  wall_facts f[SAFETIES][TIPS][JUMPS], fine[MESHES];
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
    book_heading(c, "Jump rules and tips, 100 elements");
    book_say(c, "`energy error` is that of the energy which the rule balances. At a large step the slab and nodal "
                "rules pump energy "
                "into the end node of a lumped tip; the modified rule does not.");
    for (int k = 0; k < SAFETIES && status == VV_OK; k++) status = rules_table(c, book_ctx(b), w, k, f[k]);
  }
  if (status == VV_OK) status = motion_plot(c, book_ctx(b), w);
  if (status == VV_OK) status = mesh_table(c, book_ctx(b), w, fine);
  free(w);
  BOOK_TRY(status);
  claim_default(c, f);
  claim_other_rules(c, f, fine);
  return book_chapter_end(c);
}
