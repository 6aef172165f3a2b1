/* app/summary.c  The summary that is printed at the end of a run. */
#include "app.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_steps(const app_run *r)
{
  char unit[64], clean[64];
  const vv_model *m = r->scene.model;
  const double ratio = vv_model_step(m) / vv_model_stable_step(m);
  app_clean(clean, sizeof clean, app_scene_word(&r->scene, "units", "time", unit, sizeof unit));
  printf("  bodies             %d, with %lld node%s\n", vv_model_bodies(m), (long long)vv_model_nodes(m),
         app_plural(vv_model_nodes(m)));
  printf("  steps              %lld of %.6g %s", (long long)r->scene.state->step, vv_model_step(m), clean);
  if (ratio > 0) printf(", %.3g of the stable one", ratio);
  if (*vv_model_step_reason(m)) printf("\n                     by default: %s", vv_model_step_reason(m));
  double shortest, longest;
  int64_t taken;
  if (vv_sim_lengths(r->sim, &shortest, &longest, &taken))
    printf("\n                     taken as %lld of %.3g to %.3g %s, chosen by the energy equation", (long long)taken,
           shortest, longest, clean);
  const double end = strtod(app_scene_word(&r->scene, "time", "end", unit, sizeof unit), NULL);
  printf("\n  time at the end    %.9g %s", r->scene.state->t, clean);
  if (r->report.reason == VV_REASON_DONE && r->scene.state->t < end * (1.0 - 1e-9))
    printf(", the last whole step before %.9g", end);
  printf("\n");
  if (r->resume) printf("  resumed            %lld of these steps were done now\n", (long long)r->report.steps);
}

/* Round-off adds up as the square root of the steps at least: below that an error says nothing about the method. */
static void print_error(const app_run *r, const char *name, double value, const char *what)
{
  const double rounding = 4.0 * DBL_EPSILON * sqrt(1.0 + (double)r->scene.state->step);
  printf("  %-18s %.2e  %s%s\n", name, value, what,
         value > rounding ? ""
         : value > 0      ? "; round-off"
                          : "; below round-off");
}

/* summary.json knows how many impacts events.csv holds. */
static void print_left_out(const app_run *r)
{
  char path[APP_PATH], word[64];
  char *text = app_join(path, sizeof path, r->folder, "summary.json") ? app_read_text(path) : NULL;
  const char *left = text != NULL ? app_json(text, "events_left_out", word, sizeof word) : NULL;
  if (left != NULL && strcmp(left, "0") != 0) printf(", %s of them not in events.csv", left);
  free(text);
}

/* What the method does where its own rule has no answer. */
static const char *fallback(const app_run *r)
{
  char step[64];
  app_scene_word(&r->scene, "method", "step", step, sizeof step);
  return strcmp(step, "leapfrog") == 0
             ? "of them stopped as one piece, since no bounce kept them apart: use a shorter step"
             : "without a root of the energy equation";
}

static void print_ledger(const app_run *r)
{
  const vv_ledger *l = vv_sim_ledger(r->sim);
  const double work = vv_ledger_get(l, VV_LEDGER_EXTERNAL_WORK);
  const double plastic = vv_ledger_get(l, VV_LEDGER_PLASTIC_WORK), viscous = vv_ledger_get(l, VV_LEDGER_VISCOUS_LOSS);
  const double damage = vv_ledger_get(l, VV_LEDGER_DAMAGE_LOSS);
  const double loss = vv_ledger_get(l, VV_LEDGER_FRICTION_LOSS) + vv_ledger_get(l, VV_LEDGER_RESTITUTION_LOSS) +
                      vv_ledger_get(l, VV_LEDGER_STEP_LOSS) + plastic + viscous + damage;
  const double fallbacks = vv_ledger_get(l, VV_LEDGER_FALLBACKS), held = vv_ledger_get(l, VV_LEDGER_HELD);
  const int64_t broken = vv_model_broken(r->scene.model, vv_sim_state(r->sim), -1);
  char unit[256], word[64];
  app_energy_unit(&r->scene, unit, sizeof unit);
  printf("  impacts            %.0f", vv_ledger_get(l, VV_LEDGER_IMPACTS));
  if (fallbacks > 0) printf(", %.0f %s", fallbacks, fallback(r));
  if (held > 0) printf(", %.0f more at rest, counted every step", held);
  print_left_out(r);
  printf("\n  energy             %.9g -> %.9g %s\n", vv_ledger_get(l, VV_LEDGER_INITIAL_TOTAL),
         vv_ledger_get(l, VV_LEDGER_TOTAL), unit);
  if (work != 0) printf("  external work      %.9g %s\n", work, unit);
  if (loss != 0) printf("  booked losses      %.9g %s\n", loss, unit);
  if (plastic != 0) printf("    plastic work     %.9g %s\n", plastic, unit);
  if (viscous != 0) printf("    viscous loss     %.9g %s\n", viscous, unit);
  if (damage != 0) printf("    damage           %.9g %s\n", damage, unit);
  if (broken > 0) printf("  broken elements    %lld\n", (long long)broken);
  print_error(r, "energy error", vv_ledger_get(l, VV_LEDGER_MAX_CLOSURE), "largest, relative");
  print_error(r, "momentum drift", vv_ledger_get(l, VV_LEDGER_MAX_P_DRIFT), "largest, relative");
  print_error(r, "angular momentum", vv_ledger_get(l, VV_LEDGER_MAX_L_DRIFT), "largest drift, relative");
  printf("  penetration        %.2e  largest, %s\n", vv_ledger_get(l, VV_LEDGER_MAX_PENETRATION),
         app_clean(unit, sizeof unit, app_scene_word(&r->scene, "units", "length", word, sizeof word)));
}

