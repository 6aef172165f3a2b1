/* io/results/summary.c  summary.json: what a program asks first about a run. */
#include "io/results/json.h"
#include "io/results/writer.h"
#include "ledger/episodes.h"
#include "model/parts.h"

#include <math.h>

static void put_method(vvi_json *j, const vv_model *m, const vv_sim *sim)
{
  const vv_group *g = vv_sub(m->root, "method");
  vvi_json_open(j, "method", '{');
  vvi_json_text(j, "step", vv_text(g, "step"));
  vvi_json_text(j, "jump", vv_text(g, "jump"));
  vvi_json_whole(j, "order", vv_integer(g, "order"));
  vvi_json_text(j, "energy", vv_sim_energy_kind(sim));
  vvi_json_close(j, '}');
}

/* A resumed run knows the time of its own steps only: the rate is of these. */
static void put_work(vvi_json *j, const vv_results *r, const vv_report *report)
{
  const double nodes = (double)vv_model_nodes(r->model), here = nodes * (double)report->steps;
  vvi_json_whole(j, "steps", r->step);
  vvi_json_whole(j, "steps_this_run", report->steps);
  vvi_json_number(j, "time_end", r->time);
  vvi_json_number(j, "step_size", r->model->step);
  vvi_json_number(j, "stable_step", r->model->stable_step);
  vvi_json_whole(j, "bodies", r->model->n_body);
  vvi_json_whole(j, "nodes", (int64_t)nodes);
  vvi_json_whole(j, "frames", r->marks.frames);
  vvi_json_number(j, "wall_seconds", report->wall_seconds);
  vvi_json_number(j, "step_seconds", report->step_seconds);
  vvi_json_number(j, "node_steps", nodes * (double)r->step);
  vvi_json_number(j, "ns_per_node_step", here > 0 ? 1e9 * report->step_seconds / here : NAN);
  vvi_json_whole(j, "threads", vv_ctx_threads(r->ctx));
}

static void put_energy(vvi_json *j, const vv_ledger *l, const char *kind)
{
  vvi_json_open(j, "energy", '{');
  vvi_json_text(j, "kind", kind);
  vvi_json_number(j, "initial", vv_totals_energy(&l->initial));
  vvi_json_number(j, "final", vv_totals_energy(&l->now));
  vvi_json_number(j, "scale", l->energy_scale);
  vvi_json_number(j, "floor", l->energy_floor);
  vvi_json_number(j, "max_relative_error", l->max_closure);
  vvi_json_number(j, "final_relative_error", l->closure);
  vvi_json_number(j, "nodal_initial", l->nodal_initial);
  vvi_json_number(j, "nodal_final", l->nodal_now);
  vvi_json_number(j, "nodal_max_relative_error", l->max_nodal_closure);
  vvi_json_number(j, "external_work", vv_sum_value(&l->posted.external_work));
  vvi_json_number(j, "friction_loss", vv_sum_value(&l->posted.friction_loss));
  vvi_json_number(j, "restitution_loss", vv_sum_value(&l->posted.restitution_loss));
  vvi_json_number(j, "step_loss", vv_sum_value(&l->posted.step_loss));
  vvi_json_number(j, "joint_work", vv_sum_value(&l->posted.joint_work));
  vvi_json_number(j, "joint_gap", l->posted.joint_gap);
  vvi_json_number(j, "plastic_work", vv_sum_value(&l->posted.plastic_work));
  vvi_json_number(j, "viscous_loss", vv_sum_value(&l->posted.viscous_loss));
  vvi_json_number(j, "damage_loss", vv_sum_value(&l->posted.damage_loss));
  vvi_json_close(j, '}');
}

static void put_drift(vvi_json *j, const char *key, double drift, double scale)
{
  vvi_json_open(j, key, '{');
  vvi_json_number(j, "max_drift", drift);
  vvi_json_number(j, "scale", scale);
  vvi_json_close(j, '}');
}

