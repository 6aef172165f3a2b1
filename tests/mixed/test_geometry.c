/* tests/mixed/test_geometry.c  The geometry that judges the others: for every two kinds, the way until the upper body touches the
 * lower one is known in closed form, and so is the depth when it is let down by more than that. */
#include "check.h"

#include "geometry.h"
#include "visviva/visviva.h"

#include <stdio.h>
#include <string.h>

#define GAP 2e-4 /* m: between underside and upper side in scenes.c */

/* ---- every two kinds, let down on each other ---- */

/* Whether contact can answer the two does not matter here. */
static void without_contact(const mixed_scene *s, char *text, size_t size)
{
  const char *contacts = strstr(s->text, "contacts:"), *record = strstr(s->text, "record:");
  snprintf(text, size, "%.*scontacts: [{response: none}]\n%s", (int)(contacts - s->text), s->text, record);
}

static void place(const mixed_scene *s, mixed_outline out[2])
{
  char text[MIXED_TEXT];
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vv_model *m = NULL;
  vv_state *state = NULL;
  const vv_ctx_def def = vv_ctx_default();
  without_contact(s, text, sizeof text);
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  assert_int_equal(vv_scene_parse(ctx, "geometry", text, strlen(text), &spec), VV_OK);
  assert_int_equal(vv_compile(ctx, spec, &m, &state), VV_OK);
  for (int i = 0; i < 2; i++) mixed_outline_of(m, state, i, &s->shape[i], &out[i]);
  vv_state_destroy(state);
  vv_model_destroy(m);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
}

static bool is_line(const mixed_outline *k)
{
  return k->shape.kind == MIXED_ROUND || k->shape.kind == MIXED_BAR || k->shape.kind == MIXED_BALL;
}

/* Horizontal distance between a point (of a bar or a ball) and the axis of a round beam, or between two points. */
static double beside(const mixed_outline *a, const mixed_outline *b)
{
  if (a->shape.kind == MIXED_ROUND && b->shape.kind == MIXED_ROUND) return 0.0; /* they cross */
  if (a->shape.kind == MIXED_ROUND) return beside(b, a);
  double w[2] = {a->x[0][0] - b->x[0][0], a->x[0][1] - b->x[0][1]};
  if (b->shape.kind != MIXED_ROUND) return hypot(w[0], w[1]);
  const double u[2] = {b->x[b->points - 1][0] - b->x[0][0], b->x[b->points - 1][1] - b->x[0][1]};
  return fabs(u[0] * w[1] - u[1] * w[0]) / hypot(u[0], u[1]);
}

/* Flat on anything: the gap.  Round on round: two circles of radii r_a, r_b whose centres are d beside each other. */
static double clearance(const mixed_outline *a, const mixed_outline *b)
{
  const double reach = a->shape.radius + b->shape.radius;
  if (!is_line(a) || !is_line(b) || reach == 0.0) return GAP;
  const double d = beside(a, b);
  return GAP + reach - sqrt(reach * reach - d * d);
}

static void let_down(mixed_outline *k, double way)
{
  for (int i = 0; i < k->points; i++) k->x[i][2] -= way;
}

static void test_every_pair(void **unused)
{
  (void)unused;
  static mixed_outline out[2];
  mixed_scene s;
  for (int pair = 0; pair < MIXED_KINDS * MIXED_KINDS; pair++) {
    const mixed_kind upper = (mixed_kind)(pair / MIXED_KINDS), lower = (mixed_kind)(pair % MIXED_KINDS);
    const mixed_words w = {.n = 2, .kind = {upper, lower}, .restitution = 1.0, .first = 1};
    mixed_stack(&w, &s);
    place(&s, out);
    const double way = clearance(&out[0], &out[1]);
    print_message("  %-32s way %.4e\n", s.name, way);
    check_most(mixed_depth(&out[0], &out[1], 1e-12), 0.0);
    let_down(&out[0], way - 1e-9);
    check_most(mixed_depth(&out[0], &out[1], 1e-12), 0.0);
    let_down(&out[0], 2e-9);
    check_near(mixed_depth(&out[0], &out[1], 1e-12), 1e-9, 1e-11);
    let_down(&out[0], 1e-3);
    check_near(mixed_depth(&out[0], &out[1], 1e-12), 1e-3 + 1e-9, 1e-8);
    check_near(mixed_below(&out[1]), -GAP, 1e-15);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_pair)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
