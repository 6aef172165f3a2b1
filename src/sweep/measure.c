/* sweep/measure.c  Columns of a sweep's table: what a run is asked for at its end.
 *
 *   ledger.COLUMN                    a column of the ledger at the end; max_closure and the like are of the whole run
 *   run.steps, run.time              how far it came
 *   events.count, events[I].WHAT     impacts: the first is 0, the last -1
 *   contacts.A.B.WHAT                all contacts of two bodies together
 *   bodies.NAME.FIELD                a field at the end: mean over the nodes, its size; [C]: a component; [N][C]: of a node
 *   probes.COLUMN                    a column of probes.csv at the end; .max, .min, .mean: over the run
 *
 * What never came about (an event that was not, a force where everything happened at once) is not a number. */
#include "model/probe.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- words to measures ---- */

static const char *const event_word[] = {
    "time", "normal_speed", "normal_impulse", "tangential_impulse", "energy_jump", "x", "y", "z", NULL};
static const char *const contact_word[] = {"episodes", "impulses",   "touch",       "release",    "duration",
                                           "normal",   "tangential", "energy_lost", "peak_force", NULL};

VV_PRINTF(4, 5)
static vv_status bad(vv_ctx *ctx, const vvi_plan *plan, const vvi_measure *m, const char *format, ...)
{
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return vvi_fail(ctx, VV_SCENE, "%.160s:%d: measure.%s: '%.80s': %s", plan->file, m->line, m->name, m->text, text);
}

static int word_index(const char *const words[], const char *word)
{
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}

static const char *word_list(const char *const words[], char out[256])
{
  out[0] = '\0';
  for (int i = 0; words[i] != NULL; i++)
    snprintf(out + strlen(out), 256 - strlen(out), "%s%s", i > 0 ? ", " : "", words[i]);
  return out;
}

/* Takes "[3]" off the end of the text; false: there is none. */
static bool take_index(char *text, int64_t *index)
{
  const size_t n = strlen(text);
  char *open = strrchr(text, '['), *end;
  if (n < 3 || text[n - 1] != ']' || open == NULL) return false;
  *index = strtoll(open + 1, &end, 10);
  if (end == open + 1 || *end != ']') return false;
  *open = '\0';
  return true;
}

static vv_status parse_event(vv_ctx *ctx, const vvi_plan *plan, vvi_measure *m, char *rest)
{
  char known[256], *what = strchr(rest, '.');
  m->of = VVI_OF_EVENT;
  if (strcmp(rest, ".count") == 0) {
    m->word[0] = "count";
    return VV_OK;
  }
  if (what == NULL) return bad(ctx, plan, m, "write events.count or events[0].time");
  *what++ = '\0';
  if (!take_index(rest, &m->index[0]) || rest[0] != '\0' || llabs(m->index[0]) > 1000000)
    return bad(ctx, plan, m, "write events.count or events[0].time");
  m->n_index = 1;
  m->word[0] = what;
  if (word_index(event_word, what) >= 0) return VV_OK;
  return bad(ctx, plan, m, "an event has %s", word_list(event_word, known));
}

static vv_status parse_contact(vv_ctx *ctx, const vvi_plan *plan, vvi_measure *m, char *rest)
{
  char known[256], *what = strrchr(rest, '.');
  m->of = VVI_OF_CONTACT;
  if (what == NULL || what == rest) return bad(ctx, plan, m, "write contacts.BODY.BODY.normal");
  *what++ = '\0';
  m->word[0] = rest, m->word[2] = what;
  if (word_index(contact_word, what) >= 0) return VV_OK;
  return bad(ctx, plan, m, "the contacts of two bodies have %s", word_list(contact_word, known));
}

static vv_status parse_body(vv_ctx *ctx, const vvi_plan *plan, vvi_measure *m, char *rest)
{
  int64_t index[2] = {0, 0};
  m->of = VVI_OF_BODY;
  while (m->n_index < 2 && take_index(rest, &index[m->n_index])) m->n_index++;
  for (int i = 0; i < m->n_index; i++) m->index[i] = index[m->n_index - 1 - i];
  char *field = strrchr(rest, '.');
  if (field == NULL || field == rest || strchr(field, '[') != NULL)
    return bad(ctx, plan, m, "write bodies.NAME.FIELD, with [component] or [node][component]");
  *field++ = '\0';
  m->word[0] = rest, m->word[1] = field;
  return VV_OK;
}

