/* model/expression.h  Numbers as they are written in a scene: `2*pi`, `1/240`, `3 mm`, `0.5*length`.
 *
 * Every value carries the dimension of its units, and is refused where it does not fit: nothing is guessed.  A number to
 * which no unit was given is plain, and takes the unit of the key it stands for. */
#pragma once
#include "base/base.h"

enum { VVI_DIMENSIONS = 4, VVI_DIM_PART = 12 }; /* length, mass, time, angle; powers are counted in twelfths */

typedef struct vvi_quantity {
  double value, up, down;  /* value * up / down in SI; up and down are products of units, so that 7 mm is 7/1000 */
  int dim[VVI_DIMENSIONS]; /* powers of m, kg, s, rad, times VVI_DIM_PART */
  bool plain;              /* no unit took part */
} vvi_quantity;

typedef struct vvi_parameter {
  const char *name;
  vvi_quantity value;
} vvi_parameter;

/* What the names in an expression mean, and the units that its value is wanted in. */
typedef struct vvi_scope {
  const vvi_parameter *parameter; /* [n] */
  int n;
  const char *unit[3]; /* the scene's units of length, mass and time */
} vvi_scope;

typedef struct vvi_mishap {
  char text[160]; /* what is wrong, and what to write instead */
} vvi_mishap;

/* false: text is no expression, and mishap says why. */
bool vvi_expression_read(const vvi_scope *scope, const char *text, vvi_quantity *out, vvi_mishap *mishap);

/* The number that a quantity is for a key with this unit ("m", "kg/m^3", "1"; NULL: the key takes plain numbers alone). */
bool vvi_expression_fit(const vvi_scope *scope, const vvi_quantity *q, const char *unit, double *out,
                        vvi_mishap *mishap);

/* A key whose unit is that of what it bounds takes any: the number in units of the scene, and its unit as text; empty: plain. */
#define VVI_ANY_UNIT "as measured"
enum { VVI_UNIT_TEXT = 96 };
bool vvi_expression_any(const vvi_scope *scope, const vvi_quantity *q, double *out, char unit[VVI_UNIT_TEXT],
                        vvi_mishap *mishap);
bool vvi_units_agree(const char *a, const char *b); /* two units of one dimension */

/* Length of the plain decimal number at the start of the text: [+-] digits [. digits] [e [+-] digits]. */
size_t vvi_number_length(const char *text);
/* Why a parameter may not have this name; NULL: it may. */
const char *vvi_parameter_refuse(const char *name);
