/* tests/io/test_kill.c  A run may be killed between any two writes of results.h5, resumed and killed again, and goes on to the bytes
 * of a run that was left alone.  pwrite is ours: it ends the process at a given call, as a kill would.  Works in the current folder. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "visviva/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t *calls; /* of pwrite, counted across processes */
static int64_t die_at = -1;

ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
  if (calls != NULL && (*calls)++ == die_at) _exit(9);
  return lseek(fd, at, SEEK_SET) == at ? write(fd, from, size) : -1; /* nobody else uses its position */
}

/* Events, frames and checkpoints in rhythms that do not fit each other; rows of tables fill whole chunks. */
static const char scene[] =
    "visviva: 1\n"
    "time: {end: 6, step: 0.01}\n"
    "bodies:\n"
    "  room: {kind: obstacle, shape: {room: {size: [1, 1, 1]}}}\n"
    "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, density: 1, velocity: [3, 2, 1]}\n"
    "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, density: 2, position: [0.3, 0, 0], velocity: [-1, 4, 2]}\n"
    "record: {every: 0.07, checkpoint: 0.9, paraview: false}\n";

enum { KILLED = 9 };

static vv_status open_run(const char *folder, bool resume, vv_ctx **ctx, vv_model **model, vv_state **state,
                          vv_sim **sim, vv_results **results)
{
  vv_ctx_def def = vv_ctx_default();
  vv_results_def where = vv_results_default();
  const vv_sim_def how = vv_sim_default();
  vv_spec *spec;
  vv_ledger *ledger;
  def.threads = 1;
  where.folder = folder, where.resume = resume, where.overwrite = !resume;
  VV_TRY(vv_ctx_create(&def, ctx));
  VV_TRY(vv_scene_parse(*ctx, "kill.yaml", scene, strlen(scene), &spec));
  VV_TRY(vv_compile(*ctx, spec, model, state));
  vv_spec_destroy(spec);
  VV_TRY(vv_ledger_create(&ledger));
  if (resume) VV_TRY(vv_checkpoint_read(*model, folder, *state, ledger));
  VV_TRY(vv_sim_create(*model, *state, &how, sim));
  if (resume) VV_TRY(vv_sim_restore(*sim, ledger));
  vv_ledger_destroy(ledger);
  VV_TRY(vv_results_create(*model, &where, results));
  return vv_sim_observe(*sim, 1, vv_results_observe, *results);
}

static int whole_run(const char *folder, bool resume)
{
  vv_ctx *ctx = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_sim *sim = NULL;
  vv_results *results = NULL;
  vv_report report;
  if (open_run(folder, resume, &ctx, &model, &state, &sim, &results) != VV_OK) return 1;
  if (vv_sim_run(sim, &report) != VV_OK || report.reason != VV_REASON_DONE || vv_results_close(results) != VV_OK)
    return 2;
  vv_sim_destroy(sim);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_ctx_destroy(ctx);
  return 0;
}

/* In a process of its own: 0, KILLED, or how it failed; a crash is 128 and its signal. */
static int run(const char *folder, bool resume, int64_t kill_at)
{
  *calls = 0;
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    die_at = kill_at;
    exit(whole_run(folder, resume)); /* HDF5 ends with the process */
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void shell(const char *command)
{
  assert_int_equal(system(command), 0);
}

static bool exists(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0;
}

static void assert_same_run(void)
{
  shell("cmp kill-again/ledger.csv kill-alone/ledger.csv && cmp kill-again/events.csv kill-alone/events.csv");
  assert_false(exists("kill-again/results.h5.damaged"));
  assert_false(exists("kill-again/results.h5.journal"));
}

static void test_killed_twice(void **unused)
{
  (void)unused;
  assert_int_equal(run("kill-alone", false, -1), 0);
  const int64_t writes = *calls;
  assert_int_equal(run("kill-once", false, writes * 3 / 5), KILLED);
  shell("rm -rf kill-again && cp -r kill-once kill-again");
  assert_int_equal(run("kill-again", true, -1), 0);
  assert_same_run();
  const int64_t more = *calls;
  for (int64_t at = 0; at < more; at += 1 + more / 60) {
    shell("rm -rf kill-again && cp -r kill-once kill-again");
    assert_int_equal(run("kill-again", true, at), KILLED);
    const int again = run("kill-again", true, at / 2); /* perhaps it ends before */
    assert_true(again == KILLED || again == 0);
    assert_int_equal(run("kill-again", true, -1), 0);
    assert_same_run();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed_twice)};
  calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (calls == MAP_FAILED) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