static vv_status parse_probe(vvi_measure *m, char *rest)
{
  static const struct {
    const char *word;
    int over;
  } end[] = {{".max", '+'}, {".min", '-'}, {".mean", 'm'}, {".last", 0}};
  m->of = VVI_OF_PROBE;
  m->word[0] = rest;
  for (int i = 0; i < VV_COUNT(end); i++) {
    const size_t n = strlen(rest), k = strlen(end[i].word);
    if (n <= k || strcmp(rest + n - k, end[i].word) != 0) continue;
    rest[n - k] = '\0';
    m->over = end[i].over;
    break;
  }
  return VV_OK;
}

vv_status vvi_measure_parse(vv_ctx *ctx, vvi_arena *arena, const vvi_plan *plan, vvi_measure *m)
{
  char *text = vvi_arena_text(arena, m->text);
  if (text == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  if (strncmp(text, "ledger.", 7) == 0) {
    m->of = VVI_OF_LEDGER;
    m->word[0] = text + 7;
    return vv_ledger_find(text + 7) >= 0
               ? VV_OK
               : bad(ctx, plan, m, "the ledger has no such column; see `visviva help ledger`");
  }
  if (strncmp(text, "run.", 4) == 0) {
    m->of = VVI_OF_RUN;
    m->word[0] = text + 4;
    const bool known = strcmp(text + 4, "steps") == 0 || strcmp(text + 4, "time") == 0;
    return known ? VV_OK : bad(ctx, plan, m, "a run has steps and time");
  }
  if (strncmp(text, "events", 6) == 0) return parse_event(ctx, plan, m, text + 6);
  if (strncmp(text, "contacts.", 9) == 0) return parse_contact(ctx, plan, m, text + 9);
  if (strncmp(text, "bodies.", 7) == 0) return parse_body(ctx, plan, m, text + 7);
  if (strncmp(text, "probes.", 7) == 0) return parse_probe(m, text + 7);
  return bad(ctx, plan, m, "begins with none of ledger, run, events, contacts, bodies, probes");
}

/* ---- measures of one run ---- */

typedef struct place {
  int body[2], column, components;
  int64_t size; /* of a field */
} place;

typedef struct kept {
  bool known;
  vv_event event;
} kept;

struct vvi_meter {
  const vvi_plan *plan;
  vv_sim *sim;
  const vv_model *model;
  vvi_arena arena;
  place *place;                     /* [n_measure] */
  kept *event;                      /* [n_measure] of those that ask for one */
  vv_event *tail;                   /* [tails] the last ones, in a ring */
  int64_t events, tails;            /* seen; room of the ring */
  double *probe, *scratch;          /* [columns], [room] */
  double *largest, *smallest, *sum; /* [columns] of the run so far */
  int64_t samples, last_sample;
};

static vv_status find_body(vvi_meter *t, const vvi_measure *m, place *at)
{
  const vv_model *model = t->model;
  at->body[0] = vv_model_body(model, m->word[0]);
  if (at->body[0] < 0) return bad(model->ctx, t->plan, m, "the scene has no body '%.60s'", m->word[0]);
  at->size = vv_model_field_size(model, at->body[0], m->word[1], &at->components);
  if (at->size <= 0) {
    char known[256] = "";
    for (int i = 0; i < vv_model_fields(model, at->body[0]); i++)
      snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "",
               vv_model_field(model, at->body[0], i));
    return bad(model->ctx, t->plan, m, "'%.60s' has the fields %s", m->word[0], known);
  }
  const int64_t component = m->n_index > 0 ? m->index[m->n_index - 1] : 0, node = m->n_index > 1 ? m->index[0] : 0;
  if (component < 0 || component >= at->components)
    return bad(model->ctx, t->plan, m, "components are 0 to %d", at->components - 1);
  if (node < 0 || node >= at->size)
    return bad(model->ctx, t->plan, m, "there are %lld, numbered from 0", (long long)at->size);
  return VV_OK;
}

/* "left.right": a name may hold dots, so every dot may be the one between them. */
static vv_status find_pair(vvi_meter *t, const vvi_measure *m, place *at)
{
  char name[256];
  snprintf(name, sizeof name, "%s", m->word[0]);
  for (char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
    *dot = '\0';
    at->body[0] = vv_model_body(t->model, name);
    at->body[1] = vv_model_body(t->model, dot + 1);
    *dot = '.';
    if (at->body[0] >= 0 && at->body[1] >= 0) return VV_OK;
  }
  return bad(t->model->ctx, t->plan, m, "the scene has no two bodies of these names");
}

static vv_status find_probe(vvi_meter *t, const vvi_measure *m, place *at)
{
  const vvi_probes *all = t->model->probes;
  char name[256];
  for (int i = 0; all != NULL && i < all->n; i++)
    for (int c = 0; c < all->probe[i].components; c++) {
      snprintf(name, sizeof name, "%s%s", all->probe[i].name, vvi_probe_axis(&all->probe[i], c));
      at->column = all->probe[i].column + c;
      if (strcmp(name, m->word[0]) == 0) return VV_OK;
    }
  return bad(t->model->ctx, t->plan, m,
             "the scene has no probe with this column; names are those of probes.csv: sag_z");
}

