/* bench/mpi/ranks.c  One scene over the ranks of an MPI job, or over threads: time of a step, bytes, memory, bits.
 * [mpiexec -n R] bench_ranks SCENE TRIANGLES [threads [windows [steps of a window [steps before the first]]]]
 *   sphere   a shell that touches nothing; a real contact search is not made
 *   watched  the same, and everything may touch everything: what looking costs
 *   spheres  two that meet after some 40 steps
 *   crowd    cubes of 192 triangles that fly towards their middle; they do not touch yet
 *   meets    such cubes, turned, nearer and faster, with losses and friction: dozens to thousands of impacts a step
 *   flows    two spheres that touch nothing, of which one flows: its tiles are several times the work
 *   FILE.vvm a scene that was prepared: `bench_ranks prepare FILE.vvm SCENE TRIANGLES`
 * SCENE+ measures once more after the ends of the ranks' shares were moved to where the work was.
 * Prints one line of CSV, busiest: the work of the busiest rank over the mean; `bench_ranks head` prints the names of its columns. */
#include "net/mpi.h"
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- scenes ---- */

static void head(bench_text *t, double step)
{
  bench_put(t, "visviva: 1\ntime: {end: 1, step: %.9g}\nmethod: {step: leapfrog}\nrecord: {paraview: false}\n", step);
}

static int64_t sphere(bench_text *t, int64_t triangles, bool touches)
{
  const int64_t f = llround(sqrt((double)triangles / 20.0));
  head(t, 1e-3 / (double)f);
  if (!touches) bench_put(t, "contacts: [{response: none}]\n");
  bench_put(
      t,
      "bodies:\n  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: %lld}}, thickness: "
      "0.02, spin: [0, 0, 3], material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
      (long long)f);
  return 20 * f * f;
}

static int64_t spheres(bench_text *t, int64_t triangles)
{
  const int64_t f = llround(sqrt((double)triangles / 40.0));
  const double step = 5.5e-6 / (double)f, apart = 2.0 + 200.0 * 40 * step, x[2] = {0.0, sqrt(apart * apart - 0.09)};
  static const char *const place[2] = {"0, 0], velocity: [150, 0, 0], rotation: [0.3, 0.5, 0.2]",
                                       "0.3, 0], velocity: [-50, 0, 0], rotation: [-0.4, 0.1, 0.7]"};
  head(t, step);
  bench_put(t, "bodies:\n");
  for (int i = 0; i < 2; i++)
    bench_put(t,
              "  ball%d: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: %lld}}, thickness: "
              "0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.0785}, centre: [%.9g, %s}\n",
              i, (long long)f, x[i], place[i]);
  return 40 * f * f;
}

static int64_t crowd(bench_text *t, int64_t triangles)
{
  const int n = (int)lround(cbrt((double)triangles / 192.0));
  head(t, 5e-6);
  bench_put(t, "bodies:\n");
  bench_cubes(t, n);
  return 192 * (int64_t)n * n * n;
}

static int64_t meets(bench_text *t, int64_t triangles)
{
  const int n = (int)lround(cbrt((double)triangles / 192.0));
  const double middle = 0.5 * (n - 1);
  head(t, 5e-6);
  bench_put(t, "contacts: [{restitution: 0.5, friction: 0.3}]\nbodies:\n  cubes: {kind: shell, mesh: {cube: {edge: 1, "
               "pieces: 4}}, thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, copies: [");
  for (int i = 0; i < n * n * n; i++) {
    const double x[3] = {i % n - middle, i / n % n - middle, i / n / n - middle};
    bench_put(t, "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g], rotation: [%g, %g, 0.1]}", i == 0 ? "" : ", ",
              1.085 * x[0], 1.085 * x[1], 1.085 * x[2], -67.2 * x[0], -67.2 * x[1], -67.2 * x[2], 0.02 * (i % 3),
              0.03 * (i % 5));
  }
  bench_put(t, "]}\n");
  return 192 * (int64_t)n * n * n;
}

