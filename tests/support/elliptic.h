/* tests/support/elliptic.h  Elliptic functions, for the exact pendulum. */
#pragma once

double elliptic_sn(double u, double k); /* by the arithmetic-geometric mean */
double elliptic_quarter(double k);      /* K(k), a quarter of the period of sn */
