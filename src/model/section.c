/* model/section.c  Cross-sections of bars and beams: their keys and area. */
#include "math/math.h"
#include "model/model.h"

/* clang-format off */
static const vv_field square_field[] = {
  {.name = "side", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "edge length"},
};
static const vv_schema square_schema = {"square", square_field, VV_COUNT(square_field), "square section"};
static const vv_field rectangle_field[] = {
  {.name = "width",  .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "along d1 (the key normal)"},
  {.name = "height", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "along d2"},
};
static const vv_schema rectangle_schema = {"rectangle", rectangle_field, VV_COUNT(rectangle_field), "rectangular section"};
static const vv_field circle_field[] = {
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "outer radius"},
};
static const vv_schema circle_schema = {"circle", circle_field, VV_COUNT(circle_field), "full circle"};
static const vv_field tube_field[] = {
  {.name = "radius", .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "outer radius"},
  {.name = "inner",  .type = VV_NUMBER, .unit = "m", .lo = 0, .hi = 1e15, .flags = VV_REQUIRED, .doc = "inner radius, below the outer one"},
};
static const vv_schema tube_schema = {"tube", tube_field, VV_COUNT(tube_field), "hollow circle"};
static const vv_field general_field[] = {
  {.name = "area",    .type = VV_NUMBER, .unit = "m^2", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "area"},
  {.name = "bending", .type = VV_NUMBERS, .unit = "m^4", .lo = 0, .hi = 1e30, .flags = VV_REQUIRED | VV_OPEN_LO, .doc = "second moments of area about d1 and d2: int xi2^2, int xi1^2"},
  {.name = "rotary",  .type = VV_NUMBERS, .unit = "m^4", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "moments of inertia about d1, d2, d3 over the density; default: those of a plane section, bending and their sum"},
};
static const vv_schema general_schema = {"general", general_field, VV_COUNT(general_field), "any section, by its moments"};
#define SHAPES \
  {.name = "square",    .type = VV_GROUP, .sub = &square_schema, .flags = VV_OPTIONAL, .doc = "square section"}, \
  {.name = "rectangle", .type = VV_GROUP, .sub = &rectangle_schema, .flags = VV_OPTIONAL, .doc = "rectangular section"}, \
  {.name = "circle",    .type = VV_GROUP, .sub = &circle_schema, .flags = VV_OPTIONAL, .doc = "full circle"}, \
  {.name = "tube",      .type = VV_GROUP, .sub = &tube_schema, .flags = VV_OPTIONAL, .doc = "hollow circle"}, \
  {.name = "general",   .type = VV_GROUP, .sub = &general_schema, .flags = VV_OPTIONAL, .doc = "any section, by its moments"}
static const vv_field shape_field[] = {SHAPES};
const vv_schema vvi_section_schema = {"section", shape_field, VV_COUNT(shape_field), "exactly one of these"};

static const vv_field area_field[] = {
  {.name = "area",      .type = VV_NUMBER, .unit = "m^2", .lo = 0, .hi = 1e30, .flags = VV_OPTIONAL | VV_OPEN_LO, .doc = "cross-section; this, or one of the shapes"},
  SHAPES,
};
const vv_schema vvi_section_area_schema = {"section", area_field, VV_COUNT(area_field), "constant along the bar: its area, or the shape that has it"};
/* clang-format on */

/* The one of area, square, ... that is given; NULL: none or several. */
static const char *given_shape(const vv_group *section)
{
  const char *word = NULL;
  for (int i = 0; i < VV_COUNT(area_field); i++) {
    if (!vv_has(section, area_field[i].name)) continue;
    if (word != NULL) return NULL;
    word = area_field[i].name;
  }
  return word;
}

vv_status vvi_section_check(const vv_group *section)
{
  const char *word = given_shape(section);
  if (word == NULL) return vv_complain(section, NULL, "give one of area, square, rectangle, circle, tube, general");
  const vv_group *s = word[0] == 't' ? vv_sub(section, word) : NULL;
  if (s != NULL && vv_number(s, "inner") >= vv_number(s, "radius"))
    return vv_complain(s, "inner", "must be less than the outer radius");
  return VV_OK;
}

double vvi_section_area(const vv_group *section)
{
  const char *word = given_shape(section);
  if (word == NULL) return 0.0;
  if (word[0] == 'a') return vv_number(section, "area");
  const vv_group *s = vv_sub(section, word);
  switch (word[0]) {
  case 's':
    return vv_number(s, "side") * vv_number(s, "side");
  case 'r':
    return vv_number(s, "width") * vv_number(s, "height");
  case 'g':
    return vv_number(s, "area");
  default: {
    const double outer = vv_number(s, "radius"), inner = word[0] == 't' ? vv_number(s, "inner") : 0.0;
    return VV_PI * (outer - inner) * (outer + inner);
  }
  }
}
