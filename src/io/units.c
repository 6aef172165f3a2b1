/* io/units.c  Writes units in the names of the scene: "J" in mm, g, ms is "g mm^2/ms^2". */
#include "io/units.h"

#include <stdio.h>
#include <string.h>

typedef struct unit_row {
  const char *name;
  signed char mass, length, time;
} unit_row;

static const unit_row table[] = {
    {"m", 0, 1, 0},       {"kg", 1, 0, 0},     {"s", 0, 0, 1},       {"m/s", 0, 1, -1},    {"m/s^2", 0, 1, -2},
    {"1/m", 0, -1, 0},    {"1/s", 0, 0, -1},   {"rad/s", 0, 0, -1},  {"rad/m", 0, -1, 0},  {"N", 1, 1, -2},
    {"J", 1, 2, -2},      {"Pa", 1, -1, -2},   {"N s", 1, 1, -1},    {"kg m/s", 1, 1, -1}, {"kg m^2/s", 1, 2, -1},
    {"N m", 1, 2, -2},    {"N m s", 1, 2, -1}, {"kg/m^3", 1, -3, 0}, {"m^2", 0, 2, 0},     {"m/N", -1, 0, 2},
    {"N/m^2", 1, -1, -2}, {"m^4", 0, 4, 0},    {"kg m^2", 1, 2, 0},  {"N/m", 1, 0, -2},    {"J/m^2", 1, 0, -2},
    {"N/m^3", 1, -2, -2}};

static void append(char *out, size_t room, const char *between, const char *name, int power)
{
  const size_t used = strlen(out);
  if (power == 1)
    snprintf(out + used, room - used, "%s%s", between, name);
  else
    snprintf(out + used, room - used, "%s%s^%d", between, name, power);
}

/* A unit is one cell of a line of units: what would end the cell or the line is a blank. */
static char *as_cell(char *text)
{
  for (char *c = text; *c != '\0'; c++)
    if (*c == ',' || *c == '"' || (unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
  return text;
}

const char *vvi_unit(const vv_model *model, const char *unit, char out[VVI_UNIT_BYTES])
{
  const vv_group *g = vv_sub(model->root, "units");
  const char *name[3] = {vv_text(g, "mass"), vv_text(g, "length"), vv_text(g, "time")};
  snprintf(out, VVI_UNIT_BYTES, "%s", unit);
  if (strcmp(name[0], "kg") == 0 && strcmp(name[1], "m") == 0 && strcmp(name[2], "s") == 0) return out;
  const unit_row *row = NULL;
  for (int i = 0; i < VV_COUNT(table); i++)
    if (strcmp(table[i].name, unit) == 0) row = &table[i];
  if (row == NULL) return out;
  const int power[3] = {row->mass, row->length, row->time};
  out[0] = '\0';
  for (int i = 0; i < 3; i++)
    if (power[i] > 0) append(out, VVI_UNIT_BYTES, out[0] != '\0' ? " " : "", name[i], power[i]);
  if (out[0] == '\0') snprintf(out, VVI_UNIT_BYTES, "1");
  for (int i = 0; i < 3; i++)
    if (power[i] < 0) append(out, VVI_UNIT_BYTES, "/", name[i], -power[i]);
  return as_cell(out);
}