/* "ball 3": a body, and which of its copies. */
static void name_side(const app_run *r, const vv_contact_total *c, int side, char *out, size_t size)
{
  char clean[40];
  app_clean(clean, sizeof clean, vv_model_body_name(r->scene.model, c->body[side]));
  if (c->copy[side] >= 0)
    snprintf(out, size, "%s %d", clean, c->copy[side]);
  else
    snprintf(out, size, "%s", clean);
}

/* A loss that only rounds the energies of the run is none. */
static double worth_telling(const app_run *r, double energy)
{
  return fabs(energy) > 1e-12 * vv_ledger_get(vv_sim_ledger(r->sim), VV_LEDGER_ENERGY_SCALE) ? energy : 0.0;
}

static void print_contact(const app_run *r, const vv_contact_total *c)
{
  char a[64], b[64], both[160], force[32] = "-", duration[32];
  name_side(r, c, 0, a, sizeof a);
  name_side(r, c, 1, b, sizeof b);
  snprintf(both, sizeof both, "%s, %s", a, b);
  if (isfinite(c->peak_force)) snprintf(force, sizeof force, "%.4g", c->peak_force);
  const double lasts = c->duration > 1e-12 * fabs(c->release) ? c->duration : 0.0; /* what times round by is none */
  snprintf(duration, sizeof duration, "%.4g%s", lasts, c->open ? "+" : "");
  printf("  %-18.18s %5lld  %-9.4g %-9s %-9.4g %-10s %.3g\n", both, (long long)c->episodes, c->touch, duration,
         c->normal, force, worth_telling(r, c->energy_lost));
}

/* The pairs with the most impulse. */
static void print_contacts(const app_run *r)
{
  enum { MOST = 6 };
  const vv_ledger *l = vv_sim_ledger(r->sim);
  const int64_t n = vv_ledger_pairs(l);
  vv_contact_total best[MOST], c;
  int used = 0;
  for (int64_t i = 0; i < n; i++) {
    if (vv_ledger_pair(l, i, &c) != VV_OK) continue;
    int at = used < MOST ? used++ : MOST;
    for (; at > 0 && best[at - 1].normal < c.normal; at--)
      if (at < MOST) best[at] = best[at - 1];
    if (at < MOST) best[at] = c;
  }
  if (n == 0) return;
  printf("contacts of          times  touch     duration  impulse   peak force lost\n");
  for (int i = 0; i < used; i++) print_contact(r, &best[i]);
  if (n > used) printf("  and %lld more pairs: contacts.csv\n", (long long)(n - used));
  for (int i = 0; i < used; i++)
    if (best[i].open) {
      printf("  +: in contact when the run ended\n");
      break;
    }
}

/* Also where nothing is claimed: the number then says by how much the method misses. */
static void print_structure(const app_run *r)
{
  vv_structure s;
  if (!vv_sim_structure(r->sim, &s)) return;
  printf("  structure          symplectic %.2e, ", s.symplectic);
  if (s.sub_domains && isnan(s.noether))
    printf("multisymplectic %.2e, no Noether sum where a clamp acts", s.multisymplectic);
  else if (s.sub_domains)
    printf("multisymplectic %.2e, Noether %.2e", s.multisymplectic, s.noether);
  else
    printf("no sums on sub-domains");
  printf("; checked to t = %.6g%s%s\n", s.ended ? s.ended_at : r->scene.state->t,
         s.ended ? ", where the last derivative exists" : "", r->resume ? ", in the steps done now" : "");
}

