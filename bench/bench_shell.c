/* bench/bench_shell.c  The shell: force, whole step (force, kick, drift) and audit, in cache and out of it, on regular and
 * irregular meshes, with one and two threads: bench_shell [folder for the CSV].
 *
 * Timed: the columns `kick` (force and momentum), `stride` (the whole step) and `audit` (energies and momenta) of the table, so
 * nothing of the loop around them; the least of many windows of about a millisecond, which a busy machine disturbs least.
 * Counted from the formulas: 520 flops for an element of a regular pair and 6 for half a node; bytes of a step that streams
 * 218: reference 48, indices 16, nodes in 23, slots out and back 69, x and p in and out and 1/m 62.  Shares: of the fused
 * multiply-add peak of a core and of the bandwidth of a triad, both measured between the runs; the larger is the floor that
 * the row is nearest to. */
#include "tools.h"

#include "body/shell/shell.h"
#include "geom/mesh.h"
#include "math/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLOPS = 526, BYTES = 218, MOST_THREADS = 2 };

typedef struct scene {
  const char *name;
  int frequency; /* 8 frequency^2 triangles */
  bool irregular;
  const char *law;
} scene;

/* ---- an irregular mesh: random flips of edges, valences 4 to 7 ---- */

static uint64_t seed = 1;
static uint32_t draw(uint32_t below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((seed >> 33) % below);
}

static bool joined(const vvi_mesh *m, const vvi_mesh_topology *t, int a, int b)
{
  for (int i = t->first[a]; i < t->first[a + 1]; i++)
    for (int k = 0; k < 3; k++)
      if (m->triangle[3 * t->around[i] + k] == b) return true;
  return false;
}

/* Not a sliver: 4 sqrt(3) area / sum of squared edges. */
static bool is_round(const vvi_mesh *m, int a, int b, int c)
{
  const double *x[3] = {m->x + 3 * a, m->x + 3 * b, m->x + 3 * c};
  double u[3], v[3], n[3], sum = 0.0;
  for (int i = 0; i < 3; i++) {
    u[i] = x[1][i] - x[0][i], v[i] = x[2][i] - x[0][i];
    sum += u[i] * u[i] + v[i] * v[i] + (u[i] - v[i]) * (u[i] - v[i]);
  }
  vvi_cross3(u, v, n);
  return 2.0 * sqrt(3.0) * vvi_norm3(n) > 0.2 * sum;
}

/* One pass: edges in random order, none next to one that was flipped. */
static void flip_some(vvi_arena *arena, vvi_mesh *m)
{
  vvi_mesh_topology t;
  char why[VVI_MESH_WHY];
  if (vvi_mesh_topology_of(arena, m, &t, why) != VV_OK) exit(1);
  unsigned char *touched = vvi_arena_alloc(arena, (size_t)m->nodes);
  for (int n = 0; n < t.edges; n++) {
    const int e = (int)draw((uint32_t)t.edges), one = t.edge_triangle[2 * e], two = t.edge_triangle[2 * e + 1];
    int i = 0, j = 0;
    while (t.side[3 * one + i] != e) i++;
    while (t.side[3 * two + j] != e) j++;
    int *u = m->triangle + 3 * one, *v = m->triangle + 3 * two;
    const int a = u[i], b = u[(i + 1) % 3], c = u[(i + 2) % 3], d = v[j];
    if (touched[a] || touched[b] || touched[c] || touched[d] || joined(m, &t, a, d)) continue;
    if (!is_round(m, a, b, d) || !is_round(m, a, d, c)) continue;
    if (t.valence[a] > 6 || t.valence[d] > 6 || t.valence[b] < 5 || t.valence[c] < 5) continue;
    touched[a] = touched[b] = touched[c] = touched[d] = 1;
    u[0] = a, u[1] = b, u[2] = d, v[0] = a, v[1] = d, v[2] = c;
  }
}

static void write_irregular(const char *path, int frequency)
{
  vvi_arena arena = {0};
  vvi_mesh m;
  char why[VVI_MESH_WHY];
  seed = 1; /* the same mesh every time */
  if (vvi_mesh_sphere(&arena, VVI_MESH_OCTAHEDRON, frequency, 0, 1.0, &m, why) != VV_OK) exit(1);
  for (int pass = 0; pass < 6; pass++) flip_some(&arena, &m);
  FILE *f = fopen(path, "w");
  if (f == NULL) exit(1);
  for (int i = 0; i < m.nodes; i++) fprintf(f, "v %.17g %.17g %.17g\n", m.x[3 * i], m.x[3 * i + 1], m.x[3 * i + 2]);
  for (int i = 0; i < m.triangles; i++)
    fprintf(f, "f %d %d %d\n", m.triangle[3 * i] + 1, m.triangle[3 * i + 1] + 1, m.triangle[3 * i + 2] + 1);
  fclose(f);
  vvi_arena_free(&arena);
}

/* ---- one scene ---- */

