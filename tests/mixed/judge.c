/* tests/mixed/judge.c  See judge.h. */
#include "judge.h"

#include "geometry.h"
#include "model/model.h"
#include "visviva/visviva.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK = 5 }; /* steps between two looks at the geometry */

typedef struct row {
  double t, kinetic, strain, potential, swing;
  double restitution, friction; /* J booked so far */
  double p[3];                  /* N s, of all */
  double own[MIXED_BODIES];     /* N s: upward momentum of each body */
  double depth;                 /* m; -1: not looked at */
  double slack;                 /* m: what turning corners may take */
  bool passed;                  /* a body is above one that was above it */
  int64_t contacts, impacts;
} row;

typedef struct run {
  const mixed_scene *scene;
  vv_ctx *ctx;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
  row *row; /* [n] */
  int64_t n, room;
  double *force;             /* [np] */
  double mass[MIXED_BODIES]; /* kg, as the bodies have it: that of a free plate is a little less than its area's */
  mixed_outline outline[MIXED_BODIES];
  double scratch[3 * GEOMETRY_POINTS];
  vv_report report;
  bool refused;
  vv_event *event;
  int64_t n_event, event_room;
} run;

static double energy(const row *r)
{
  return r->kinetic + r->strain + r->potential;
}

static double lost(const row *r)
{
  return r->restitution + r->friction;
}

/* ---- looking ---- */

/* [ledger 6] */
static double swing(run *r, const vv_state *s, double h)
{
  vv_totals sum;
  memset(r->force, 0, sizeof(double) * (size_t)s->np);
  vvi_sys_kick(r->model, s->t, 1.0, s->q, r->force);
  vvi_sys_audit(r->model, s->q, r->force, &sum);
  return 0.25 * h * h * sum.kinetic;
}

