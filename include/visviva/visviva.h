/* visviva/visviva.h  tier: use.  Everything a program needs to run scenes. */
#pragma once
#include "visviva/base.h"
#include "visviva/ledger.h"
#include "visviva/model.h"
#include "visviva/results.h"
#include "visviva/sim.h"
#include "visviva/sweep.h"