static bench_run open_shell(const scene *s, int threads)
{
  char text[1024], mesh[256], path[64] = "";
  snprintf(mesh, sizeof mesh, "{sphere: {radius: 1, frequency: %d}}", s->frequency);
  if (s->irregular) {
    snprintf(path, sizeof path, "/tmp/visviva_bench_%d.obj", (int)getpid());
    write_irregular(path, s->frequency);
    snprintf(mesh, sizeof mesh, "{file: {path: %s}}", path);
  }
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-7}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
           "  s: {kind: shell, mesh: %s, thickness: 0.02, material: {young: 1e5, density: 1, law: %s},\n"
           "      spin: [1, 2, 3]}\n",
           mesh, s->law);
  bench_run r = bench_parse(text, threads);
  if (s->irregular) unlink(path);
  return r;
}

typedef struct row {
  int64_t elements;
  double force, step, audit, peak, stream; /* ns per element and step; GFLOP/s, GB/s */
  uint64_t hash;
  vv_totals sum;
} row;

static void keep_least(double *least, double value)
{
  if (!(*least <= value)) *least = value;
}

static row measure(const scene *s, int threads, int set)
{
  bench_run run = open_shell(s, threads);
  const vv_block *b = &run.model->block[0];
  shell_plan *plan = b->plan;
  plan->force = shell_tile_force(set), plan->audit = shell_tile_audit(set);
  row r = {.elements = b->elements, .force = NAN, .step = NAN, .audit = NAN};
  const int n = 1 + (int)(4e4 / (double)r.elements), windows = r.elements < 100000 ? 400 : 60;
  bench_stream *stream = bench_stream_create(1 << 22, threads, true);
  double *q = run.state->q + b->q0, *p = run.state->p + b->p0;
  const double h = 1e-7;
  for (int i = 0; i < windows; i++) {
    double start = bench_clock(threads);
    for (int k = 0; k < n; k++) b->kind->kick(b, 0.0, k % 2 == 0 ? h : -h, q, p);
    keep_least(&r.force, bench_clock(threads) - start);
    start = bench_clock(threads);
    for (int k = 0; k < n; k++) b->kind->stride(b, h, q, p);
    keep_least(&r.step, bench_clock(threads) - start);
    start = bench_clock(threads);
    for (int k = 0; k < n; k++) r.sum = (vv_totals){0}, b->kind->audit(b, q, p, &r.sum);
    keep_least(&r.audit, bench_clock(threads) - start);
    if (i % 20 == 0) r.peak = fmax(r.peak, bench_fma_peak());
    if (i % 20 == 0) r.stream = fmax(r.stream, bench_stream_triad(stream, 2));
  }
  const double work = (double)n * (double)r.elements;
  r.force *= 1e9 / work, r.step *= 1e9 / work, r.audit *= 1e9 / work;
  r.hash = vv_state_hash(run.state);
  bench_stream_destroy(stream);
  bench_close(&run);
  return r;
}

static bool differ(const row *a, const row *b)
{
  return a->hash != b->hash || memcmp(&a->sum, &b->sum, sizeof a->sum) != 0;
}

static void print_row(const scene *s, int threads, const char *set, const row *r, FILE *csv)
{
  const double arithmetic = FLOPS / r->step / (threads * r->peak), memory = BYTES / r->step / r->stream;
  printf("%-22s %-8s %8lld %7d %9.2f %9.2f %9.2f %8.0f%% %8.0f%%  %016llx\n", s->name, set, (long long)r->elements,
         threads, r->force, r->step, r->audit, 100.0 * arithmetic, 100.0 * memory, (unsigned long long)r->hash);
  fprintf(csv, "%s,%s,%lld,%d,%.3f,%.3f,%.3f,%.2f,%.2f,%.3f,%.3f,%016llx\n", s->name, set, (long long)r->elements,
          threads, r->force, r->step, r->audit, r->peak, r->stream, arithmetic, memory, (unsigned long long)r->hash);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const scene list[] = {{"sphere 4k", 22, false, "stvk"},
                               {"sphere 50k", 79, false, "stvk"},
                               {"sphere 500k", 250, false, "stvk"},
                               {"irregular 50k", 79, true, "stvk"},
                               {"neo-hookean 50k", 79, false, "neo-hookean"}};
  static const char *const set[] = {"plain", "avx2", "best"};
  FILE *csv = bench_csv(argc, argv, "-shell");
  int unequal = 0;
  fprintf(csv,
          "scene,set,elements,threads,ns_force,ns_step,ns_audit,fma_peak_gflop_per_s,triad_gb_per_s,share_arithmetic,"
          "share_memory,state_hash\n");
  printf("%-22s %-8s %8s %7s %9s %9s %9s %9s %9s  %s\n", "scene", "set", "elements", "threads", "force ns", "step ns",
         "audit ns", "of peak", "of triad", "state hash");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    row first = {0};
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
      const row r = measure(&list[i], threads, 2);
      print_row(&list[i], threads, set[2], &r, csv);
      if (threads == 1) first = r;
      unequal += differ(&r, &first);
    }
    for (int k = 0; i == 1 && k < 2; k++) { /* what other machines would take */
      const row r = measure(&list[i], 1, k);
      print_row(&list[i], 1, set[k], &r, csv);
      unequal += differ(&r, &first);
    }
  }
  printf("\nsame bits for every number of threads and every instruction set: %s; load %.2f\n",
         unequal == 0 ? "yes" : "NO", bench_load());
  return fclose(csv) != 0 || unequal > 0;
}
