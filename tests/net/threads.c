/* tests/net/threads.c  See threads.h. */
#include "threads.h"

#include "base/base.h"
#include "check.h"
#include "contact/contact.h"
#include "sim/sim.h"
#include "step/accelerate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranks that are threads ---- */

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

/* Calls that differ in steps alone: what is done once a call falls out of their difference. */
const int64_t measured[3] = {10, 10, 60};

static vv_status look(const vv_view *view, void *user)
{
  (void)view, (void)user;
  return VV_OK;
}

void *run(void *user)
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
  def.threads = 1, def.device = o->device;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  if (o->net != NULL) vv_ctx_share(ctx, o->net);
  if (vv_scene_parse(ctx, "ranks", o->text, strlen(o->text), &spec) != VV_OK ||
      vv_compile(ctx, spec, &model, &x) != VV_OK) {
    vv_ctx_report(ctx, stderr);
    abort(); /* the others wait */
  }
  o->tiles = vv_model_tiles(model);
  if (o->from != NULL) assert_int_equal(vv_state_copy(x, o->from->end), VV_OK);
  if (vv_sim_create(model, x, &how, &sim) != VV_OK) {
    vv_ctx_report(ctx, stderr);
    abort();
  }
  if (o->from != NULL) assert_int_equal(vv_sim_restore(sim, o->from->book), VV_OK);
  assert_true((vv_sim_device(sim) != NULL) == (o->device != NULL));
  /* somebody looks in his own rhythm, on rank 0 alone */
  if (o->steps > 0 && (o->net == NULL || o->net->rank == 0))
    assert_int_equal(vv_sim_observe(sim, 7, look, NULL), VV_OK);
  for (int i = 0; i < 3; i++) {
    if (i > 0 && o->steps > 0) break;
    assert_int_equal(vv_sim_steps(sim, o->steps > 0 ? o->steps : measured[i], &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    if (o->net != NULL) memcpy(o->came[i], hub_of(o->net)->moved[o->net->rank], sizeof o->came[i]);
    if (o->device != NULL) o->moved[i] = vvi_device_moved(sim->step.accelerator->device);
    if (o->net != NULL) o->begun[i] = hub_of(o->net)->begun[o->net->rank];
  }
  const struct vvi_contact_step *contact = sim->step.contact;
  if (contact != NULL) o->deals = contact->deals, o->turns = contact->count.turns, o->own_turns = contact->own_turns;
  o->hash = vv_state_hash(x);
  vv_ledger_row(vv_sim_ledger(sim), COLUMNS, o->ledger);
  if (o->keeps && (o->net == NULL || o->net->rank == 0)) {
    assert_int_equal(vv_state_clone(x, &o->end), VV_OK);
    assert_int_equal(vv_ledger_create(&o->book), VV_OK);
    assert_int_equal(vv_ledger_copy(o->book, vv_sim_ledger(sim)), VV_OK);
  }
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

void run_ranks(hub *h, int ranks, uint64_t shuffle, const outcome *what, outcome *out)
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
    out[r] = *what;
    out[r].net = &net[r].net;
    assert_int_equal(pthread_create(&thread[r], NULL, run, &out[r]), 0);
  }
  for (int r = 0; r < ranks; r++) pthread_join(thread[r], NULL), forget_packages(&net[r]);
  pthread_barrier_destroy(&h->barrier);
}

void release_end(outcome *o)
{
  vv_state_destroy(o->end);
  vv_ledger_destroy(o->book);
}

int64_t compare(const char *text, int64_t steps, int n, const int *ranks)
{
  return compare_on(NULL, text, steps, n, ranks);
}

int64_t compare_on(const char *device, const char *text, int64_t steps, int n, const int *ranks)
{
  int64_t deals = INT64_MAX;
  static hub h;
  outcome whole = {.text = text, .steps = steps}, part[MOST];
  run(&whole);
  for (int i = 0; i < n; i++) {
    const int n_rank = abs(ranks[i]);
    run_ranks(&h, n_rank, ranks[i] < 0 ? 17 + (uint64_t)i : 0,
              &(outcome){.text = text, .steps = steps, .device = device}, part);
    if (part[0].hash != whole.hash) fail_msg("%d ranks have other bits", n_rank); /* rank 0 has it whole */
    for (int r = 0; r < n_rank; r++) {
      assert_memory_equal(part[r].ledger, whole.ledger, sizeof whole.ledger);
      deals = part[r].deals < deals ? part[r].deals : deals;
    }
  }
  return deals;
}

void put_crowd(char text[CROWD_ROOM])
{
  int n = snprintf(text, CROWD_ROOM,
                   "visviva: 1\ntime: {end: 1, step: 1e-5}\ncontacts: [{restitution: 0.5, friction: 0.3}]\nbodies:\n");
  for (int i = 0; i < 8; i++) {
    const double x[3] = {i % 2 - 0.5, i / 2 % 2 - 0.5, i / 4 - 0.5};
    n += snprintf(
        text + n, CROWD_ROOM - (size_t)n,
        "  c%d: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, rotation: [0.0%d, 0.1, 0.02], "
        "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, centre: [%g, %g, %g], velocity: [%g, %g, %g]}\n",
        i, i, 1.2 * x[0], 1.2 * x[1], 1.2 * x[2], -80 * x[0], -80 * x[1], -80 * x[2]);
  }
}
