/* catalog/catalog.c  The built-in kinds, from kinds.def: expanded once to declare and once to list each sort. */
#include "base/base.h"
#include "visviva/ext.h"

#define VV_BODY(word)     extern const vv_body_kind vv_##word##_kind;
#define VV_STEPPER(word)  extern const vv_stepper_kind vv_##word##_stepper;
#define VV_RESPONSE(word) extern const vv_response_kind vv_##word##_response;
#include "catalog/kinds.def"
#undef VV_BODY
#undef VV_STEPPER
#undef VV_RESPONSE

#define VV_BODY(word) &vv_##word##_kind,
#define VV_STEPPER(word)
#define VV_RESPONSE(word)
static const vv_body_kind *const body[] = {
#include "catalog/kinds.def"
    NULL};
#undef VV_BODY
#undef VV_STEPPER
#undef VV_RESPONSE

#define VV_BODY(word)
#define VV_STEPPER(word) &vv_##word##_stepper,
#define VV_RESPONSE(word)
static const vv_stepper_kind *const stepper[] = {
#include "catalog/kinds.def"
    NULL};
#undef VV_BODY
#undef VV_STEPPER
#undef VV_RESPONSE

#define VV_BODY(word)
#define VV_STEPPER(word)
#define VV_RESPONSE(word) &vv_##word##_response,
static const vv_response_kind *const response[] = {
#include "catalog/kinds.def"
    NULL};
#undef VV_BODY
#undef VV_STEPPER
#undef VV_RESPONSE

static const vv_catalog catalog = {.body = body, .stepper = stepper, .response = response};

const vv_catalog *vv_catalog_default(void)
{
  return &catalog;
}
