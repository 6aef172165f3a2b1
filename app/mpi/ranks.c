/* app/mpi/ranks.c  visviva-mpi run: the ranks of this job share one run, and rank 0 speaks. */
#include "app.h"
#include "net/mpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- one machine everywhere ---- */

/* The C library chooses its functions by the processor: where they differ in the last bit, ranks of one run would, too. */
static uint64_t digits_of_functions(void)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (int i = 1; i <= 256; i++) {
    const double x = 0.037 * i, y[] = {log(x), sin(x), cos(x), exp(x), pow(x, 1.7), atan2(x, 2.0), cbrt(x)};
    unsigned char byte[sizeof y];
    memcpy(byte, y, sizeof y);
    for (size_t k = 0; k < sizeof y; k++) h = (h ^ byte[k]) * 0x100000001b3u;
  }
  return h;
}

static bool same_everywhere(const vv_net *net)
{
  const uint64_t h = digits_of_functions();
  double x[4] = {(double)(uint32_t)h, -(double)(uint32_t)h, (double)(uint32_t)(h >> 32), -(double)(uint32_t)(h >> 32)};
  net->least(net, 4, x);
  if (x[0] == -x[1] && x[2] == -x[3]) return true;
  app_error(
      "the ranks run on machines whose mathematical functions differ in their last digits; their bits would not be "
      "those of one process: choose nodes of one kind");
  return false;
}

/* ---- the job ---- */

bool app_ranks_begin(const vv_net **net)
{
  if (vvi_net_mpi_begin(net) != VV_OK) {
    app_error("MPI did not start");
    return false;
  }
  if ((*net)->rank > 0) { /* one rank speaks */
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) return false;
  }
  return same_everywhere(*net);
}

bool app_ranks_agree(const vv_net *net, bool good)
{
  double x = good ? 1.0 : 0.0;
  net->least(net, 1, &x);
  return x > 0.0;
}

bool app_ranks_recut(void)
{
  return vvi_net_mpi_recut();
}

void app_ranks_end(void)
{
  vvi_net_mpi_end();
}