static double field_sum(run *r, const vv_state *s, int body, const char *field, double *most)
{
  const int64_t n = vv_model_field_size(r->model, body, field, NULL);
  double sum = 0.0;
  if (3 * n > (int64_t)(sizeof r->scratch / sizeof *r->scratch)) abort();
  if (vv_model_output(r->model, s, body, field, r->scratch) != VV_OK) abort();
  for (int64_t i = 0; i < n; i++) {
    const double *v = r->scratch + 3 * i;
    sum += v[2];
    *most = fmax(*most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  return sum;
}

/* A corner at a distance r from what it turns about leaves its tangent by (v h)^2/(2 r) in a step; what looks ahead along it
 * cannot see that.  5 mm: the least half of a section. */
static void look(run *r, const vv_state *s, row *k, double h)
{
  const mixed_scene *scene = r->scene;
  double speed = 0.0;
  for (int i = 0; i < scene->n; i++) {
    mixed_outline_of(r->model, s, i, &scene->shape[i], &r->outline[i]);
    field_sum(r, s, i, "velocity", &speed);
  }
  k->slack = 1e-12 + speed * speed * h * h / (2.0 * 5e-3);
  k->depth = 0.0;
  for (int i = 0; i < scene->n; i++) {
    const double below = scene->floor ? mixed_below(&r->outline[i]) : 0.0;
    if (below > k->slack) k->depth = fmax(k->depth, below);
    for (int j = i + 1; j < scene->n; j++)
      k->depth = fmax(k->depth, mixed_depth(&r->outline[i], &r->outline[j], k->slack));
    /* two plates: their depth knows every vertex, and soft ones throw their borders up beside each other */
    const bool plates = i > 0 && scene->shape[i].kind == MIXED_SHELL && scene->shape[i - 1].kind == MIXED_SHELL;
    if (i > 0 && !plates && r->outline[i].centre[2] > r->outline[i - 1].centre[2]) k->passed = true;
  }
}

static void keep_events(run *r, const vv_view *view)
{
  for (int64_t i = 0; i < view->n_event; i++) {
    if (r->n_event == r->event_room) {
      r->event_room = r->event_room > 0 ? 2 * r->event_room : 256;
      r->event = realloc(r->event, (size_t)r->event_room * sizeof *r->event);
      if (r->event == NULL) abort();
    }
    r->event[r->n_event++] = view->event[i];
  }
}

static vv_status observe(const vv_view *view, void *user)
{
  run *r = user;
  const vv_state *s = view->state;
  const vv_ledger *l = view->ledger;
  const double h = r->scene->step;
  vv_totals sum;
  double unused = 0.0;
  keep_events(r, view);
  if (r->n == r->room || (r->n > 0 && s->t <= r->row[r->n - 1].t)) return VV_OK;
  row *k = &r->row[r->n++];
  vvi_sys_audit(r->model, s->q, s->p, &sum);
  *k = (row){.t = s->t,
             .kinetic = sum.kinetic,
             .strain = sum.strain,
             .potential = sum.potential,
             .swing = swing(r, s, h),
             .restitution = vv_sum_value(&l->posted.restitution_loss),
             .friction = vv_sum_value(&l->posted.friction_loss),
             .p = {sum.p[0], sum.p[1], sum.p[2]},
             .depth = -1.0,
             .contacts = l->contacts,
             .impacts = l->impacts};
  if (!isfinite(energy(k))) return VV_OK;
  for (int i = 0; i < r->scene->n; i++) k->own[i] = field_sum(r, s, i, "momentum", &unused);
  if ((r->n - 1) % LOOK == 0 || view->last) look(r, s, k, h);
  return VV_OK;
}

/* ---- running ---- */

static vv_status prepare(run *r)
{
  const mixed_scene *scene = r->scene;
  vv_ctx_def def = vv_ctx_default();
  vv_spec *spec = NULL;
  def.threads = 1;
  if (vv_ctx_create(&def, &r->ctx) != VV_OK) abort();
  vv_status status = vv_scene_parse(r->ctx, scene->name, scene->text, strlen(scene->text), &spec);
  if (status == VV_OK) status = vv_compile(r->ctx, spec, &r->model, &r->state);
  vv_spec_destroy(spec);
  if (status != VV_OK) return status;
  vv_sim_def sim = vv_sim_default();
  sim.step = scene->step;
  return vv_sim_create(r->model, r->state, &sim, &r->sim);
}

/* Weights: in the unstressed state nothing but gravity acts. */
static void weigh(run *r)
{
  vv_state *pulled = NULL;
  double unused = 0.0;
  if (vv_state_clone(r->state, &pulled) != VV_OK) abort();
  memset(pulled->p, 0, sizeof(double) * (size_t)pulled->np);
  vvi_sys_kick(r->model, 0.0, 1.0, pulled->q, pulled->p);
  for (int i = 0; i < r->scene->n; i++) r->mass[i] = -field_sum(r, pulled, i, "momentum", &unused) / r->scene->gravity;
  vv_state_destroy(pulled);
}

static void start(run *r, const mixed_scene *scene)
{
  *r = (run){.scene = scene, .room = scene->steps + 1};
  if (prepare(r) != VV_OK) {
    r->refused = true;
    return;
  }
  r->row = calloc((size_t)r->room, sizeof *r->row);
  r->force = calloc((size_t)r->state->np, sizeof *r->force);
  if (r->row == NULL || r->force == NULL) abort();
  weigh(r);
  if (vv_sim_observe(r->sim, 1, observe, r) != VV_OK || vv_sim_steps(r->sim, scene->steps, &r->report) != VV_OK)
    abort();
}

static void finish(run *r)
{
  free(r->row), free(r->force), free(r->event);
  vv_sim_destroy(r->sim);
  vv_state_destroy(r->state);
  vv_model_destroy(r->model);
  vv_ctx_destroy(r->ctx);
}

/* ---- judging ---- */

static void note(mixed_verdict *v, int fault, bool wrong)
{
  if (wrong) v->faults |= 1u << fault;
}

/* J: rounding of sums of some hundred terms through some hundred steps */
static double grain(const mixed_verdict *v)
{
  return 1e-12 * v->scale;
}

/* J: where something bends the energy of fourth order stays within its bound [ledger 16], and H is off by what it differs
 * from that. */
static double bending_band(const run *r)
{
  const vv_ledger *l = vv_sim_ledger(r->sim);
  const double ratio = r->scene->step / vv_model_stable_step(r->model);
  return l->max_shadow_off + 3.0 * (ratio * ratio * l->max_shadow_off + sqrt(l->posted.stray)) + l->posted.held;
}

static void judge_energy(const run *r, mixed_verdict *v)
{
  const row *first = &r->row[0];
  double least = INFINITY, deepest = first->potential;
  for (int64_t i = 0; i < r->n; i++) deepest = fmin(deepest, r->row[i].potential);
  v->scale = first->kinetic + first->strain + first->potential - deepest;
  for (int64_t i = 0; i < r->n; i++) {
    const row *k = &r->row[i];
    const double with = energy(k) - k->swing + lost(k), above = energy(k) - energy(first);
    v->band = fmax(v->band, 2.0 * k->swing);
    v->excess = fmax(v->excess, above);
    v->rise = fmax(v->rise, with - least);
    v->deficit = fmax(v->deficit, r->scene->restitution == 1.0 && r->scene->friction == 0.0 ? -above : 0.0);
    least = fmin(least, with);
    if (i > 0) v->shrink = fmax(v->shrink, fmax(k[-1].restitution - k->restitution, k[-1].friction - k->friction));
  }
  v->band = fmax(v->band, bending_band(r));
  v->final = energy(&r->row[r->n - 1]) - energy(first);
  v->losses = lost(&r->row[r->n - 1]);
}

/* N s: what the outside did in step i that it cannot do.  Gravity gives what it gives, and a floor may only push; without
 * friction nothing happens sideways, but where bars are guided. */
static double support(const run *r, int64_t i)
{
  const mixed_scene *s = r->scene;
  const row *k = &r->row[i];
  double mass = 0.0;
  bool guided = false;
  for (int b = 0; b < s->n; b++) mass += r->mass[b], guided = guided || s->shape[b].kind == MIXED_BAR;
  const double up = k->p[2] - k[-1].p[2] + mass * s->gravity * (k->t - k[-1].t);
  const double side = guided ? 0.0 : hypot(k->p[0] - k[-1].p[0], k->p[1] - k[-1].p[1]);
  return fmax(s->floor ? -up : fabs(up), side - (s->floor ? s->friction * fmax(up, 0.0) : 0.0));
}

/* N s: of all bodies at the start, and of gravity */
static double push_scale(const run *r)
{
  double size = 0.0;
  for (int i = 0; i < 3; i++) size += fabs(r->row[0].p[i]);
  for (int i = 0; i < r->scene->n; i++)
    size += fabs(r->row[0].own[i]) + r->mass[i] * r->scene->gravity * r->row[r->n - 1].t;
  return size;
}

static void judge_support(const run *r, mixed_verdict *v)
{
  const double size = push_scale(r);
  for (int64_t i = 1; i < r->n; i++) v->support = fmax(v->support, support(r, i) / size);
  note(v, MIXED_SUPPORT, v->support > 1e-12);
}

/* A body that was met has another momentum than gravity alone would give it: by a tenth of what its impact with a neighbour
 * exchanges at restitution 0. */
static void judge_meeting(const run *r, mixed_verdict *v)
{
  const mixed_scene *s = r->scene;
  for (int i = 0; i < s->n; i++) {
    double least = INFINITY, most = 0.0;
    for (int j = i - 1; j <= i + 1; j += 2) {
      if (j < 0 || (j == s->n && !s->floor) || j > s->n) continue;
      const double m = r->mass[i], other = j < s->n ? r->mass[j] : INFINITY;
      const double speed =
          j < s->n ? fabs(r->row[0].own[i] / m - r->row[0].own[j] / other) : fabs(r->row[0].own[i]) / m;
      least = fmin(least, speed * (isinf(other) ? m : m * other / (m + other)));
    }
    for (int64_t k = 0; k < r->n; k++)
      most = fmax(most, fabs(r->row[k].own[i] - r->row[0].own[i] + r->mass[i] * s->gravity * r->row[k].t));
    note(v, MIXED_MISSES, !(most >= 0.1 * least) || most == 0.0);
  }
  note(v, MIXED_MISSES, v->impacts == 0);
}

static bool slides(const mixed_scene *s)
{
  for (int i = 0; i < s->n; i++)
    if (s->shape[i].kind == MIXED_BAR && i == 0) return false; /* the top one is thrown askew, and a bar cannot be */
  return s->gravity > 10.0;                                    /* of the named scenes none has friction */
}

/* Does the run notice by itself that a loss shrinks? */
static bool notices(const run *r)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    if (strcmp(claim[i].name, "losses") == 0) return !claim[i].kept;
  return false;
}

static void judge_rest(const run *r, mixed_verdict *v)
{
  const vv_ledger *l = vv_sim_ledger(r->sim);
  const row *last = &r->row[r->n - 1];
  v->impacts = l->impacts;
  v->momentum = fmax(l->max_p_drift, l->max_L_drift);
  note(v, MIXED_MOMENTUM, !(v->momentum <= 1e-12));
  note(v, MIXED_WORK, vv_sum_value(&l->posted.external_work) != 0.0);
  note(v, MIXED_SHRINKS, !(v->shrink <= 1e-14 * v->scale));
  note(v, MIXED_SILENT, v->shrink > 1e-9 * v->scale && !notices(r));
  for (int64_t i = 0; i < r->n; i++) {
    v->depth = fmax(v->depth, r->row[i].depth);
    note(v, MIXED_MISSES, r->row[i].passed);
  }
  note(v, MIXED_OVERLAP, v->depth > 0.0);
  judge_support(r, v);
  if ((v->faults & 1u << MIXED_STOPPED) != 0) return; /* what has not happened may have been to come */
  note(v, MIXED_RUBS, r->scene->friction == 0.0 ? last->friction != 0.0 : slides(r->scene) && !(last->friction > 0.0));
  judge_meeting(r, v);
}

static void judge_run(run *r, mixed_verdict *v)
{
  if (r->refused || r->n == 0) {
    note(v, MIXED_REFUSED, true);
    if (vv_ctx_message_count(r->ctx) > 0) snprintf(v->message, sizeof v->message, "%s", vv_ctx_message(r->ctx, 0));
    return;
  }
  if (r->report.reason != VV_REASON_DONE || r->n != r->room) {
    note(v, MIXED_STOPPED, true);
    snprintf(v->message, sizeof v->message, "%s", r->report.message);
  }
  if (!isfinite(energy(&r->row[r->n - 1]))) r->n--;
  judge_energy(r, v);
  judge_rest(r, v);
}

/* Which of the three energies leave the band. */
static unsigned outside(const mixed_verdict *v)
{
  const double bound = v->band + grain(v), value[3] = {v->excess, v->rise, v->deficit};
  unsigned bits = 0;
  for (int i = 0; i < 3; i++) bits |= value[i] <= bound ? 0u : 1u << i;
  return bits;
}

static void at_half(const mixed_scene *scene, mixed_verdict *v)
{
  mixed_scene fine = *scene;
  mixed_verdict w = {0};
  run r;
  fine.step *= 0.5, fine.steps *= 2;
  start(&r, &fine);
  judge_run(&r, &w);
  finish(&r);
  if ((w.faults & (1u << MIXED_STOPPED | 1u << MIXED_REFUSED)) != 0) return;
  v->half[0] = w.excess, v->half[1] = w.rise, v->half[2] = w.deficit, v->half_final = w.final;
}

/* Second order: a third at most at half the step, and never more than a hundredth of what the scene was given. */
static void judge_order(const mixed_scene *scene, bool halve, mixed_verdict *v)
{
  static const int fault[3] = {MIXED_ENERGY, MIXED_BOOKS, MIXED_KEPT};
  const unsigned out = outside(v), whole = 1u << MIXED_STOPPED | 1u << MIXED_REFUSED;
  const double value[3] = {v->excess, v->rise, v->deficit};
  v->half_final = v->half[0] = v->half[1] = v->half[2] = NAN;
  if ((v->faults & whole) == 0 && (halve || (out != 0 && v->faults == 0))) at_half(scene, v);
  for (int i = 0; i < 3; i++)
    note(v, fault[i], (out & (1u << i)) != 0 && !(v->half[i] <= value[i] / 3.0 && value[i] <= 1e-2 * v->scale));
}

void mixed_judge(const mixed_scene *scene, bool halve, mixed_verdict *v)
{
  const clock_t clock0 = clock();
  run r;
  *v = (mixed_verdict){0};
  start(&r, scene);
  judge_run(&r, v);
  finish(&r);
  judge_order(scene, halve, v);
  v->seconds = (double)(clock() - clock0) / CLOCKS_PER_SEC;
}

const char *mixed_words_of(unsigned faults, char *out, size_t size)
{
#define WORD(name, word, text) word,
  static const char *const word[] = {MIXED_FAULTS(WORD)};
#undef WORD
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < MIXED_FAULT_KINDS; i++)
    if ((faults & (1u << i)) != 0 && used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", word[i]);
  return out;
}

/* ---- telling ---- */

static void tell_rows(const run *r, const char *what, int64_t at)
{
  if (at < 0) return;
  printf("\n%s, first at step %lld:\n", what, (long long)at);
  printf("%6s %12s %12s %12s %12s %12s %10s %12s %12s %11s %11s %11s %5s %6s %9s\n", "step", "kinetic", "strain",
         "potential", "H - H0", "H+loss-S0", "swing", "restitution", "friction", "p_x", "p_y", "p_z", "touch", "impact",
         "depth");
  const row *first = &r->row[0];
  for (int64_t i = at > 4 ? at - 4 : 0; i < r->n && i <= at + 4; i++) {
    const row *k = &r->row[i];
    printf("%6lld %12.5e %12.5e %12.5e %12.4e %12.4e %10.2e %12.5e %12.5e %11.4e %11.4e %11.4e %5lld %6lld ",
           (long long)i, k->kinetic, k->strain, k->potential, energy(k) - energy(first),
           energy(k) - k->swing + lost(k) - energy(first) + first->swing, k->swing, k->restitution, k->friction,
           k->p[0], k->p[1], k->p[2], (long long)k->contacts, (long long)k->impacts);
    printf(k->depth < 0.0 ? "\n" : "%9.2e\n", k->depth);
  }
  const double lo = r->row[at > 2 ? at - 2 : 0].t, hi = r->row[at].t;
  for (int64_t i = 0, told = 0; i < r->n_event && told < 12; i++) {
    const vv_event *e = &r->event[i];
    if (!(e->time >= lo && e->time <= hi)) continue;
    told++;
    printf("  t %.6e %s %s.%s %s.%s node %lld %lld speed %.4e impulse %.4e (rubs %.3e) jump %.3e n (%.3f %.3f %.3f)\n",
           e->time, e->kind, e->body_a, e->feature_a, e->body_b, e->feature_b, (long long)e->node_a,
           (long long)e->node_b, e->normal_speed, e->normal_impulse, e->tangential_impulse, e->energy_jump, e->n[0],
           e->n[1], e->n[2]);
  }
}

static int64_t first_excess(const run *r)
{
  double band = 0.0;
  for (int64_t i = 0; i < r->n; i++) {
    band = fmax(band, 2.0 * r->row[i].swing);
    if (energy(&r->row[i]) - energy(&r->row[0]) > band + 1e-12 * r->row[0].kinetic) return i;
  }
  return -1;
}

static int64_t first_rise(const run *r)
{
  double band = 0.0, least = INFINITY;
  for (int64_t i = 0; i < r->n; i++) {
    const row *k = &r->row[i];
    const double with = energy(k) - k->swing + lost(k);
    band = fmax(band, 2.0 * k->swing), least = fmin(least, with);
    if (with - least > band + 1e-12 * r->row[0].kinetic) return i;
  }
  return -1;
}

static int64_t first_shrink(const run *r)
{
  for (int64_t i = 1; i < r->n; i++) {
    const row *k = &r->row[i];
    if (fmax(k[-1].restitution - k->restitution, k[-1].friction - k->friction) > 1e-14 * r->row[0].kinetic) return i;
  }
  return -1;
}

static int64_t first_support(const run *r)
{
  for (int64_t i = 1; i < r->n; i++)
    if (support(r, i) > 1e-12 * push_scale(r)) return i;
  return -1;
}

static int64_t first_depth(const run *r)
{
  for (int64_t i = 0; i < r->n; i++)
    if (r->row[i].depth > 0.0) return i;
  return -1;
}

static int64_t first_contact(const run *r)
{
  for (int64_t i = 0; i < r->n; i++)
    if (r->row[i].impacts > 0) return i;
  return -1;
}

static void tell_claims(const run *r)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    printf("claim %-17s %-24s worst %.2e bound %.2e %s\n", claim[i].name, claim[i].nature, claim[i].worst,
           claim[i].bound, claim[i].kept ? "kept" : "BROKEN");
}

