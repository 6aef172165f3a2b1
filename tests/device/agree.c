/* tests/device/agree.c  See agree.h. */
#include "agree.h"

#include "check.h"
#include "place.h"

#include <stdlib.h>
#include <string.h>

const char *device;

/* State and books after n steps, in pieces that somebody looks at. */
typedef struct outcome {
  uint64_t hash, seen;
  vv_totals now;
  vv_posted posted;
} outcome;

static vv_status look(const vv_view *view, void *user)
{
  uint64_t *seen = user;
  *seen = 31 * *seen + vv_state_hash(view->state);
  return VV_OK;
}

static outcome follow(const char *text, const char *where, int threads, double step, int64_t n)
{
  place x;
  outcome out = {0};
  if (place_open(text, where, threads, step, &x) != VV_OK) {
    vv_ctx_report(x.ctx, stderr);
    fail_msg("refused");
  }
  assert_int_equal(vv_sim_device(x.sim) != NULL, strcmp(where, "cpu") != 0);
  assert_int_equal(vv_sim_observe(x.sim, 7, look, &out.seen), VV_OK);
  place_steps(&x, n);
  out.hash = vv_state_hash(x.state);
  const struct vv_ledger *l = vv_sim_ledger(x.sim);
  out.now = l->now, out.posted = l->posted;
  place_close(&x);
  return out;
}

static void same(const outcome *a, const outcome *b)
{
  if (a->hash != b->hash)
    fail_msg("state %016llx and %016llx", (unsigned long long)a->hash, (unsigned long long)b->hash);
  assert_true(a->seen == b->seen);
  assert_memory_equal(&a->now, &b->now, sizeof a->now);
  assert_memory_equal(&a->posted, &b->posted, sizeof a->posted);
}

void agree_with(const char *text, double step, int64_t n)
{
  const outcome there = follow(text, device, 0, step, n);
  static const int threads[] = {1, 2, 7};
  for (int i = 0; i < 3; i++) {
    outcome here = follow(text, "cpu", threads[i], step, n);
    if (step < 0.0) here.seen = there.seen; /* backwards, who looks when depends on the pace */
    same(&here, &there);
  }
}

void agree(const char *text, int64_t n)
{
  agree_with(text, 0.0, n);
}

/* Somebody looks at the state every so many steps. */
static void rows_with(const char *text, int64_t every)
{
  enum { STEPS = 221, COLUMNS = 12 };
  double *row[2];
  outcome out[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    place x;
    row[i] = calloc((STEPS + 1) * COLUMNS, sizeof *row[i]);
    vv_rows rows = {.row = row[i], .capacity = STEPS + 1, .columns = COLUMNS};
    assert_int_equal(place_open(text, i == 0 ? device : "cpu", 1, 0.0, &x), VV_OK);
    assert_int_equal(vv_sim_observe(x.sim, 1, vv_rows_observe, &rows), VV_OK);
    assert_int_equal(vv_sim_observe(x.sim, every, look, &out[i].seen), VV_OK);
    place_steps(&x, 120); /* a call that ends within a run */
    place_steps(&x, STEPS - 120);
    out[i].hash = vv_state_hash(x.state), out[i].now = vv_sim_ledger(x.sim)->now;
    assert_int_equal(rows.n, STEPS + 1);
    place_close(&x);
  }
  same(&out[0], &out[1]);
  assert_memory_equal(row[0], row[1], sizeof *row[0] * (STEPS + 1) * COLUMNS);
  free(row[0]), free(row[1]);
}

/* So often that no run is used up; within the second run that is queued before it is asked for; never. */
void agree_rows(const char *text)
{
  rows_with(text, 25);
  rows_with(text, 75);
  rows_with(text, 1000);
}

void agree_resumed(const char *text)
{
  uint64_t hash[3];
  for (int i = 0; i < 3; i++) {
    place one, two;
    assert_int_equal(place_open(text, i == 1 ? device : "cpu", 1, 0.0, &one), VV_OK);
    assert_int_equal(place_open(text, i == 2 ? device : "cpu", 2, 0.0, &two), VV_OK);
    place_steps(&one, 20);
    assert_int_equal(vv_state_copy(two.state, one.state), VV_OK);
    assert_int_equal(vv_sim_restore(two.sim, vv_sim_ledger(one.sim)), VV_OK);
    place_steps(&two, 20);
    hash[i] = vv_state_hash(two.state);
    place_close(&one), place_close(&two);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

void refused_with(const char *text, const char *which, vv_status wanted, const char *words)
{
  place x;
  assert_int_equal(place_open(text, which, 1, 0.0, &x), wanted);
  assert_int_equal(vv_ctx_message_count(x.ctx), 1);
  if (strstr(vv_ctx_message(x.ctx, 0), words) == NULL) fail_msg("no '%s' in: %s", words, vv_ctx_message(x.ctx, 0));
  place_close(&x);
}
