/* tests/io/toy.h  A body kind that does nothing but have words of every type, and how to bind a scene with it. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/bind.h"
#include "model/model.h"
#include "model/spec.h"

#include <string.h>

/* clang-format off */
static const vv_field toy_material_field[] = {
  {.name = "young",   .type = VV_NUMBER, .unit = "Pa", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "modulus"},
  {.name = "density", .type = VV_NUMBER, .unit = "kg/m^3", .lo = 0, .hi = 1e9, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "mass per volume"},
  {.name = "poisson", .type = VV_NUMBER, .unit = "1", .lo = -1, .hi = 0.5, .flags = VV_OPEN_LO | VV_OPEN_HI, .deflt = "0.3", .doc = "ratio"},
};
static const vv_schema toy_material = {"material", toy_material_field, VV_COUNT(toy_material_field), "what it is made of"};

static const vv_field toy_tips_field[] = {
  {.name = "first", .type = VV_WORD, .words = "lumped|split", .deflt = "lumped", .doc = "first end"},
  {.name = "split", .type = VV_NUMBER, .unit = "1", .deflt = "0.25", .doc = "part"},
};
static const vv_schema toy_tips = {"tips", toy_tips_field, VV_COUNT(toy_tips_field), "the ends"};

static const vv_field toy_tube_field[] = {
  {.name = "outer", .type = VV_NUMBER, .unit = "m", .flags = VV_REQUIRED, .doc = "outer radius"},
  {.name = "inner", .type = VV_NUMBER, .unit = "m", .deflt = "0", .doc = "inner radius"},
};
static const vv_schema toy_tube = {"tube", toy_tube_field, VV_COUNT(toy_tube_field), "a tube"};
static const vv_schema toy_none = {"none", NULL, 0, "no words at all"};
static const vv_field toy_section_field[] = {
  {.name = "square", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e3, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "side"},
  {.name = "box",    .type = VV_VECTOR, .unit = "m", .flags = VV_OPTIONAL, .doc = "sides"},
  {.name = "tube",   .type = VV_GROUP, .sub = &toy_tube, .flags = VV_OPTIONAL, .doc = "a tube"},
  {.name = "wire",   .type = VV_GROUP, .sub = &toy_none, .flags = VV_OPTIONAL, .doc = "nothing to say"},
};
static const vv_schema toy_section = {"section", toy_section_field, VV_COUNT(toy_section_field), "its shape"};

static const vv_field toy_load_field[] = {
  {.name = "end",     .type = VV_WORD, .words = "first|last", .deflt = "last", .doc = "where"},
  {.name = "force",   .type = VV_NUMBER, .unit = "N", .flags = VV_REQUIRED, .doc = "how much"},
  {.name = "history", .type = VV_CHOICE, .sub = &vvi_history_schema, .deflt = "constant", .doc = "when"},
};
static const vv_schema toy_load = {"loads", toy_load_field, VV_COUNT(toy_load_field), "forces"};

static const vv_field toy_pace_field[] = {
  {.name = "share", .type = VV_NUMBER, .unit = "1", .flags = VV_REQUIRED, .doc = "part of the pace"},
};
static const vv_schema toy_pace = {"pace", toy_pace_field, VV_COUNT(toy_pace_field), "how fast"};

static const vv_field toy_field[] = {
  {.name = "length",   .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e6, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "size"},
  {.name = "elements", .type = VV_INTEGER, .unit = "1", .lo = 1, .hi = 1e18, .deflt = "4", .doc = "pieces"},
  {.name = "smooth",   .type = VV_BOOLEAN, .deflt = "true", .doc = "yes or no | never both"},
  {.name = "label",    .type = VV_TEXT, .deflt = "nameless", .doc = "free text"},
  {.name = "mode",     .type = VV_WORD, .words = "soft|hard|one-point", .deflt = "soft", .doc = "how"},
  {.name = "axis",     .type = VV_VECTOR, .unit = "1", .deflt = "[1, 0, 0]", .doc = "direction"},
  {.name = "samples",  .type = VV_NUMBERS, .unit = "s", .lo = 0, .hi = 10, .flags = VV_OPTIONAL, .doc = "times"},
  {.name = "material", .type = VV_GROUP, .sub = &toy_material, .flags = VV_REQUIRED, .doc = "what it is made of"},
  {.name = "tips",     .type = VV_GROUP, .sub = &toy_tips, .doc = "the ends"},
  {.name = "partners", .type = VV_NAMES, .words = "all|none", .deflt = "none", .doc = "friends"},
  {.name = "loads",    .type = VV_LIST, .sub = &toy_load, .flags = VV_OPTIONAL, .doc = "forces"},
  {.name = "section",  .type = VV_CHOICE, .sub = &toy_section, .deflt = "{square: 0.5}", .doc = "its shape"},
  {.name = "pace",     .type = VV_EITHER, .unit = "s", .lo = 0, .hi = 1, .sub = &toy_pace, .deflt = "{share: 0.5}", .doc = "how fast"},
};
static const vv_schema toy_schema = {"toy", toy_field, VV_COUNT(toy_field), "a body of words"};
static const vv_body_kind toy_kind = {.name = "toy", .doc = "a body of words", .schema = &toy_schema};
static const vv_body_kind wall_kind = {.name = "wall", .doc = "a body without words", .schema = &toy_none};
static const vv_body_kind *const toy_kinds[] = {&toy_kind, &wall_kind, NULL};
static const vv_catalog toy_catalog = {.body = toy_kinds};
/* clang-format on */

static vv_ctx *toy_ctx(void)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  def.catalog = &toy_catalog;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  return ctx;
}

/* Text to groups; the spec is gone afterwards, so that a group that leaned on it would be found out. */
static vv_status toy_bind(vv_ctx *ctx, const char *text, vvi_arena *arena, const vv_group **root)
{
  vv_spec *spec = NULL;
  *root = NULL;
  vv_status status = vv_scene_parse(ctx, "toy.yaml", text, strlen(text), &spec);
  if (status == VV_OK) status = vvi_bind(ctx, spec, arena, root);
  vv_spec_destroy(spec);
  return status;
}
