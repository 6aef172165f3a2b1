/* sweep/run.c  One case: compile, run, measure, one row.
 *
 * A row is made by the same calls in the same order wherever the case is run, with one thread, and holds nothing of clocks or
 * machines. */
#include "io/file.h"
#include "model/model.h"
#include "sweep/sweep.h"
#include "visviva/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
  vv_sweep *s;
  int64_t number;
  vvi_case c;
  vv_sim *sim;
  vvi_meter *meter;
  vv_results *results; /* NULL: the row alone */
  vv_report report;
  vv_poll_fn *poll;
  void *user;
  double begun;
  bool late, asked; /* the limit of time; the caller wants to stop */
} job;

/* ---- the clock and the caller ---- */

static bool look(void *user)
{
  job *j = user;
  j->asked = j->poll != NULL && j->poll(j->user);
  j->late = j->s->plan.wall > 0.0 && vvi_clock() - j->begun > j->s->plan.wall;
  return j->asked || j->late;
}

/* The books are closed, and claims judged, as often as rows of ledger.csv would be written. */
static vv_status close_books(const vv_view *view, void *user)
{
  (void)view, (void)user;
  return VV_OK;
}

static int64_t row_every(const vv_model *m)
{
  enum { ROWS = 20000 };
  char word[32];
  if (vv_model_word(m, "record.ledger", word, sizeof word)) return strtoll(word, NULL, 10);
  return m->steps > ROWS ? (m->steps + ROWS - 1) / ROWS : 1;
}

static vv_status prepare(job *j, const char *folder)
{
  const vv_sim_def def = vv_sim_default();
  VV_TRY(vvi_case_open(j->s, j->number, vv_ctx_device(j->s->ctx), &j->c));
  VV_TRY(vv_sim_create(j->c.model, j->c.state, &def, &j->sim));
  VV_TRY(vvi_meter_open(&j->s->plan, j->sim, &j->meter));
  VV_TRY(vv_sim_observe(j->sim, row_every(j->c.model), close_books, NULL));
  vv_sim_poll(j->sim, look, j);
  if (folder == NULL) return VV_OK;
  vv_results_def files = vv_results_default();
  files.folder = folder;
  files.overwrite = true;
  VV_TRY(vv_results_create(j->c.model, &files, &j->results));
  return vv_sim_observe_when(j->sim, vv_results_next, vv_results_observe, j->results);
}

static vv_status finish_files(job *j)
{
  if (j->results == NULL) return VV_OK;
  const vv_status written = vv_results_summary(j->results, j->sim, &j->report);
  const vv_status closed = vv_results_close(j->results);
  j->results = NULL;
  return written == VV_OK ? closed : written;
}

static void clean(job *j)
{
  vvi_meter_close(j->meter);
  if (j->results != NULL) (void)!vv_results_close(j->results);
  vv_sim_destroy(j->sim);
  vvi_case_close(&j->c);
}

/* ---- the row ---- */

static vv_case_end judge(const job *j, char why[VVI_SWEEP_WHY])
{
  const vv_claim *claim;
  why[0] = '\0';
  switch (j->report.reason) {
  case VV_REASON_DONE:
  case VV_REASON_STOPPED:
    break;
  case VV_REASON_INTERRUPTED:
    vvi_sweep_late(j->s, why);
    return j->late ? VV_CASE_TOO_LONG : VV_CASE_INTERRUPTED;
  default:
    snprintf(why, VVI_SWEEP_WHY, "%s",
             j->report.message[0] != '\0' ? j->report.message : vv_reason_text(j->report.reason));
    return VV_CASE_FAILED;
  }
  const int n = vv_sim_claims(j->sim, &claim);
  for (int i = 0; i < n; i++)
    if (!claim[i].kept)
      snprintf(why + strlen(why), VVI_SWEEP_WHY - strlen(why), "%s%s off by %.3g", why[0] != '\0' ? "; " : "",
               claim[i].name, claim[i].worst);
  if (why[0] != '\0') return VV_CASE_BROKEN;
  if (j->report.reason == VV_REASON_DONE) return VV_CASE_DONE;
  snprintf(why, VVI_SWEEP_WHY, "%s", j->report.message);
  return VV_CASE_STOPPED;
}

/* status, why, steps, time, hash, measures. */
static vv_status put_row(job *j, vv_case_end end, const char *why)
{
  const vvi_plan *plan = &j->s->plan;
  vvi_text cells = {0};
  double *value = calloc((size_t)plan->n_measure + 1, sizeof *value);
  vv_status status = value != NULL ? VV_OK : vvi_fail(j->s->ctx, VV_NOMEM, "out of memory");
  const bool ran = j->meter != NULL && end != VV_CASE_TOO_LONG;
  for (int i = 0; i < plan->n_measure && status == VV_OK; i++) value[i] = NAN;
  if (status == VV_OK && ran) status = vvi_meter_read(j->meter, value);
  vvi_text_print(&cells, "%s,", vv_case_text(end));
  vvi_text_cell(&cells, why);
  if (ran) {
    vvi_text_print(&cells, ",%lld,", (long long)j->c.state->step);
    vvi_text_number(&cells, j->c.state->t);
    vvi_text_print(&cells, ",%016llx", (unsigned long long)vv_state_hash(j->c.state));
  } else {
    vvi_text_put(&cells, ",,,");
  }
  for (int i = 0; i < plan->n_measure && status == VV_OK; i++) {
    vvi_text_put(&cells, ",");
    vvi_text_number(&cells, value[i]);
  }
  if (status == VV_OK && cells.nomem) status = vvi_fail(j->s->ctx, VV_NOMEM, "out of memory");
  if (status == VV_OK) status = vvi_journal_row(j->s, j->number, cells.c, vvi_clock() - j->begun);
  vvi_text_free(&cells);
  free(value);
  return status;
}

