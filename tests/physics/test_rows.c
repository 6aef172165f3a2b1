/* tests/physics/test_rows.c  Bars in a row: Newton's cradle, who meets whom, which contact rule speaks. */
#include "check.h"
#include "run.h"

#include "contact/pairs.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARS = 5, TEXT = 4096 };

/* A row of identical bars of length 1 with wave speed 1; bar 0 comes from the left with velocity 1. */
typedef struct row_def {
  const char *tips, *step, *jump;
  double gap, end;
  int elements;
  const int *order;     /* of the bars in the scene; NULL: from left to right */
  bool flipped;         /* every other bar lies on the opposite axis */
  const char *contacts; /* NULL: all elastic */
} row_def;

static double left_end(const row_def *d, int bar)
{
  return (1.0 + d->gap) * bar;
}

static void write_row(const row_def *d, char *text)
{
  int n = snprintf(text, TEXT, "visviva: 1\ntime: {end: %g, step: {safety: 0.5}}\nmethod: {step: %s%s%s}\n%sbodies:\n",
                   d->end, d->step, d->jump != NULL ? ", jump: " : "", d->jump != NULL ? d->jump : "",
                   d->contacts != NULL ? d->contacts : "");
  for (int i = 0; i < BARS; i++) {
    const int bar = d->order != NULL ? d->order[i] : i;
    const bool flip = d->flipped && bar % 2 == 1;
    /* on the opposite axis the first end is the right one */
    n += snprintf(text + n, (size_t)(TEXT - n),
                  "  b%d: {kind: bar, length: 1, elements: %d, material: {young: 1, density: 1}, section: {area: 1},\n"
                  "       tips: {first: %s, last: %s}, axis: [%d, 0, 0], position: %.17g, velocity: %d}\n",
                  bar, d->elements, d->tips, d->tips, flip ? -1 : 1,
                  flip ? -(left_end(d, bar) + 1.0) : left_end(d, bar), bar == 0);
  }
  assert_true(n < TEXT);
}

/* Of the bar called b<k>, in the scene's x direction. */
static const vv_body *bar_of(const run_record *r, int k)
{
  char name[8];
  snprintf(name, sizeof name, "b%d", k);
  const int i = vvi_model_body_find(r->model, name);
  assert_true(i >= 0);
  return &r->model->body[i];
}

static double sign_of(const run_record *r, const vv_body *b)
{
  const vv_block *block = &r->model->block[b->block];
  return block->patch[b->patch0 + 1].direction[0]; /* outward direction of the last end */
}

static double mean_velocity(const run_record *r, int k)
{
  const vv_body *b = bar_of(r, k);
  const vv_block *block = &r->model->block[b->block];
  double p = 0.0, m = 0.0;
  for (int64_t i = b->node0; i < b->node0 + b->n_node; i++) {
    p += r->state->p[block->p0 + i];
    m += block->node_real[i]; /* column 0: mass */
  }
  return sign_of(r, b) * p / m;
}

/* Where the left (0) or right (1) tip of a bar is now. */
static double tip(const run_record *r, int k, int right)
{
  const vv_body *b = bar_of(r, k);
  const vv_block *block = &r->model->block[b->block];
  const int last = (sign_of(r, b) > 0.0) == (right == 1);
  const vv_point pt = {.patch = b->patch0 + last};
  double x[3];
  block->kind->surface(block, r->state->q + block->q0, 1, &pt, x);
  return x[0];
}

static run_record run_row(const row_def *d)
{
  char text[TEXT];
  write_row(d, text);
  return run_scene(text, NULL);
}

static const struct {
  const char *step, *jump;
} way[] = {{"event", "modified"}, {"event", "nodal"}, {"leapfrog", NULL}};
static const char *const tips[] = {"lumped", "split", "cell"};
enum { WAYS = sizeof way / sizeof way[0], TIPS = sizeof tips / sizeof tips[0] };

/* ---- Newton's cradle ---- */

/* Identical bars pass the motion on: all stop but the last, which leaves with the velocity of the first.  Unstressed tips of
 * a soft pair may overlap by what their spring gives way; hard tips may not. */
static void check_cradle(int w, int t, double gap, int elements)
{
  const row_def d = {
      .tips = tips[t], .step = way[w].step, .jump = way[w].jump, .gap = gap, .end = 12, .elements = elements};
  run_record r = run_row(&d);
  const vv_ledger *l = run_ledger(&r);
  const double small = elements >= 40 ? 0.03 : 0.05; /* what the grid disperses stays behind */
  for (int k = 0; k < BARS - 1; k++) check_near(mean_velocity(&r, k), 0.0, small);
  check_near(mean_velocity(&r, BARS - 1), 1.0, small);
  for (int k = 0; k + 1 < BARS; k++) check_least(tip(&r, k + 1, 0) - tip(&r, k, 1), t == 0 ? -1e-13 : -0.05);
  check_least(tip(&r, BARS - 1, 0) - tip(&r, BARS - 2, 1), 4.0); /* gone */
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_penetration, 1e-13);
  if (w == 0) check_most(l->max_closure, 1e-12);
  if (w == 1) check_most(l->max_closure, 2e-2);
  if (w == 2) check_most(l->max_closure, t == 0 ? 1e-12 : 2e-2);
  run_free(&r);
}

static void test_cradle_with_gaps(void **unused)
{
  (void)unused;
  for (int w = 0; w < WAYS; w++)
    for (int t = 0; t < TIPS; t++) check_cradle(w, t, 0.01, 20), check_cradle(w, t, 0.01, 40);
}

static void test_cradle_touching(void **unused)
{
  (void)unused;
  for (int w = 0; w < WAYS; w++)
    for (int t = 0; t < TIPS; t++) check_cradle(w, t, 0.0, 20), check_cradle(w, t, 0.0, 40);
}