void mixed_tell(const mixed_scene *scene, mixed_verdict *v)
{
  char words[256];
  run r;
  printf("# %s\n%s\n", scene->name, scene->text);
  mixed_judge(scene, true, v);
  printf("faults: %s%s\n", v->faults == 0 ? "none" : mixed_words_of(v->faults, words, sizeof words),
         v->message[0] ? ":" : "");
  if (v->message[0]) printf("  %s\n", v->message);
  if ((v->faults & (1u << MIXED_REFUSED)) != 0) return;
  printf("given %.6g J, H %+.6e J at the end (at h/2 %+.6e), booked losses %.6e J\n", v->scale, v->final, v->half_final,
         v->losses);
  printf("band %.2e; excess %.3e (h/2 %.3e), rise with losses %.3e (%.3e), deficit %.3e (%.3e), shrink %.2e J\n",
         v->band, v->excess, v->half[0], v->rise, v->half[1], v->deficit, v->half[2], v->shrink);
  printf("momenta %.1e, supports %.1e, depth %.2e m, impacts %lld, %.3f s\n", v->momentum, v->support, v->depth,
         (long long)v->impacts, v->seconds);
  start(&r, scene);
  if (!r.refused && r.n > 0) {
    printf("stable step %.3g, step %.3g\n", vv_model_stable_step(r.model), scene->step);
    tell_claims(&r);
    tell_rows(&r, "something touches", first_contact(&r));
    tell_rows(&r, "H above the start", first_excess(&r));
    tell_rows(&r, "H with losses rises", first_rise(&r));
    tell_rows(&r, "a loss shrinks", first_shrink(&r));
    tell_rows(&r, "the outside does what it cannot do", first_support(&r));
    tell_rows(&r, "overlap", first_depth(&r));
  }
  finish(&r);
}
