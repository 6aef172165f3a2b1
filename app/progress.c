/* app/progress.c  One line on the terminal, rewritten a few times a second. */
#include "app.h"

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

double app_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int columns(void)
{
  struct winsize w;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

void app_progress_show(app_progress *p, const char *text)
{
  const int room = columns() - 1, length = (int)strlen(text) < room ? (int)strlen(text) : room;
  const int rest = p->shown > length ? p->shown - length : 0;
  fprintf(stderr, "\r%.*s%*s", length, text, rest, "");
  fflush(stderr);
  p->shown = length;
}

static void write_line(app_progress *p, const vv_view *view, double now)
{
  const long long total = vv_model_steps(view->model), step = view->state->step;
  const long long events = (long long)vv_ledger_get(view->ledger, VV_LEDGER_IMPACTS);
  const double closure = vv_ledger_get(view->ledger, VV_LEDGER_CLOSURE);
  const double elapsed = now - p->start, done = (double)(step - p->from), t = view->state->t;
  const double left = done > 0 ? elapsed / done * (double)(total - step) : -1, dt = vv_model_step(view->model);
  char text[256], gone[32], rest[32];
  app_seconds(gone, sizeof gone, elapsed);
  app_seconds(rest, sizeof rest, left);
  const int n = snprintf(text, sizeof text,
                         "step %lld of %lld  t %.4g  dt %.3g  events %lld  energy error %.1e  %s elapsed, %s left",
                         step, total, t, dt, events, closure, gone, rest);
  if (n >= columns())
    snprintf(text, sizeof text, "%lld/%lld t %.4g dt %.2g events %lld error %.0e %s, %s left", step, total, t, dt,
             events, closure, gone, rest);
  app_progress_show(p, text);
}

/* So many steps as took about a tenth of a second so far. */
int64_t app_progress_next(int64_t step, void *progress)
{
  const app_progress *p = progress;
  const double elapsed = app_clock() - p->start, pace = elapsed > 0 ? (double)(step - p->from) / elapsed : 0;
  return step + 1 + (int64_t)(0.1 * pace);
}

vv_status app_progress_observe(const vv_view *view, void *progress)
{
  app_progress *p = progress;
  const double now = app_clock();
  if (view->first) {
    p->start = p->last = now;
    p->from = view->state->step;
  }
  if (!view->last && now - p->last < 0.1) return VV_OK;
  p->last = now;
  if (view->last)
    app_progress_clear(p);
  else
    write_line(p, view, now);
  return VV_OK;
}

void app_progress_clear(app_progress *p)
{
  if (p->shown == 0) return;
  fprintf(stderr, "\r%*s\r", p->shown, "");
  fflush(stderr);
  p->shown = 0;
}