/* ---- who meets whom ---- */

/* Only neighbours: n - 1 pairs, each between the facing tips of bars next to each other. */
static void check_neighbours(const run_record *r)
{
  const struct vvi_pairs *list = r->model->pairs;
  assert_int_equal(list->n, BARS - 1);
  bool seen[BARS - 1] = {false};
  for (int i = 0; i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    const int a = atoi(r->model->body[c->patch_a->body].name + 1), b = atoi(r->model->body[c->patch_b->body].name + 1);
    assert_int_equal(abs(a - b), 1);
    seen[a < b ? a : b] = true;
    const vv_patch *left = a < b ? c->patch_a : c->patch_b, *right = a < b ? c->patch_b : c->patch_a;
    assert_true(left->direction[0] == 1.0 && right->direction[0] == -1.0);
    check_near(vvi_pair_gap(c, r->initial->q), 0.01, 1e-14);
  }
  for (int i = 0; i < BARS - 1; i++) assert_true(seen[i]);
}

/* The order of the bars in the scene and the direction of their axes are only words. */
static void test_words_do_not_matter(void **unused)
{
  (void)unused;
  static const int order[BARS] = {3, 0, 4, 2, 1};
  for (int w = 0; w < WAYS; w++)
    for (int t = 0; t < TIPS; t++) {
      row_def d = {.tips = tips[t], .step = way[w].step, .jump = way[w].jump, .gap = 0.01, .end = 4, .elements = 10};
      run_record plain = run_row(&d);
      check_neighbours(&plain);
      check_least((double)plain.n_event, 4);
      for (int k = 1; k < 4; k++) {
        d.order = k & 1 ? order : NULL;
        d.flipped = (k & 2) != 0;
        run_record other = run_row(&d);
        check_neighbours(&other);
        for (int i = 0; i < BARS; i++) {
          check_near(mean_velocity(&other, i), mean_velocity(&plain, i), 1e-9);
          for (int side = 0; side < 2; side++) check_near(tip(&other, i, side), tip(&plain, i, side), 1e-9);
        }
        run_free(&other);
      }
      run_free(&plain);
    }
}

/* ---- which rule speaks ---- */

static double loss_of(const run_record *r)
{
  return vv_sum_value(&run_ledger(r)->posted.restitution_loss);
}

/* The pair's own line wins over `all`, whether it comes first or last, and whichever body it names first. */
static void test_most_specific_rule(void **unused)
{
  (void)unused;
  static const char *const none[] = {
      "contacts: [{between: all, restitution: 1}, {between: [b1, b2], response: none}]\n",
      "contacts: [{between: [b2, b1], response: none}, {between: all, restitution: 1}]\n",
  };
  static const char *const half[] = {
      "contacts: [{between: all, restitution: 1}, {between: [b1, b2], restitution: 0.5}]\n",
      "contacts: [{between: [b2, b1], restitution: 0.5}, {between: all, restitution: 1}]\n",
  };
  row_def d = {.tips = "lumped", .step = "event", .jump = "modified", .gap = 0.01, .end = 5, .elements = 20};
  for (int i = 0; i < 2; i++) {
    d.contacts = none[i];
    run_record r = run_row(&d);
    assert_int_equal(r.model->pairs->n, BARS - 2);
    /* bar 1 takes the velocity of bar 0 and passes through bar 2 unhindered: bars 2 to 4 never move */
    check_near(mean_velocity(&r, 0), 0.0, 0.03);
    check_near(mean_velocity(&r, 1), 1.0, 0.03);
    for (int k = 2; k < BARS; k++) assert_true(mean_velocity(&r, k) == 0.0);
    check_least(tip(&r, 1, 1), tip(&r, 2, 0) + 0.5);
    for (int64_t e = 0; e < r.n_event; e++) {
      assert_string_equal(r.event[e].body_a, "b0");
      assert_string_equal(r.event[e].body_b, "b1");
    }
    assert_true(loss_of(&r) == 0.0);
    run_free(&r);
  }
  double loss[2];
  for (int i = 0; i < 2; i++) {
    d.contacts = half[i];
    run_record r = run_row(&d);
    assert_int_equal(r.model->pairs->n, BARS - 1);
    int n_half = 0;
    for (int k = 0; k < r.model->pairs->n; k++) {
      const vvi_pair *c = &r.model->pairs->pair[k];
      const int a = atoi(r.model->body[c->patch_a->body].name + 1), b = atoi(r.model->body[c->patch_b->body].name + 1);
      assert_true(c->restitution == (a + b == 3 ? 0.5 : 1.0));
      n_half += c->restitution == 0.5;
    }
    assert_int_equal(n_half, 1);
    /* only that pair loses energy, and what the ledger lost are its events */
    double lost = 0.0;
    for (int64_t e = 0; e < r.n_event; e++) {
      const bool pair = strcmp(r.event[e].body_a, "b1") == 0 && strcmp(r.event[e].body_b, "b2") == 0;
      if (!pair) check_near(r.event[e].energy_jump, 0.0, 1e-13);
    }
    for (int64_t e = 0; e < r.n_event; e++)
      if (strcmp(r.event[e].kind, "bounce") == 0) lost -= r.event[e].energy_jump;
    loss[i] = loss_of(&r);
    check_least(loss[i], 1e-4);
    if (run_ledger(&r)->held == 0) check_near(lost, loss[i], 1e-12);
    check_most(run_ledger(&r)->max_closure, 1e-12);
    run_free(&r);
  }
  assert_true(loss[0] == loss[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cradle_with_gaps),
      cmocka_unit_test(test_cradle_touching),
      cmocka_unit_test(test_words_do_not_matter),
      cmocka_unit_test(test_most_specific_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