static void print_claims(const app_run *r)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  printf(n > 0 ? "claims                      worst     bound    at time    nature\n" : "claims\n");
  for (int i = 0; i < n; i++) {
    char when[32] = "-";
    if (claim[i].worst > 0) snprintf(when, sizeof when, "%.4g", claim[i].when);
    const bool guard = strncmp(claim[i].nature, "guard", 5) == 0;
    printf("  %-18s %s %8.2e  %7.1e  %-9s  %s\n", claim[i].name,
           !claim[i].kept ? "BROKEN"
           : guard        ? "within"
                          : "kept  ",
           claim[i].worst, claim[i].bound, when, claim[i].nature);
  }
  if (n == 0) printf("  none: this method promises nothing for this scene\n");
}

static void print_cost(const app_run *r)
{
  const int threads = vv_ctx_threads(r->scene.ctx);
  const double work = (double)r->report.steps * (double)vv_model_nodes(r->scene.model);
  const int64_t steps = r->report.steps, shared = r->report.shared_steps;
  const char *when = 2 * shared < steps ? ", 1 for most steps" : "";
  const double all = r->report.wall_seconds, inside = r->report.step_seconds;
  printf("wall time            %.3g s on %d thread%s%s\n", all, threads, app_plural(threads), when);
  if (vv_sim_device(r->sim) != NULL) printf("  device             %s\n", vv_sim_device(r->sim));
  printf("  steps              %.3g s", inside);
  const double each = work > 0 ? 1e9 * inside / work : 0.0;
  if (each >= 1e4)
    printf(", %.3g us per node and step", 1e-3 * each);
  else if (work > 0)
    printf(", %.*f ns per node and step", each < 100.0, each);
  printf("\n  audits and files   %.3g s", all > inside ? all - inside : 0.0);
  printf("\nstate hash           %016llx\n", (unsigned long long)vv_state_hash(r->scene.state));
}

void app_print_summary(const app_run *r)
{
  app_print_title(&r->scene);
  app_print_method(&r->scene, vv_sim_energy_kind(r->sim));
  print_steps(r);
  print_ledger(r);
  print_contacts(r);
  print_structure(r);
  print_claims(r);
  print_cost(r);
  app_list_files(r->folder);
}

static const char *remedy(const app_run *r, const char *claim)
{
  char step[64];
  app_scene_word(&r->scene, "method", "step", step, sizeof step);
  const bool energy = strcmp(claim, "energy") == 0 || strcmp(claim, "event_balance") == 0;
  const bool other_jump = strcmp(step, "event") == 0 && strcmp(vv_sim_energy_kind(r->sim), "modified") != 0;
  if (strcmp(claim, "penetration") == 0) return "do as a warning above says, or use a shorter step";
  return energy && other_jump ? "use a shorter step, 'step: leapfrog', or 'jump: modified' where all is linear"
                              : "use a shorter step";
}

void app_warn_of_elements(const app_run *r)
{
  const vv_ledger *l = vv_sim_ledger(r->sim);
  const double when = vv_ledger_get(l, VV_LEDGER_DISTORTION_WHEN), stretched = vv_ledger_get(l, VV_LEDGER_STRETCH_WHEN);
  if (stretched >= 0.0)
    app_hint(
        "warning: from t = %.6g on elements were overstretched: strains of %.3g, and at 1 what their law leaves out "
        "is as large as what it has; use smaller loads and speeds, a stiffer material, or 'law: neo-hookean' where "
        "a body can have it",
        stretched, vv_ledger_get(l, VV_LEDGER_MAX_STRETCH));
  if (when >= 0.0)
    app_hint(
        "warning: from t = %.6g on elements were crushed flat, turned inside out or folded (%.3g, where 1 is flat): "
        "energies may close all the same, but these bodies are none any more; use smaller loads and speeds, a "
        "stiffer material or a finer mesh",
        when, vv_ledger_get(l, VV_LEDGER_MAX_DISTORTION));
}

int app_broken_claims(const app_run *r)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  int broken = 0;
  for (int i = 0; i < n; i++) {
    if (claim[i].kept) continue;
    broken++;
    app_error("claim broken: %s is off by %.3g, more than its bound %.3g, at t = %.6g; %s", claim[i].name,
              claim[i].worst, claim[i].bound, claim[i].when, remedy(r, claim[i].name));
  }
  return broken;
}