static vv_status find(vvi_meter *t, int i)
{
  const vvi_measure *m = &t->plan->measure[i];
  place *at = &t->place[i];
  switch (m->of) {
  case VVI_OF_LEDGER:
    at->column = vv_ledger_find(m->word[0]);
    return VV_OK;
  case VVI_OF_BODY:
    return find_body(t, m, at);
  case VVI_OF_CONTACT:
    return find_pair(t, m, at);
  case VVI_OF_PROBE:
    return find_probe(t, m, at);
  case VVI_OF_EVENT:
    if (m->n_index > 0 && -m->index[0] > t->tails) t->tails = -m->index[0];
    return VV_OK;
  default:
    return VV_OK;
  }
}

/* ---- on the way ---- */

static vv_status watch_events(const vv_view *view, void *user)
{
  vvi_meter *t = user;
  for (int64_t k = 0; k < view->n_event; k++, t->events++) {
    for (int i = 0; i < t->plan->n_measure; i++) {
      const vvi_measure *m = &t->plan->measure[i];
      if (m->of == VVI_OF_EVENT && m->n_index > 0 && m->index[0] == t->events)
        t->event[i] = (kept){true, view->event[k]};
    }
    if (t->tails > 0) t->tail[t->events % t->tails] = view->event[k];
  }
  return VV_OK;
}

static int64_t never(int64_t step, void *user)
{
  (void)step, (void)user;
  return INT64_MAX; /* the first, the last, and when many events wait */
}

static int64_t next_probe(int64_t step, void *user)
{
  const vvi_meter *t = user;
  const double every = t->model->probe_every;
  double k = floor((double)step / every);
  while (!(round(k * every) > (double)step)) k += 1.0;
  return (int64_t)round(k * every);
}

static vv_status watch_probes(const vv_view *view, void *user)
{
  vvi_meter *t = user;
  if (t->samples > 0 && t->last_sample == view->state->step) return VV_OK;
  VV_TRY(vvi_probes_read(t->model, view->state, t->scratch, t->probe));
  for (int i = 0; i < t->model->probes->columns; i++) {
    const double x = t->probe[i];
    t->largest[i] = t->samples == 0 || x > t->largest[i] ? x : t->largest[i];
    t->smallest[i] = t->samples == 0 || x < t->smallest[i] ? x : t->smallest[i];
    t->sum[i] += x;
  }
  t->samples++;
  t->last_sample = view->state->step;
  return VV_OK;
}

static vv_status make_probes(vvi_meter *t)
{
  const vvi_probes *all = t->model->probes;
  double **const room[] = {&t->probe, &t->largest, &t->smallest, &t->sum};
  for (int i = 0; i < VV_COUNT(room); i++)
    if ((*room[i] = VVI_ARENA_NEW(&t->arena, double, all->columns)) == NULL) return VV_NOMEM;
  t->scratch = VVI_ARENA_NEW(&t->arena, double, all->room + 1);
  return t->scratch != NULL ? VV_OK : VV_NOMEM;
}

static vv_status make(vvi_meter *t)
{
  bool events = false, probes = false, over = false;
  const int n = t->plan->n_measure;
  t->place = VVI_ARENA_NEW(&t->arena, place, n + 1);
  t->event = VVI_ARENA_NEW(&t->arena, kept, n + 1);
  if (t->place == NULL || t->event == NULL) return VV_NOMEM;
  for (int i = 0; i < n; i++) {
    VV_TRY(find(t, i));
    events |= t->plan->measure[i].of == VVI_OF_EVENT;
    probes |= t->plan->measure[i].of == VVI_OF_PROBE;
    over |= t->plan->measure[i].over != 0;
  }
  t->tail = VVI_ARENA_NEW(&t->arena, vv_event, t->tails + 1);
  if (t->tail == NULL) return VV_NOMEM;
  if (probes) VV_TRY(make_probes(t));
  if (events) VV_TRY(vv_sim_observe_when(t->sim, never, watch_events, t));
  return over ? vv_sim_observe_when(t->sim, next_probe, watch_probes, t) : VV_OK;
}

vv_status vvi_meter_open(const vvi_plan *plan, vv_sim *sim, vvi_meter **out)
{
  *out = NULL;
  vvi_meter *t = calloc(1, sizeof *t);
  if (t == NULL) return VV_NOMEM;
  t->plan = plan;
  t->sim = sim;
  t->model = vv_sim_model(sim);
  const vv_status status = make(t);
  if (status == VV_OK)
    *out = t;
  else
    vvi_meter_close(t);
  return status;
}

