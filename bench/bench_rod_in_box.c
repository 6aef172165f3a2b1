/* bench/bench_rod_in_box.c  Energy-momentum steps of two rigid bodies: bench_rod_in_box [folder for the CSV].
 *
 * The rod that tumbles in its free box, ten million steps of 1e-6 s (examples/energy-momentum-rigid/rod-in-box.yaml), the same
 * with the corners of its cross-section, and 1e4 steps of 1e-3 s with impacts located by halving.  One thread: there is
 * nothing to share. */
#include "tools.h"
#include "visviva/book.h"

#include <stdlib.h>

static const struct {
  const char *name, *file;
} scene[] = {
    {"axis", "rod-in-box.yaml"},
    {"section", "rod-in-box-section.yaml"},
    {"located", "rod-in-box-located.yaml"},
};
enum { SCENES = sizeof scene / sizeof scene[0] };

int main(int argc, char **argv)
{
  FILE *csv = bench_csv(argc, argv, "-rod-in-box");
  fprintf(csv, "scene,steps,seconds,ns_per_step,impacts,energy_error\n");
  printf("%-8s %10s %9s %8s %8s %13s\n", "scene", "steps", "seconds", "ns/step", "impacts", "energy error");
  for (int i = 0; i < SCENES; i++) {
    char path[1024];
    vv_report report;
    snprintf(path, sizeof path, "%s/energy-momentum-rigid/%s", VV_EXAMPLES_DIR, scene[i].file);
    bench_run r = bench_read(path, 1);
    const int64_t n = vv_model_steps(r.model);
    const double seconds = bench_steps(&r, n, &report), error = vv_sim_ledger(r.sim)->max_closure;
    printf("%-8s %10lld %9.3f %8.1f %8lld %13.2e\n", scene[i].name, (long long)n, seconds, 1e9 * seconds / (double)n,
           (long long)report.events, error);
    fprintf(csv, "%s,%lld,%.4f,%.2f,%lld,%.3e\n", scene[i].name, (long long)n, seconds, 1e9 * seconds / (double)n,
            (long long)report.events, error);
    bench_close(&r);
  }
  return fclose(csv) != 0;
}