static void put_claims(vvi_json *j, const vv_sim *sim)
{
  const vv_claim *claim = NULL;
  const int n = vv_sim_claims(sim, &claim);
  vvi_json_open(j, "claims", '[');
  for (int i = 0; i < n; i++) {
    vvi_json_open(j, NULL, '{');
    vvi_json_text(j, "name", claim[i].name);
    vvi_json_text(j, "nature", claim[i].nature);
    vvi_json_number(j, "bound", claim[i].bound);
    vvi_json_number(j, "worst", claim[i].worst);
    vvi_json_number(j, "when", claim[i].when);
    vvi_json_flag(j, "kept", claim[i].kept);
    vvi_json_close(j, '}');
  }
  vvi_json_close(j, ']');
}

/* All contacts of two bodies; those with the most impulse, where there are many. */
static void put_pair(vvi_json *j, const vv_model *m, const vv_contact_total *c)
{
  static const char *const body[] = {"body_a", "body_b"}, *const copy[] = {"copy_a", "copy_b"};
  vvi_json_open(j, NULL, '{');
  for (int i = 0; i < 2; i++) {
    vvi_json_text(j, body[i], m->body[c->body[i]].name);
    if (c->copy[i] >= 0) vvi_json_whole(j, copy[i], c->copy[i]);
  }
  vvi_json_whole(j, "contacts", c->episodes);
  vvi_json_number(j, "touch", c->touch);
  vvi_json_number(j, "release", c->release);
  vvi_json_number(j, "duration", c->duration);
  vvi_json_whole(j, "impulses", c->impulses);
  vvi_json_number(j, "normal_impulse", c->normal);
  vvi_json_number(j, "tangential_impulse", c->tangential);
  vvi_json_number(j, "peak_force", c->peak_force);
  vvi_json_number(j, "peak_time", c->peak_time);
  vvi_json_number(j, "energy_lost", c->energy_lost);
  vvi_json_flag(j, "open", c->open != 0);
  vvi_json_close(j, '}');
}

static void put_contacts(vvi_json *j, const vv_model *m, const vv_ledger *l)
{
  enum { MOST = 100 };
  int64_t pair[MOST];
  const int64_t all = vv_ledger_pairs(l), n = vvi_episodes_strongest(l->episodes, MOST, pair);
  vvi_json_whole(j, "contacts", l->episodes != NULL ? l->episodes->begun : 0);
  vvi_json_whole(j, "contact_pairs", all);
  vvi_json_open(j, "pairs", '[');
  for (int64_t i = 0; i < n; i++) {
    vv_contact_total c;
    if (vv_ledger_pair(l, pair[i], &c) == VV_OK) put_pair(j, m, &c);
  }
  vvi_json_close(j, ']');
}

/* What was found, also where nothing is claimed; null: not checked. */
static void put_structure(vvi_json *j, const vv_results *r, const vv_sim *sim)
{
  vv_structure s;
  if (!vv_sim_structure(sim, &s)) {
    vvi_json_number(j, "structure", NAN);
    return;
  }
  vvi_json_open(j, "structure", '{');
  vvi_json_number(j, "symplectic", s.symplectic);
  vvi_json_number(j, "multisymplectic", s.sub_domains ? s.multisymplectic : NAN);
  vvi_json_number(j, "noether", s.sub_domains ? s.noether : NAN);
  vvi_json_number(j, "configurational", s.configurational);
  vvi_json_number(j, "local_energy", s.local_energy);
  vvi_json_flag(j, "sub_domains", s.sub_domains);
  vvi_json_flag(j, "ended", s.ended);
  vvi_json_number(j, "checked_until", s.ended ? s.ended_at : r->time);
  vvi_json_close(j, '}');
}

static void put_numbers(vvi_json *j, const char *name, int n, const double *x)
{
  vvi_json_open(j, name, '[');
  for (int i = 0; i < n; i++) vvi_json_number(j, NULL, x[i]);
  vvi_json_close(j, ']');
}

