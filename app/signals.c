/* app/signals.c  Ctrl-C stops after the current step; a second one changes nothing. */
#include "app.h"

#include <signal.h>

static vv_sim *volatile running; /* globals, because a signal handler gets no argument */
static volatile sig_atomic_t caught;

static void on_signal(int signal)
{
  (void)signal;
  caught = 1;
  if (running != NULL) vv_sim_interrupt(running);
}

void app_watch_signals(vv_sim *sim)
{
  static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
  static bool installed;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, was;
  sigemptyset(&action.sa_mask);
  running = sim;
  if (sim == NULL || installed) return;
  installed = true;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    const bool ignored = sigaction(wanted[i], NULL, &was) == 0 && was.sa_handler == SIG_IGN; /* nohup */
    if (!ignored) sigaction(wanted[i], &action, NULL);
  }
}

bool app_signalled(void)
{
  return caught != 0;
}
