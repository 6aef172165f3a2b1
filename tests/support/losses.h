/* tests/support/losses.h  What materials lose in a run: columns step by step, fields of elements, one number for all bits. */
#pragma once
#include "run.h"

typedef struct losses {
  double plastic, viscous, damage; /* J: booked so far */
  double least, healed;            /* of any step's posting of the first two, and of the third, J */
} losses;

/* (h^2/8) F.M^-1 F of all bodies that bend [mat 3]: what the energy at whole steps swings by while the step's own stays. */
double losses_swing(const vv_view *v, double h);

/* An observer; user: a losses, or a struct that begins with one. */
vv_status losses_look(const vv_view *v, void *user);
/* A field of the elements of body 0, and its mean. */
double *losses_field(const run_record *r, const char *field, int64_t *n);
double losses_mean(const run_record *r, const char *field);
/* State and books. */
uint64_t losses_hash(const run_record *r);