void vvi_meter_close(vvi_meter *t)
{
  if (t == NULL) return;
  vv_sim_dismiss(t->sim, t);
  vvi_arena_free(&t->arena);
  free(t);
}

/* ---- at the end ---- */

static double of_event(const vvi_meter *t, int i)
{
  const vvi_measure *m = &t->plan->measure[i];
  if (m->n_index == 0) return (double)t->events;
  const bool last = m->index[0] < 0;
  if (last ? t->events < -m->index[0] : !t->event[i].known) return NAN;
  const vv_event *e = last ? &t->tail[(t->events + m->index[0]) % t->tails] : &t->event[i].event;
  const double value[] = {e->time,        e->normal_speed, e->normal_impulse, e->tangential_impulse,
                          e->energy_jump, e->x[0],         e->x[1],           e->x[2]};
  return value[word_index(event_word, m->word[0])];
}

static double of_total(const vv_contact_total *c, int word)
{
  const double value[] = {(double)c->episodes, (double)c->impulses, c->touch,       c->release,   c->duration,
                          c->normal,           c->tangential,       c->energy_lost, c->peak_force};
  return value[word];
}

/* Bodies with copies are many pairs: counts, times and impulses add up, the first touch is the first of all. */
static double of_contact(const vvi_meter *t, int i)
{
  const vvi_measure *m = &t->plan->measure[i];
  const int word = word_index(contact_word, m->word[2]);
  const vv_ledger *l = vv_sim_ledger(t->sim);
  const place *at = &t->place[i];
  const bool first = strcmp(m->word[2], "touch") == 0;
  const bool most = strcmp(m->word[2], "release") == 0 || strcmp(m->word[2], "peak_force") == 0;
  double all = first || most ? NAN : 0.0;
  for (int64_t k = 0; k < vv_ledger_pairs(l); k++) {
    vv_contact_total c;
    if (vv_ledger_pair(l, k, &c) != VV_OK) continue;
    const bool same = (c.body[0] == at->body[0] && c.body[1] == at->body[1]) ||
                      (c.body[0] == at->body[1] && c.body[1] == at->body[0]);
    if (!same) continue;
    const double x = of_total(&c, word);
    all = first ? fmin(all, x) : most ? fmax(all, x) : all + x;
  }
  return all;
}

static vv_status of_body(const vvi_meter *t, int i, double *out)
{
  const vvi_measure *m = &t->plan->measure[i];
  const place *at = &t->place[i];
  const int n = at->components;
  double *all = malloc(sizeof(double) * (size_t)(at->size * n)), square = 0.0;
  if (all == NULL) return VV_NOMEM;
  const vv_status status = vv_model_output(t->model, vv_sim_state(t->sim), at->body[0], m->word[1], all);
  const int64_t from = m->n_index == 2 ? m->index[0] : 0, to = m->n_index == 2 ? from + 1 : at->size;
  for (int c = 0; status == VV_OK && c < n; c++) {
    double sum = 0.0;
    for (int64_t k = from; k < to; k++) sum += all[k * n + c];
    sum /= (double)(to - from);
    square += sum * sum;
    if (m->n_index > 0 && c == m->index[m->n_index - 1]) *out = sum;
    if (m->n_index == 0 && n == 1) *out = sum;
  }
  if (m->n_index == 0 && n > 1) *out = sqrt(square);
  free(all);
  return status;
}

static double of_probe(const vvi_meter *t, int i)
{
  const int column = t->place[i].column;
  switch (t->plan->measure[i].over) {
  case '+':
    return t->largest[column];
  case '-':
    return t->smallest[column];
  case 'm':
    return t->sum[column] / (double)t->samples;
  default:
    return t->probe[column];
  }
}

vv_status vvi_meter_read(vvi_meter *t, double *value)
{
  const vv_state *x = vv_sim_state(t->sim);
  if (t->probe != NULL) VV_TRY(vvi_probes_read(t->model, x, t->scratch, t->probe));
  for (int i = 0; i < t->plan->n_measure; i++) {
    const vvi_measure *m = &t->plan->measure[i];
    if (m->of == VVI_OF_LEDGER) value[i] = vv_ledger_get(vv_sim_ledger(t->sim), t->place[i].column);
    if (m->of == VVI_OF_RUN) value[i] = m->word[0][0] == 's' ? (double)x->step : x->t;
    if (m->of == VVI_OF_EVENT) value[i] = of_event(t, i);
    if (m->of == VVI_OF_CONTACT) value[i] = of_contact(t, i);
    if (m->of == VVI_OF_PROBE) value[i] = of_probe(t, i);
    if (m->of == VVI_OF_BODY) VV_TRY(of_body(t, i, &value[i]));
  }
  return VV_OK;
}
