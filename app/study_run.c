/* app/study_run.c  Steps the runs of a study: one after another, or all together where every step is compared. */
#include "study.h"

#include <math.h>
#include <unistd.h>

/* ---- one run ---- */

static void show_progress(study *s, const study_run *r)
{
  const double now = app_clock();
  char text[STUDY_TEXT], gone[32], left[32];
  if (s->quiet || !isatty(STDERR_FILENO) || now - s->progress.last < 0.1) return;
  s->progress.last = now;
  const double part = s->work > 0 ? s->work_done / s->work : 0, elapsed = now - s->progress.start;
  app_seconds(gone, sizeof gone, elapsed);
  app_seconds(left, sizeof left, part > 0 ? elapsed * (1 - part) / part : -1);
  snprintf(text, sizeof text, "%3.0f %%  %s elapsed, %s left  t %.4g  %s%.200s", 100 * part, gone, left,
           r->scene.state->t, r == &s->reference ? "reference " : "", r->words);
  app_progress_show(&s->progress, text);
}

/* n more steps, in stretches short enough for Ctrl-C and the progress line.  False: it ended before. */
static bool advance(study *s, study_run *r, int64_t n)
{
  const double nodes = (double)vv_model_nodes(r->scene.model);
  app_watch_signals(r->sim, true);
  for (int64_t stretch = 16; n > 0 && !app_signalled(); stretch *= 2) {
    int64_t wanted = n < stretch ? n : stretch;
    const vv_status status = vv_sim_steps(r->sim, wanted, &r->report);
    r->wall += r->report.wall_seconds;
    s->work_done += nodes * (double)r->report.steps;
    n -= r->report.steps;
    if (status != VV_OK) app_messages(r->scene.ctx, status);
    r->stopped = !study_of_nodes(s) && r->report.reason == VV_REASON_STOPPED;
    r->failed = status != VV_OK ||
                (r->report.reason != VV_REASON_DONE && r->report.reason != VV_REASON_INTERRUPTED && !r->stopped);
    if (r->failed || r->stopped || r->report.steps < wanted) break;
    if (r->report.wall_seconds > 0.03) stretch /= 2;
    if (r->report.wall_seconds > 0.2) stretch = stretch > 4 ? stretch / 4 : 1;
    show_progress(s, r);
  }
  app_watch_signals(NULL, false);
  return (n == 0 || r->stopped) && !r->failed;
}

static bool at_end(const study_run *r)
{
  return r->stopped || r->scene.state->step == vv_model_steps(r->scene.model);
}

double study_error(const study *s, const study_run *r)
{
  if (r->failed) return NAN;
  if (!study_of_nodes(s)) {
    const bool over = at_end(r) && (s->norm == STUDY_ENERGY || at_end(&s->reference));
    return over ? study_contact_error(s, r) : NAN;
  }
  if (r->common == 0) return NAN;
  if (s->norm == STUDY_PAPER) return s->reference.scene.state->step > 0 ? sqrt(r->sum) : NAN;
  return at_end(r) && at_end(&s->reference) ? sqrt(r->sum / (double)r->common) : NAN;
}

static void report_failure(study *s, const study_run *r)
{
  char words[STUDY_TEXT];
  app_progress_clear(&s->progress);
  if (!r->failed) return;
  app_error("%s%s: %s%s%s", r == &s->reference ? "the reference, " : "", app_clean(words, sizeof words, r->words),
            vv_reason_text(r->report.reason), r->report.message[0] != '\0' ? ": " : "", r->report.message);
}

/* ---- the end alone is compared: one after another ---- */

static int advance_each(study *s, void (*known)(study *s))
{
  bool all = true;
  if (s->norm != STUDY_ENERGY) {
    if (!advance(s, &s->reference, vv_model_steps(s->reference.scene.model))) {
      report_failure(s, &s->reference);
      return APP_STOPPED;
    }
    if (!study_sample(s, &s->reference) || !study_contacts_close(&s->reference)) return APP_STOPPED;
  }
  for (int i = 0; i < s->n_run && !app_signalled(); i++) {
    study_run *r = &s->run[i];
    if (!advance(s, r, vv_model_steps(r->scene.model))) {
      report_failure(s, r);
      all = false;
      continue;
    }
    if (!study_sample(s, r) || !study_contacts_close(r)) return APP_STOPPED;
    if (study_of_nodes(s)) r->sum = study_squares(s, r);
    known(s);
  }
  return all && !app_signalled() ? APP_DONE : APP_STOPPED;
}

/* ---- every time node is compared: all together, so that nothing has to be stored ---- */

static int64_t common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* All runs that have a time node at this step of the reference. */
static bool compare_at(study *s, int64_t step)
{
  bool sampled = false;
  for (int i = 0; i < s->n_run; i++) {
    study_run *r = &s->run[i];
    if (r->failed || step % r->ratio != 0) continue;
    if (step > 0 && !advance(s, r, 1)) {
      report_failure(s, r);
      if (r->failed) continue;
      return false;
    }
    if (!sampled && !study_sample(s, &s->reference)) return false;
    sampled = true;
    if (!study_sample(s, r)) return false;
    r->sum += study_squares(s, r);
  }
  return true;
}

static int advance_together(study *s)
{
  const int64_t n = vv_model_steps(s->reference.scene.model);
  int64_t tick = 0;
  bool all = true;
  for (int i = 0; i < s->n_run; i++) tick = common_divisor(s->run[i].ratio, tick);
  bool on = compare_at(s, 0);
  for (int64_t step = tick; on && step <= n; step += tick) {
    if (!advance(s, &s->reference, tick)) {
      report_failure(s, &s->reference);
      return APP_STOPPED;
    }
    on = compare_at(s, step);
  }
  for (int i = 0; i < s->n_run; i++) all &= at_end(&s->run[i]) && study_contacts_close(&s->run[i]);
  return on && study_contacts_close(&s->reference) && all ? APP_DONE : APP_STOPPED;
}

int study_advance(study *s, void (*known)(study *s))
{
  s->progress.start = s->progress.last = app_clock();
  if (s->norm != STUDY_ENERGY)
    s->work = (double)vv_model_steps(s->reference.scene.model) * (double)vv_model_nodes(s->reference.scene.model);
  for (int i = 0; i < s->n_run; i++)
    s->work += (double)vv_model_steps(s->run[i].scene.model) * (double)vv_model_nodes(s->run[i].scene.model);
  const int code = s->norm == STUDY_PAPER ? advance_together(s) : advance_each(s, known);
  app_progress_clear(&s->progress);
  return code;
}
