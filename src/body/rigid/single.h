/* body/rigid/single.h  The formulas of a flight for one body at a time. */
#pragma once
#include "body/rigid/turn.h"

#define REAL                       double
#define FN(name)                   name##_double
#define MASK                       int
#define CHOOSE(m, yes, no)         ((m) ? (yes) : (no))
#define ALL(m)                     (m)
#define HALF_TURN(t, sine, versed) half_turn_double(&(t), &(sine), &(versed))
#include "body/rigid/formulas.h"
#undef REAL
#undef FN
#undef MASK
#undef CHOOSE
#undef ALL
#undef HALF_TURN
#include "body/rigid/flight.h"
