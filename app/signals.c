/* app/signals.c  Ctrl-C stops after the current step, and within a second in any case.
 *
 * A run that stops in good order writes its state.  A step that lasts longer than a second cannot be waited for: then the
 * program ends where it is, and the last checkpoint, which was written apart and renamed, is what remains.  A second signal
 * changes nothing. */
#include "app.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static vv_sim *volatile running; /* globals, because a signal handler gets no argument */
static volatile sig_atomic_t caught;
static volatile sig_atomic_t stepping; /* there is a step to wait for */

static void wait_at_most(int milliseconds)
{
  const struct itimerval timer = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_signal(int signal)
{
  (void)signal;
  if (!caught && stepping) wait_at_most(600);
  caught = 1;
  if (running != NULL) vv_sim_interrupt(running);
}

/* Only calls that a handler may make. */
static void on_alarm(int signal)
{
  static const char text[] =
      "\nvisviva: interrupted in the middle of a long step; the last checkpoint is kept, and the "
      "same command with --resume continues from there\n";
  (void)signal;
  if (!stepping) return;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(APP_STOPPED);
}

void app_signals_calm(void)
{
  stepping = 0;
  wait_at_most(0);
}

void app_watch_signals(vv_sim *sim, bool alarm)
{
  static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
  static bool installed;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, was;
  sigemptyset(&action.sa_mask);
  app_signals_calm();
  running = sim;
  stepping = sim != NULL && alarm;
  if (sim != NULL && caught) vv_sim_interrupt(sim); /* on the way from another one */
  if (sim == NULL || installed) return;
  installed = true;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    const bool ignored = sigaction(wanted[i], NULL, &was) == 0 && was.sa_handler == SIG_IGN; /* nohup */
    if (!ignored) sigaction(wanted[i], &action, NULL);
  }
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
}

bool app_signalled(void)
{
  return caught != 0;
}