static vv_status put_refused(job *j)
{
  const char *why = j->c.ctx != NULL && vv_ctx_message_count(j->c.ctx) > 0 ? vv_ctx_message(j->c.ctx, 0) : "refused";
  vvi_meter_close(j->meter);
  j->meter = NULL;
  return put_row(j, VV_CASE_REFUSED, why);
}

/* ---- one case ---- */

/* A status is our trouble (memory, disk); what the case comes to is in *end. */
static vv_status run_once(job *j, const char *folder, vv_case_end *end, char why[VVI_SWEEP_WHY])
{
  vv_status status = prepare(j, folder);
  const bool scene = status == VV_SCENE || status == VV_ARG || status == VV_UNSUPPORTED;
  *end = VV_CASE_REFUSED;
  if (status != VV_OK) return scene && folder == NULL ? VV_OK : status;
  j->begun = vvi_clock();
  status = vv_sim_run(j->sim, &j->report);
  const vv_status written = finish_files(j);
  if (status == VV_OK) status = written;
  if (status == VV_OK) *end = judge(j, why);
  return status;
}

bool vvi_sweep_keeps(const vv_sweep *s, int64_t number, vv_case_end end)
{
  const bool bad = end == VV_CASE_FAILED || end == VV_CASE_BROKEN || end == VV_CASE_TOO_LONG;
  if (!bad && end != VV_CASE_DONE && end != VV_CASE_STOPPED) return false;
  for (int i = 0; i < s->plan.n_keep; i++)
    if (s->plan.keep[i] == number) return true;
  return s->plan.keep_failed && bad;
}

static vv_status kept_folder(vv_sweep *s, int64_t number, char out[VVI_SWEEP_PATH])
{
  char name[64];
  VV_TRY(vvi_sweep_own(s, "kept", out));
  snprintf(name, sizeof name, "kept/case-%lld", (long long)number);
  return vvi_sweep_own(s, name, out);
}

vv_status vvi_sweep_own_all(vv_sweep *s)
{
  char path[VVI_SWEEP_PATH];
  VV_TRY(vvi_sweep_own(s, "journal", path));
  VV_TRY(vvi_sweep_own(s, "kept", path));
  for (int i = 0; i < s->plan.n_keep; i++) VV_TRY(kept_folder(s, s->plan.keep[i], path));
  return VV_OK;
}

/* Once more with all its files; its row is that of the run without them.  A case that is kept in any case is run twice, too:
 * books are closed where frames are written, and its row is to be that of any other case. */
static vv_status keep(job *j)
{
  char folder[VVI_SWEEP_PATH], why[VVI_SWEEP_WHY];
  vv_case_end end;
  job again = {.s = j->s, .number = j->number, .poll = j->poll, .user = j->user};
  VV_TRY(kept_folder(j->s, j->number, folder));
  const vv_status status = run_once(&again, folder, &end, why);
  if (status != VV_OK) vvi_case_tell(&again.c, j->s->ctx);
  j->asked |= again.asked;
  clean(&again);
  return status == VV_ARG ? VV_IO : status; /* its scene was taken before: another run is writing that folder */
}

vv_status vv_sweep_run_case(vv_sweep *s, int64_t number, vv_poll_fn *poll, void *user, vv_case_end *end)
{
  char why[VVI_SWEEP_WHY] = "";
  job j = {.s = s, .number = number, .poll = poll, .user = user, .begun = vvi_clock()};
  *end = VV_CASE_ENDS;
  if (number < 0 || number >= s->cases) return vvi_fail(s->ctx, VV_ARG, "there is no case %lld", (long long)number);
  VV_TRY(vvi_journal_start(s, number));
  vv_status status = run_once(&j, NULL, end, why);
  if (status == VV_OK && vvi_sweep_keeps(s, number, *end)) status = keep(&j);
  if (status == VV_OK && j.asked) *end = VV_CASE_INTERRUPTED;
  if (status != VV_OK) vvi_case_tell(&j.c, s->ctx);
  if (status == VV_OK && *end == VV_CASE_REFUSED)
    status = put_refused(&j);
  else if (status == VV_OK && *end != VV_CASE_INTERRUPTED)
    status = put_row(&j, *end, why);
  if (status != VV_OK || *end == VV_CASE_INTERRUPTED) {
    const vv_status stopped = vvi_journal_stop(s, number);
    *end = stopped == VV_OK ? VV_CASE_INTERRUPTED : VV_CASE_ENDS;
    if (status == VV_OK) status = stopped;
  }
  clean(&j);
  return status;
}