/* How all bodies together move: as one, and otherwise; at the end. */
static void put_parts(vvi_json *j, const vv_sim *sim)
{
  vvi_parts p;
  if (vvi_model_implicit(vv_sim_model(sim))) return;
  vvi_parts_of(vv_sim_model(sim), vv_sim_state(sim), &p);
  vvi_json_open(j, "parts", '{');
  vvi_json_number(j, "mass", p.mass);
  put_numbers(j, "centre", 3, p.centre);
  put_numbers(j, "velocity", 3, p.velocity);
  put_numbers(j, "locked_inertia", 6, p.inertia);
  put_numbers(j, "angular_velocity", 3, p.spin);
  vvi_json_number(j, "rigid", p.rigid);
  vvi_json_number(j, "shape", p.shape);
  vvi_json_close(j, '}');
}

static void put_summary(vvi_json *j, const vv_results *r, const vv_sim *sim, const vv_report *report)
{
  const vv_ledger *l = vv_sim_ledger(sim);
  char hash[24] = "";
  if (r->finished) snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->state_hash);
  vvi_json_open(j, NULL, '{');
  vvi_json_text(j, "version", vv_version());
  vvi_json_text(j, "title", vv_model_title(r->model));
  put_method(j, r->model, sim);
  vvi_json_text(j, "reason", vv_reason_text(report->reason));
  vvi_json_text(j, "message", report->message);
  put_work(j, r, report);
  vvi_json_whole(j, "impacts", l->impacts);
  vvi_json_whole(j, "events_written", r->marks.events);
  vvi_json_whole(j, "events_left_out", l->impacts - r->marks.events);
  put_contacts(j, r->model, l);
  vvi_json_whole(j, "fallbacks", l->fallbacks);
  vvi_json_whole(j, "held", l->held);
  put_energy(j, l, vv_sim_energy_kind(sim));
  put_drift(j, "momentum", l->max_p_drift, l->p_scale);
  put_drift(j, "angular_momentum", l->max_L_drift, l->L_scale);
  put_parts(j, sim);
  vvi_json_number(j, "max_penetration", l->max_penetration);
  vvi_json_number(j, "max_distortion", l->max_distortion);
  vvi_json_number(j, "max_stretch", l->max_stretch);
  vvi_json_whole(j, "broken_elements", vv_model_broken(r->model, vv_sim_state(sim), -1));
  double shortest, longest;
  int64_t taken;
  if (vv_sim_lengths(sim, &shortest, &longest, &taken)) {
    vvi_json_whole(j, "steps_taken", taken);
    vvi_json_number(j, "shortest_step", shortest);
    vvi_json_number(j, "longest_step", longest);
  }
  if (l->step_parts > 1.0) vvi_json_number(j, "step_parts", l->step_parts);
  vvi_json_number(j, "max_event_residual", l->max_event_residual);
  put_structure(j, r, sim);
  put_claims(j, sim);
  vvi_json_text(j, "state_hash", hash);
  vvi_json_close(j, '}');
}

vv_status vv_results_summary(vv_results *results, const vv_sim *sim, const vv_report *report)
{
  if (results == NULL || sim == NULL || report == NULL) return VV_ARG;
  const char *path = vvi_path(&results->arena, results->folder, "summary.json");
  const char *tmp = vvi_path(&results->arena, results->folder, "summary.tmp");
  if (path == NULL || tmp == NULL) return VV_NOMEM;
  vvi_json j = {.status = VV_OK};
  if (!results->summed_up && !results->broken) {
    VV_TRY(vvi_contacts_open(results, vv_sim_ledger(sim)));
    VV_TRY(vvi_csv_left_out(results, vv_sim_ledger(sim)->impacts - results->marks.events));
    VV_TRY(vvi_frames_flush(results, false));
  }
  results->summed_up = true;
  VV_TRY(vvi_file_create(results->ctx, tmp, &j.file));
  put_summary(&j, results, sim, report);
  if (j.status == VV_OK) j.status = vvi_file_text(&j.file, "\n");
  const vv_status closed = vvi_file_close(&j.file);
  if (j.status == VV_OK) j.status = closed;
  if (j.status == VV_OK) return vvi_replace(results->ctx, tmp, path, false);
  remove(tmp);
  return j.status;
}
