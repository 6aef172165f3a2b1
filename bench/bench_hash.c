/* bench/bench_hash.c  One state hash everywhere: scenes on 1, 2 and 7 threads and on a device.
 * bench_hash DEVICE STEPS[:SECONDS] SCENE.yaml ...
 *
 * STEPS: at most, of each scene; SECONDS: where the device takes longer for them, as many steps as it takes in that time.  A line for
 * each: impacts so far, the hash, and where it differs or why it is refused.  Ends with 1 where one differs. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct outcome {
  uint64_t hash;
  int64_t steps, impacts;
  double seconds; /* of the steps */
  char why[256];  /* empty: it ran */
} outcome;

static bool open_run(const char *path, const char *device, int threads, bench_run *out, char *why, size_t size)
{
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def sim = vv_sim_default();
  def.device = device, def.threads = threads;
  *out = (bench_run){0};
  if (vv_ctx_create(&def, &out->ctx) != VV_OK) return false;
  const bool good = vv_scene_read(out->ctx, path, &out->spec) == VV_OK &&
                    vv_compile(out->ctx, out->spec, &out->model, &out->state) == VV_OK &&
                    vv_sim_create(out->model, out->state, &sim, &out->sim) == VV_OK;
  const int n = vv_ctx_message_count(out->ctx);
  if (!good) snprintf(why, size, "%s", n > 0 ? vv_ctx_message(out->ctx, n - 1) : "?");
  return good;
}

/* At most so many steps, and no more once so many seconds are over. */
static outcome follow(const char *path, const char *device, int threads, int64_t most, double seconds)
{
  enum { CALL = 200 }; /* steps between two looks at the clock */
  outcome out = {0};
  bench_run r;
  vv_report report = {0};
  if (open_run(path, device, threads, &r, out.why, sizeof out.why)) {
    const int64_t all = vv_model_steps(r.model);
    const double start = bench_wall();
    const int64_t end = all < most ? all : most;
    bool goes_on = true;
    while (goes_on && out.steps < end && bench_wall() - start < seconds) {
      const int64_t n = end - out.steps < CALL ? end - out.steps : CALL;
      goes_on = vv_sim_steps(r.sim, n, &report) == VV_OK && report.reason == VV_REASON_DONE;
      out.steps += report.steps, out.impacts += report.events;
    }
    if (!goes_on && (report.steps == 0 || report.reason == VV_REASON_DEVICE))
      snprintf(out.why, sizeof out.why, "%s", report.message);
    out.seconds = bench_wall() - start;
    out.hash = vv_state_hash(r.state);
  }
  bench_close(&r);
  return out;
}

int main(int argc, char **argv)
{
  static const int threads[] = {1, 2, 7};
  int same = 0, refused = 0, differ = 0;
  if (argc < 4) {
    fprintf(stderr, "bench_hash DEVICE STEPS[:SECONDS] SCENE.yaml ...\n");
    return 2;
  }
  const char *limit = strchr(argv[2], ':');
  const double seconds = limit != NULL ? atof(limit + 1) : INFINITY;
  printf("%-52s %6s %8s %8s %8s  %s\n", "scene", "steps", "impacts", "cpu s", "device s", "state");
  for (int i = 3; i < argc; i++) {
    const char *name = strstr(argv[i], "examples/") != NULL ? strstr(argv[i], "examples/") + 9 : argv[i];
    const outcome there = follow(argv[i], argv[1], 0, atoll(argv[2]), seconds);
    if (there.why[0] != '\0') {
      refused++;
      printf("%-52s refused: %s\n", name, there.why);
      continue;
    }
    bool equal = true;
    outcome here = {0};
    for (int k = 0; k < 3; k++) {
      here = follow(argv[i], "cpu", threads[k], there.steps, INFINITY);
      equal = equal && here.why[0] == '\0' && here.hash == there.hash && here.impacts == there.impacts;
      if (here.hash != there.hash)
        printf("%-52s %d threads: %016llx\n", name, threads[k], (unsigned long long)here.hash);
    }
    *(equal ? &same : &differ) += 1;
    printf("%-52s %6lld %8lld %8.2f %8.2f  %016llx%s\n", name, (long long)there.steps, (long long)there.impacts,
           here.seconds, there.seconds, (unsigned long long)there.hash, equal ? "" : " DIFFERENT");
    fflush(stdout);
  }
  printf("%d have one hash for 1, 2, 7 threads and the device, %d are refused there, %d differ\n", same, refused,
         differ);
  return differ > 0;
}
