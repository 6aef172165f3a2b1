/* tests/net/test_threads.c  Shells over ranks without MPI: every rank is a thread with a context, a model and a run of its own,
 * and they talk by memory.  State and books have the bits of one process; what travels is within its bound. */
#include "check.h"

#include "base/base.h"
#include "contact/contact.h"
#include "sim/sim.h"
#include "visviva/net.h"
#include "visviva/visviva.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, COLUMNS = 40 };

/* ---- ranks that are threads ---- */

typedef struct hub {
  int ranks;
  const double *ends; /* of their shares; NULL: equal ones */
  pthread_barrier_t barrier;
  const void *given[MOST];
  int64_t moved[MOST][MOST]; /* bytes [to][from], each written by the thread of `to` */
  int64_t begun[MOST];       /* exchanges */
  int64_t most_at_once;      /* bytes of packages that rank 0 got in one deal */
} hub;

typedef struct rank_net {
  vv_net net;
  hub *hub;
  int got; /* packages of the last deal */
  void **in;
  int64_t *in_bytes;
} rank_net;

struct vv_star {
  hub *hub;
  int rank;
  int32_t leaves;
  vv_place *place;
};

static hub *hub_of(const vv_net *n)
{
  return ((const rank_net *)(const void *)n)->hub;
}

static vv_status star(const vv_net *n, int32_t roots, int32_t leaves, const vv_place *place, vv_star **out)
{
  (void)roots;
  vv_star *s = *out = calloc(1, sizeof *s);
  *s = (vv_star){.hub = hub_of(n), .rank = n->rank, .leaves = leaves};
  s->place = calloc((size_t)leaves + 1, sizeof *s->place);
  memcpy(s->place, place, sizeof *place * (size_t)leaves);
  return VV_OK;
}

static void begin(vv_star *s, int bytes, const void *root, void *leaf)
{
  hub *h = s->hub;
  h->given[s->rank] = root;
  h->begun[s->rank]++;
  pthread_barrier_wait(&h->barrier);
  for (int32_t i = 0; i < s->leaves; i++) {
    const vv_place at = s->place[i];
    memcpy((char *)leaf + (size_t)bytes * (size_t)i, (const char *)h->given[at.rank] + (size_t)bytes * (size_t)at.row,
           (size_t)bytes);
    h->moved[s->rank][at.rank] += bytes;
  }
  pthread_barrier_wait(&h->barrier);
}

static void end(vv_star *s, int bytes, const void *root, void *leaf)
{
  (void)s, (void)bytes, (void)root, (void)leaf;
}

static void star_free(vv_star *s)
{
  free(s->place);
  free(s);
}

static void sum(const vv_net *n, int count, int64_t *x)
{
  hub *h = hub_of(n);
  int64_t *all = calloc((size_t)count, sizeof *all);
  h->given[n->rank] = x;
  pthread_barrier_wait(&h->barrier);
  for (int r = h->ranks - 1; r >= 0; r--)
    for (int i = 0; i < count; i++) all[i] += ((const int64_t *)h->given[r])[i];
  pthread_barrier_wait(&h->barrier);
  memcpy(x, all, sizeof *all * (size_t)count);
  free(all);
}

static void least(const vv_net *n, int count, double *x)
{
  hub *h = hub_of(n);
  double *all = calloc((size_t)count, sizeof *all);
  h->given[n->rank] = x;
  pthread_barrier_wait(&h->barrier);
  for (int i = 0; i < count; i++) {
    all[i] = x[i];
    for (int r = 0; r < h->ranks; r++) all[i] = fmin(all[i], ((const double *)h->given[r])[i]);
  }
  pthread_barrier_wait(&h->barrier);
  memcpy(x, all, sizeof *all * (size_t)count);
  free(all);
}

/* Each rank reads the rows of the others where they have them. */
static void all(const vv_net *n, const int64_t *rows, int bytes, void *data)
{
  hub *h = hub_of(n);
  size_t first = 0;
  h->given[n->rank] = data;
  pthread_barrier_wait(&h->barrier);
  for (int r = 0; r < h->ranks; r++) {
    const size_t size = (size_t)rows[r] * (size_t)bytes;
    if (r != n->rank && size > 0) memcpy((char *)data + first, (const char *)h->given[r] + first, size);
    if (r != n->rank) h->moved[n->rank][r] += (int64_t)size;
    first += size;
  }
  pthread_barrier_wait(&h->barrier);
}

