/* contact/friction.h  Coulomb's disc at one contact. */
#pragma once
#include <stdbool.h>

/* x.A y of a symmetric A = xx yy zz yz xz xy. */
double vvi_form(const double a[6], const double x[3], const double y[3]);
/* Tangential impulse across the unit normal n: what is there in `slide` (its normal part dropped), plus what stops the
 * relative velocity w under the inverse mass a, cut to the disc of radius limit.  change: new minus old.  True: it was not
 * cut, the contact sticks. */
bool vvi_rub(const double a[6], const double n[3], const double w[3], double limit, double slide[3], double change[3]);
