/* contact/response/reflect.c  Reflection of the normal momentum in the kinetic metric, with restitution.           [bars 15] */
#include "visviva/ext.h"

/* r = -(1 + e) u/a turns the approach speed u into -e u; (1 - e^2) u^2/(2 a) is lost.  Pairs that separate get nothing. */
static void solve(int n, const double *u, const double *a, const double *e, double *impulse, double *loss)
{
  for (int i = 0; i < n; i++) {
    const bool acts = u[i] < 0.0 && a[i] > 0.0;
    impulse[i] = acts ? -(1.0 + e[i]) * u[i] / a[i] : 0.0;
    loss[i] = acts ? 0.5 * (1.0 - e[i] * e[i]) * u[i] * u[i] / a[i] : 0.0;
  }
}

const vv_response_kind vv_reflect_response = {
    .name = "reflect",
    .doc = "the normal momentum is turned around; restitution says how much comes back",
    .claims = VV_KEEPS_ENERGY | VV_KEEPS_MOMENTUM | VV_REVERSIBLE,
    .solve = solve,
};