typedef struct packages {
  int n;
  const int *to;
  const void *const *data;
  const int64_t *bytes;
} packages;

static void forget_packages(rank_net *n)
{
  for (int i = 0; i < n->got; i++) free(n->in[i]);
  free(n->in), free(n->in_bytes);
  n->got = 0, n->in = NULL, n->in_bytes = NULL;
}

static vv_status deal(const vv_net *n, int count, const int *to, const void *const *data, const int64_t *bytes,
                      int *got, void ***in, int64_t **in_bytes)
{
  hub *h = hub_of(n);
  rank_net *mine = (rank_net *)(void *)n;
  const packages out = {count, to, data, bytes};
  int k = 0;
  h->given[n->rank] = &out;
  pthread_barrier_wait(&h->barrier);
  forget_packages(mine);
  for (int r = 0; r < h->ranks; r++)
    for (int i = 0; i < ((const packages *)h->given[r])->n; i++)
      mine->got += ((const packages *)h->given[r])->to[i] == n->rank;
  mine->in = calloc((size_t)mine->got + 1, sizeof *mine->in);
  mine->in_bytes = calloc((size_t)mine->got + 1, sizeof *mine->in_bytes);
  for (int r = 0; r < h->ranks; r++) {
    const packages *p = h->given[r];
    for (int i = 0; i < p->n; i++) {
      if (p->to[i] != n->rank) continue;
      mine->in[k] = malloc((size_t)p->bytes[i] + 1), mine->in_bytes[k] = p->bytes[i];
      memcpy(mine->in[k++], p->data[i], (size_t)p->bytes[i]);
      h->moved[n->rank][r] += p->bytes[i];
    }
  }
  int64_t bytes_in = 0;
  for (int i = 0; i < k; i++) bytes_in += mine->in_bytes[i];
  if (n->rank == 0 && bytes_in > h->most_at_once) h->most_at_once = bytes_in;
  pthread_barrier_wait(&h->barrier);
  *got = mine->got, *in = mine->in, *in_bytes = mine->in_bytes;
  return VV_OK;
}

/* ---- a run ---- */

typedef struct outcome {
  const char *text;
  int64_t steps;
  const vv_net *net; /* NULL: one process */
  uint64_t hash;
  double ledger[COLUMNS];
  int64_t tiles;
  int64_t deals;         /* steps in which ranks shared the answers of contacts */
  int64_t came[3][MOST]; /* bytes from each rank after the calls of `measured` */
  int64_t begun[3];      /* exchanges */
} outcome;

/* Calls that differ in steps alone: what is done once a call falls out of their difference. */
static const int64_t measured[3] = {10, 10, 60};

static vv_status look(const vv_view *view, void *user)
{
  (void)view, (void)user;
  return VV_OK;
}

