/* catalog/catalog.c  The built-in kinds, from kinds.def: expanded once to declare and once to list each sort. */
#include "base/base.h"
#include "visviva/ext.h"

#define VV_BODY(word)    extern const vv_body_kind vv_##word##_kind;
#define VV_STEPPER(word) extern const vv_stepper_kind vv_##word##_stepper;
#include "catalog/kinds.def"
#undef VV_BODY
#undef VV_STEPPER

#define VV_BODY(word) &vv_##word##_kind,
#define VV_STEPPER(word)
static const vv_body_kind *const body[] = {
#include "catalog/kinds.def"
    NULL};
#undef VV_BODY
#undef VV_STEPPER

#define VV_BODY(word)
#define VV_STEPPER(word) &vv_##word##_stepper,
static const vv_stepper_kind *const stepper[] = {
#include "catalog/kinds.def"
    NULL};
#undef VV_BODY
#undef VV_STEPPER

static const vv_catalog catalog = {.body = body, .stepper = stepper};

const vv_catalog *vv_catalog_default(void)
{
  return &catalog;
}
