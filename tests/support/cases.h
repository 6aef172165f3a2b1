/* tests/support/cases.h  The six published impacts of two bars (Demoures et al. 2017, figures 4.2 and 4.3). */
#pragma once
#include "wave.h"

#include <stddef.h>

#define CASES_COUNT   6
#define CASES_TOUCH   0.1   /* time of first contact: the clearance is CASES_TOUCH (vA - vB) */
#define CASES_DT      0.015 /* published step */
#define CASES_END     40.0  /* published end */
#define CASES_TEXT_SZ 2048  /* enough for the scene text of any case */

/* One row of the published table; index 0 is the left bar A, 1 the right bar B.  Section area 1 everywhere. */
typedef struct cases_row {
  double length[2], density[2], young[2], element[2], velocity[2];
} cases_row;

/* What to run.  Zero and NULL mean the published value: lumped tips, slab jump, step, end and elements. */
typedef struct cases_def {
  int number;          /* 1 to 6 */
  const char *tips;    /* lumped | split | cell */
  const char *jump;    /* slab | nodal | modified */
  const char *step;    /* event | leapfrog */
  double dt, end;      /* time step and end */
  double touch;        /* time of first contact */
  int elements[2];     /* of A and B */
  double shift;        /* velocity added to both bars (Galilean boost) */
  const char *contact; /* further words of the contact, after a comma */
  const char *method;  /* further words of the method, after a comma */
  const char *extra;   /* further lines of the scene, each ending in a newline */
} cases_def;

const cases_row *cases_row_of(int number); /* NULL unless 1 <= number <= 6 */
int cases_elements(int number, int side);
double cases_gap(const cases_def *def);

/* Writes the scene as YAML, ends in NUL; false when number is unknown or size too small. */
bool cases_scene(const cases_def *def, char *text, size_t size);

/* The exact solution of the same case, up to def->end. */
bool cases_wave(const cases_def *def, wave_bars *w);