static void *run(void *user)
{
  outcome *o = user;
  vv_ctx *ctx;
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *x;
  vv_sim *sim;
  vv_report report;
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def how = vv_sim_default();
  def.threads = 1;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  if (o->net != NULL) vv_ctx_share(ctx, o->net);
  if (vv_scene_parse(ctx, "ranks", o->text, strlen(o->text), &spec) != VV_OK ||
      vv_compile(ctx, spec, &model, &x) != VV_OK) {
    vv_ctx_report(ctx, stderr);
    abort(); /* the others wait */
  }
  o->tiles = vv_model_tiles(model);
  assert_int_equal(vv_sim_create(model, x, &how, &sim), VV_OK);
  /* somebody looks in his own rhythm, on rank 0 alone */
  if (o->steps > 0 && (o->net == NULL || o->net->rank == 0))
    assert_int_equal(vv_sim_observe(sim, 7, look, NULL), VV_OK);
  for (int i = 0; i < 3; i++) {
    if (i > 0 && o->steps > 0) break;
    assert_int_equal(vv_sim_steps(sim, o->steps > 0 ? o->steps : measured[i], &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    if (o->net != NULL) memcpy(o->came[i], hub_of(o->net)->moved[o->net->rank], sizeof o->came[i]);
    if (o->net != NULL) o->begun[i] = hub_of(o->net)->begun[o->net->rank];
  }
  if (sim->step.contact != NULL) o->deals = sim->step.contact->deals;
  o->hash = vv_state_hash(x);
  vv_ledger_row(vv_sim_ledger(sim), COLUMNS, o->ledger);
  vv_sim_destroy(sim);
  if (o->net != NULL && o->net->ranks > 1) { /* its tables are not whole any more */
    assert_int_equal(vv_sim_create(model, x, &how, &sim), VV_ARG);
    assert_non_null(strstr(vv_ctx_message(ctx, vv_ctx_message_count(ctx) - 1), "makes one run"));
    assert_null(sim);
  }
  vv_state_destroy(x);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return NULL;
}

static void run_ranks(hub *h, int ranks, uint64_t shuffle, const char *text, int64_t steps, outcome *out)
{
  pthread_t thread[MOST];
  rank_net net[MOST];
  const double *ends = h->ends;
  memset(h, 0, sizeof *h);
  h->ranks = ranks, h->ends = ends;
  assert_int_equal(pthread_barrier_init(&h->barrier, NULL, (unsigned)ranks), 0);
  for (int r = 0; r < ranks; r++) {
    net[r] = (rank_net){.net = {.rank = r,
                                .ranks = ranks,
                                .shuffle = shuffle,
                                .ends = h->ends,
                                .star = star,
                                .begin = begin,
                                .end = end,
                                .star_free = star_free,
                                .sum = sum,
                                .least = least,
                                .all = all,
                                .deal = deal},
                        .hub = h};
    out[r] = (outcome){.text = text, .steps = steps, .net = &net[r].net};
    assert_int_equal(pthread_create(&thread[r], NULL, run, &out[r]), 0);
  }
  for (int r = 0; r < ranks; r++) pthread_join(thread[r], NULL), forget_packages(&net[r]);
  pthread_barrier_destroy(&h->barrier);
}

/* Numbers of ranks below zero: tiles are dealt out at random.  Returns in how many steps answers were shared, at the least. */
static int64_t compare(const char *text, int64_t steps, int n, const int *ranks)
{
  int64_t deals = INT64_MAX;
  static hub h;
  outcome whole = {.text = text, .steps = steps}, part[MOST];
  run(&whole);
  for (int i = 0; i < n; i++) {
    const int n_rank = abs(ranks[i]);
    run_ranks(&h, n_rank, ranks[i] < 0 ? 17 + (uint64_t)i : 0, text, steps, part);
    if (part[0].hash != whole.hash) fail_msg("%d ranks have other bits", n_rank); /* rank 0 has it whole */
    for (int r = 0; r < n_rank; r++) {
      assert_memory_equal(part[r].ledger, whole.ledger, sizeof whole.ledger);
      deals = part[r].deals < deals ? part[r].deals : deals;
    }
  }
  return deals;
}

#define HEAD "visviva: 1\ncontacts: [{response: none}]\n"

static void sphere(void **state)
{
  (void)state;
  compare(HEAD "time: {end: 1, step: 2e-4}\nbodies:\n"
               "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 16}}, thickness: 0.02, "
               "velocity: [0.5, 0, 0], spin: [0, 0, 3], "
               "material: {young: 1e5, poisson: 0.3, density: 1000, law: neo-hookean}}\n",
          40, 5, (const int[]){1, 2, 3, 4, 8});
}

static void plate(void **state)
{
  (void)state;
  compare(HEAD "time: {end: 1, step: {safety: 0.3}}\ngravity: [0, 0.1, -9.81]\nbodies:\n"
               "  plate: {kind: shell, mesh: {rectangle: {size: [1.2, 0.9], pieces: [40, 30]}}, thickness: 0.01,\n"
               "    material: {young: 1e7, poisson: 0.3, density: 1000, law: neo-hookean},\n"
               "    edges: [{hold: clamped, low: [-1, -1, -1], high: [-0.59, 1, 1]},\n"
               "            {hold: supported, low: [0.59, -1, -1], high: [1, 1, 1]}],\n"
               "    loads: [{at: [0.1, 0.2, 0], force: [1, 2, 30]}], pressure: [{value: 50}]}\n",
          40, 3, (const int[]){2, 3, 5});
}

static void many_bodies(void **state)
{
  (void)state;
  compare(HEAD
          "time: {end: 1, step: 2e-4}\nbodies:\n"
          "  stone: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 1, spin: [0.1, 3, 0.2], position: [9, 0, 0]}\n"
          "  cube: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: 3}}, thickness: 0.01, "
          "spin: [1, 2, 3], material: {young: 1e5, poisson: 0.3, density: 1000}, "
          "grid: {count: [5, 4, 2], spacing: [0.3, 0.3, 0.3]}}\n",
          40, 3, (const int[]){2, 3, 7});
}

static void flow(void **state)
{
  (void)state;
  compare(
      HEAD
      "time: {end: 1, step: {safety: 0.3}}\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  can: {kind: shell, mesh: {sphere: {radius: 0.05, base: icosahedron, frequency: 10}}, thickness: 1e-3,\n"
      "    material: {law: j2, young: 7e10, poisson: 0.3, density: 2700, yield: 2e7, hardening: 1e9},\n"
      "    damping: {mass: 50}, loads: [{at: [0, 0, 0.05], force: [0, 0, -3e4]}]}\n"
      "  bell: {kind: shell, mesh: {cylinder: {radius: 0.05, height: 0.08, around: 28, along: 8}}, thickness: 3e-3,\n"
      "    centre: [1, 0, 0], material: {young: 200e9, poisson: 0.3, density: 7800},\n"
      "    damping: {ratio: {value: 0.005, from: 200, to: 2e4}}, edges: [{hold: clamped, loop: 1}]}\n",
      60, 3, (const int[]){2, 3, 5});
}

/* ---- contact ---- */

/* A ball of shell falls on a drum; both are cut by ranks. */
static void drum(void **state)
{
  (void)state;
  compare(
      "visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\nbodies:\n"
      "  drum: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [24, 24]}}, thickness: 0.01,\n"
      "    material: {young: 1e6, poisson: 0.3, density: 1000},\n"
      "    edges: [{hold: supported}]}\n"
      "  ball: {kind: shell, mesh: {sphere: {radius: 0.2, base: icosahedron, frequency: 8}}, thickness: 0.01,\n"
      "    centre: [0.05, 0.1, 0.2105], velocity: [0, 0, -3], material: {young: 1e6, poisson: 0.3, density: 1000}}\n",
      300, 3, (const int[]){2, 3, -5});
}

/* Eight cubes fly into each other, with losses and friction. */
static void crowd(void **state)
{
  char text[4096];
  int n = snprintf(text, sizeof text,
                   "visviva: 1\ntime: {end: 1, step: 1e-5}\ncontacts: [{restitution: 0.5, friction: 0.3}]\nbodies:\n");
  (void)state;
  for (int i = 0; i < 8; i++) {
    const double x[3] = {i % 2 - 0.5, i / 2 % 2 - 0.5, i / 4 - 0.5};
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "  c%d: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, rotation: [0.0%d, 0.1, 0.02], "
        "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, centre: [%g, %g, %g], velocity: [%g, %g, %g]}\n",
        i, i, 1.2 * x[0], 1.2 * x[1], 1.2 * x[2], -80 * x[0], -80 * x[1], -80 * x[2]);
  }
  assert_true(compare(text, 400, 3, (const int[]){2, -3, -5}) > 10);
}

/* A rigid ball and a beam with corners fall on a shell that lies on a floor: some move on all ranks, some on one. */
static void mixed(void **state)
{
  (void)state;
  compare("visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\ngravity: [0, 0, -9.81]\n"
          "contacts: [{restitution: 0.5, friction: 0.4}]\nbodies:\n"
          "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
          "  balloon: {kind: shell, mesh: {sphere: {radius: 0.06, base: icosahedron, frequency: 8}}, thickness: 2e-3,\n"
          "    material: {young: 1e6, poisson: 0.45, density: 1000}, centre: [0, 0, 0.0605], velocity: [0, 0, -2]}\n"
          "  ball: {kind: rigid, shape: {ball: {radius: 0.015}}, density: 1000, position: [0.005, 0.01, 0.137],\n"
          "    velocity: [0, 0, -2]}\n"
          "  lath: {kind: beam, length: 0.2, elements: 8, material: {young: 1e7, density: 700},\n"
          "    section: {rectangle: {width: 0.02, height: 0.008}}, axis: [0.3, 1, 0], normal: [0, 0, 1],\n"
          "    position: [-0.06, -0.1, 0.14], velocity: [0, 0, -3]}\n",
          300, 3, (const int[]){2, 3, -4});
}

/* Shares as work was measured, not equal ones; one rank has nothing. */
static void uneven_shares(void **state)
{
  static hub h;
  static const double ends[] = {0.0, 0.1, 0.1, 0.75, 1.0};
  outcome part[MOST],
      whole = {.text = HEAD "time: {end: 1, step: 2e-4}\nbodies:\n"
                            "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 16}}, "
                            "thickness: 0.02, spin: [0, 0, 3], material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
               .steps = 40};
  (void)state;
  run(&whole);
  h.ends = ends;
  run_ranks(&h, 4, 0, whole.text, whole.steps, part);
  assert_int_equal(part[0].hash, whole.hash);
  for (int r = 0; r < 4; r++) assert_memory_equal(part[r].ledger, whole.ledger, sizeof whole.ledger);
  int64_t from_empty = 0, from_largest = 0; /* what others got of the two */
  for (int r = 0; r < 4; r++) from_empty += h.moved[r][1], from_largest += r != 2 ? h.moved[r][2] : 0;
  assert_int_equal(from_empty, 0);
  assert_true(from_largest > 0);
}

/* Bytes a force between two ranks: two exchanges each.  Where the clock cuts a stretch of steps it costs one more. */
static double each_step(const outcome *part, int to, int from)
{
  const outcome *o = &part[to];
  const int64_t few = o->came[1][from] - o->came[0][from], many = o->came[2][from] - o->came[1][from];
  const int64_t forces = (o->begun[2] - o->begun[1] - (o->begun[1] - o->begun[0])) / 2;
  return (double)(many - few) / (double)forces;
}

/* A rank with N triangles moves at most 700 sqrt(N) bytes a step, in and out together, to and from at most 16 others; where the
 * number of ranks is a power of two, as the cuts of the tiles are. */
static void check_volume(const char *text, double triangles, int n, const int *ranks)
{
  static hub h;
  outcome part[MOST];
  for (int i = 0; i < n; i++) {
    run_ranks(&h, ranks[i], 0, text, 0, part);
    assert_true(ranks[i] <= part[0].tiles / 8);
    for (int r = 0; r < ranks[i]; r++) {
      double bytes = 0.0;
      int neighbours = 0;
      for (int k = 0; k < ranks[i]; k++) {
        bytes += each_step(part, r, k) + each_step(part, k, r);
        neighbours += each_step(part, r, k) > 0.0;
      }
      const double most = 700.0 * sqrt(triangles / ranks[i]);
      if (!(bytes > 0.0 && bytes <= most))
        fail_msg("rank %d of %d moves %.0f bytes a step, more than %.0f", r, ranks[i], bytes, most);
      assert_true(neighbours <= 16);
    }
  }
}

static void volume(void **state)
{
  (void)state;
  check_volume(HEAD
               "time: {end: 1, step: 1e-4}\nbodies:\n"
               "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 50}}, thickness: 0.02, "
               "spin: [0, 0, 3], material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
               20.0 * 50 * 50, 3, (const int[]){2, 4, 8});
}

/* Two that fly side by side and may meet: what is told of everything to all would be more than that. */
static void volume_with_contact(void **state)
{
  (void)state;
  check_volume("visviva: 1\ntime: {end: 1, step: 1e-5}\nbodies:\n"
               "  one: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 50}}, thickness: 0.02, "
               "velocity: [1, 0, 0], material: {young: 1e5, poisson: 0.3, density: 1000}}\n"
               "  two: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 50}}, thickness: 0.02, "
               "centre: [0, 3, 0], velocity: [1, 0, 0], material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
               40.0 * 50 * 50, 2, (const int[]){4, 8});
}

/* What goes to rank 0 goes there in pieces: it never has more than a megabyte on its way, and ends with the whole state. */
static void pieces(void **state)
{
  static hub h;
  const char *text = HEAD "time: {end: 1, step: 1e-4}\nbodies:\n"
                          "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 60}}, "
                          "thickness: 0.02, spin: [0, 0, 3], material: {young: 1e5, poisson: 0.3, density: 1000}}\n";
  outcome whole = {.text = text, .steps = 2}, part[MOST];
  const int64_t nodes = 10 * 60 * 60 + 2;
  (void)state;
  run(&whole);
  run_ranks(&h, 4, 0, text, 2, part);
  assert_true(part[0].hash == whole.hash);
  assert_true(nodes * 6 * (int64_t)sizeof(double) * 3 / 4 > 1 << 20); /* what the three others have */
  assert_in_range(h.most_at_once, 1 << 18, 1 << 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sphere),      cmocka_unit_test(plate),
                                     cmocka_unit_test(many_bodies), cmocka_unit_test(flow),
                                     cmocka_unit_test(drum),        cmocka_unit_test(crowd),
                                     cmocka_unit_test(mixed),       cmocka_unit_test(uneven_shares),
                                     cmocka_unit_test(volume),      cmocka_unit_test(volume_with_contact),
                                     cmocka_unit_test(pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