static int64_t flows(bench_text *t, int64_t triangles)
{
  const int64_t f = llround(sqrt((double)triangles / 40.0));
  head(t, 1e-3 / (double)f);
  bench_put(t, "contacts: [{response: none}]\nbodies:\n");
  for (int i = 0; i < 2; i++)
    bench_put(
        t,
        "  ball%d: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: %lld}}, thickness: 0.02, "
        "spin: [0, 0, 3], centre: [%d, 0, 0], material: {young: 1e5, poisson: 0.3, density: 1000%s}}\n",
        i, (long long)f, 3 * i, i == 1 ? ", law: j2, yield: 10, hardening: 1e4" : "");
  return 40 * f * f;
}

static bool is_file(const char *name)
{
  return strstr(name, ".vvm") != NULL;
}

static int64_t write_scene(bench_text *t, const char *name, int64_t triangles)
{
  if (is_file(name)) return triangles;
  if (strcmp(name, "sphere") == 0) return sphere(t, triangles, false);
  if (strcmp(name, "watched") == 0) return sphere(t, triangles, true);
  if (strcmp(name, "spheres") == 0) return spheres(t, triangles);
  if (strcmp(name, "crowd") == 0) return crowd(t, triangles);
  if (strcmp(name, "meets") == 0) return meets(t, triangles);
  if (strcmp(name, "flows") == 0) return flows(t, triangles);
  fprintf(stderr, "bench_ranks: sphere, watched, spheres, crowd, meets or flows, not '%s'\n", name);
  exit(1);
}

/* ---- a run ---- */

static double memory(void)
{
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)use.ru_maxrss / 1024.0;
}

/* MB that this process holds now: of its own (RssAnon), of files (RssFile); 0: the system does not say. */
static double held(const char *what)
{
  FILE *f = fopen("/proc/self/status", "r");
  char line[256];
  double kb = 0.0;
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (strncmp(line, what, strlen(what)) == 0 && sscanf(line + strlen(what), ": %lf", &kb) == 1) break;
  if (f != NULL) fclose(f);
  return kb / 1024.0;
}

/* Looks at memory while steps are made: when they end rank 0 has the whole state. */
static bool look(void *user)
{
  double *mb = user;
  mb[0] = held("RssAnon"), mb[1] = held("RssFile");
  return false;
}

/* The largest over all ranks. */
static double most(const vv_net *net, double x)
{
  x = -x;
  if (net->ranks > 1) net->least(net, 1, &x);
  return -x;
}

typedef struct wanted {
  const char *scene;
  const bench_text *text;
  int64_t triangles, steps;
  int64_t first; /* steps before */
  int threads, windows;
} wanted;

static void open_run(const wanted *w, const vv_net *net, bench_run *r)
{
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def how = vv_sim_default();
  def.threads = w->threads;
  bench_must(NULL, vv_ctx_create(&def, &r->ctx), "context");
  if (net->ranks > 1) vv_ctx_share(r->ctx, net);
  if (is_file(w->scene))
    bench_must(r->ctx, vv_scene_read(r->ctx, w->scene, &r->spec), "scene");
  else
    bench_must(r->ctx, vv_scene_parse(r->ctx, "bench", w->text->at, w->text->n, &r->spec), "scene");
  bench_must(r->ctx, vv_compile(r->ctx, r->spec, &r->model, &r->state), "compile");
  bench_must(r->ctx, vv_sim_create(r->model, r->state, &how, &r->sim), "run");
}

/* One row.  move: the ends of the shares are for the next one where the work of this one was. */
static void measure(const wanted *w, const vv_net *net, bool again, bool move)
{
  const double began = bench_wall(), files = held("RssFile");
  const int64_t steps = w->steps;
  bench_run r = {0};
  vv_report report;
  open_run(w, net, &r);
  const double setup = bench_wall() - began;
  double holds[2] = {0};
  vv_sim_poll(r.sim, look, holds);
  bench_must(r.ctx, vv_sim_steps(r.sim, w->first, &report), "first steps");
  (void)vvi_net_mpi_busiest(net, false);
  double fastest = INFINITY;
  double few[2] = {INFINITY, INFINITY}, many[2] = {0};
  int64_t impacts = 0;
  for (int i = 0; i < w->windows;
       i++) { /* a window has an end of its own, which falls out of a difference: the least of single steps, */
    int64_t bytes, sent, bytes_in, messages; /* for lists are made anew in some */
    vvi_net_mpi_traffic(&bytes, &sent);
    bench_must(r.ctx, vv_sim_steps(r.sim, 1, &report), "a step");
    vvi_net_mpi_traffic(&bytes_in, &messages);
    few[0] = fmin(few[0], (double)(bytes_in - bytes)), few[1] = fmin(few[1], (double)(messages - sent));
    bytes = bytes_in, sent = messages;
    impacts += report.events;
    bench_must(r.ctx, vv_sim_steps(r.sim, steps, &report), "steps");
    vvi_net_mpi_traffic(&bytes_in, &messages);
    many[0] += (double)(bytes_in - bytes) / w->windows, many[1] += (double)(messages - sent) / w->windows;
    impacts += report.events;
    fastest = fmin(fastest, most(net, report.step_seconds / (double)steps));
  }
  const double busiest = vvi_net_mpi_busiest(net, move);
  const double bytes = 2.0 * most(net, (many[0] - few[0]) / (double)(steps > 1 ? steps - 1 : 1));
  if (holds[0] == 0.0) look(holds); /* so short that nobody asked */
  const double mb = most(net, memory()), now = most(net, holds[0]), mapped = most(net, holds[1] - files),
               looked = bench_wall();
  bench_must(r.ctx, vv_sim_steps(r.sim, 0, &report), "a look");
  const double gather = most(net, bench_wall() - looked);
  if (net->rank == 0)
    printf("%s%s,%lld,%d,%d,%.2f,%.3f,%.0f,%.3f,%.1f,%.2f,%.1f,%.1f,%.1f,%.2f,%.3f,%lld,%016llx\n", w->scene,
           again ? "+" : "", (long long)w->triangles, net->ranks, w->threads, 1e6 * fastest,
           1e9 * fastest / (double)w->triangles, bytes, bytes / (700.0 * sqrt((double)w->triangles / net->ranks)),
           (many[1] - few[1]) / (double)(steps > 1 ? steps - 1 : 1), setup, mb, now, mapped, 1e3 * gather, busiest,
           (long long)impacts, (unsigned long long)vv_state_hash(r.state));
  fflush(stdout);
  bench_close(&r);
}

static int prepare(const char *path, const char *scene, const char *triangles)
{
  bench_text t = {.at = malloc(BENCH_TEXT)};
  char name[512];
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx;
  snprintf(name, sizeof name, "%s.yaml", path);
  FILE *f = t.at != NULL ? fopen(name, "w") : NULL;
  if (f == NULL) return 1;
  (void)write_scene(&t, scene, atoll(triangles));
  fwrite(t.at, 1, t.n, f), fclose(f), free(t.at);
  bench_must(NULL, vv_ctx_create(&def, &ctx), "context");
  bench_must(ctx, vv_scene_prepare(ctx, name, path), "prepare");
  vv_ctx_destroy(ctx);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 5 && strcmp(argv[1], "prepare") == 0) return prepare(argv[2], argv[3], argv[4]);
  if (argc > 1 && strcmp(argv[1], "head") == 0) {
    puts("scene,triangles,ranks,threads,us_per_step,ns_per_triangle,bytes_in_and_out,of_700_sqrt_n,exchanges,setup_s,"
         "most_mb,held_mb,mapped_mb,gather_ms,busiest,impacts,state_hash");
    return 0;
  }
  if (argc < 3) {
    fprintf(stderr, "bench_ranks SCENE[+] TRIANGLES [threads [windows [steps [before]]]]; `bench_ranks head`\n");
    return 1;
  }
  bench_text t = {.at = malloc(BENCH_TEXT)};
  const vv_net *net;
  if (t.at == NULL || vvi_net_mpi_begin(&net) != VV_OK) return 1;
  char *plus = strchr(argv[1], '+');
  const bool twice = plus != NULL && net->ranks > 1;
  if (plus != NULL) *plus = '\0';
  const wanted w = {.scene = argv[1],
                    .text = &t,
                    .triangles = write_scene(&t, argv[1], atoll(argv[2])),
                    .threads = argc > 3 ? atoi(argv[3]) : 1,
                    .windows = argc > 4 ? atoi(argv[4]) : 5,
                    .steps = argc > 5 ? atoll(argv[5]) : 20,
                    .first = argc > 6 ? atoll(argv[6]) : 20};
  measure(&w, net, false, twice);
  if (twice) measure(&w, net, true, false);
  free(t.at);
  vvi_net_mpi_end();
  return 0;
}
