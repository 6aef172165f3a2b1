/* tests/mixed/judge.h  Runs a mixed scene and judges it by what can be measured from outside: places, momenta and energies of
 * the state itself.  What the engine says of losses is taken at its word only where that word is what is judged.
 *
 * The energy is H = kinetic + strain + potential, audited from q and p alone.  A leapfrog does not keep H but, on a linear
 * system, H - (h^2/8) F.M^-1 F [ledger 6]: between impacts H swings by as much as
 *   swing = (h^2/8) F.M^-1 F = (h^2/4) K(q, F),   K(q, p) the kinetic energy of the momenta p,
 * which is computed in every step from the forces of the bodies (no contact in them).  The band is the largest swing so far,
 * twice for what is not linear, and rounding.  It cannot feed on an error: swing <= (h/h_stable)^2 times the strain energy.
 * What leaves the band may still be of second order: then half the step must take at least two thirds of it. */
#pragma once
#include "scenes.h"

#define MIXED_FAULTS(X)                                                                                          \
  X(REFUSED, "refused", "the scene is refused")                                                                  \
  X(STOPPED, "stopped", "the run ends before its time")                                                          \
  X(ENERGY, "energy", "H rises above the start")                                                                 \
  X(BOOKS, "books", "H with the booked losses rises from some step to a later one")                              \
  X(SHRINKS, "shrinks", "a booked loss shrinks")                                                                 \
  X(KEPT, "kept", "restitution 1, no friction, and yet H falls")                                                 \
  X(WORK, "work", "work from outside is booked, where nothing outside does any")                                 \
  X(MOMENTUM, "momentum", "momenta do not close with what gravity and supports gave")                            \
  X(SUPPORT, "support", "the floor pulls, or rubs by more than friction allows, or momentum comes from nowhere") \
  X(OVERLAP, "overlap", "two bodies, or a body and the floor, overlap")                                          \
  X(MISSES, "misses", "a body is not touched, or has passed another")                                            \
  X(RUBS, "rubs", "friction takes nothing, or something where there is none")                                    \
  X(SILENT, "silent", "a booked loss shrinks, and the claim `losses` does not say so")

#define MIXED_ENUM(name, word, text) MIXED_##name,
enum { MIXED_FAULTS(MIXED_ENUM) MIXED_FAULT_KINDS };
#undef MIXED_ENUM

typedef struct mixed_verdict {
  unsigned faults;   /* 1 << MIXED_... */
  double scale;      /* J: what the scene was given */
  double final;      /* J: H at the end less that at the start */
  double losses;     /* J: booked */
  double band;       /* J */
  double excess;     /* J: most that H was above the start */
  double rise;       /* J: most that H with losses rose */
  double deficit;    /* J: most that H was below the start, where it must not be */
  double shrink;     /* J: largest fall of a loss from step to step */
  double momentum;   /* worst relative drift of both momenta */
  double support;    /* N s over the momenta */
  double depth;      /* m */
  double half[3];    /* J: excess, rise, deficit at half the step; not a number: not asked for */
  double half_final; /* J: H at the end at half the step, less that at the start */
  double seconds;    /* of processor time */
  int64_t impacts;
  char message[256]; /* why it was refused or stopped */
} mixed_verdict;

/* halve: also run at half the step, and report. */
void mixed_judge(const mixed_scene *scene, bool halve, mixed_verdict *out);
/* The same with everything printed: the scene, the numbers, rows about the first fault of each kind. */
void mixed_tell(const mixed_scene *scene, mixed_verdict *out);
/* "energy overlap": the words of a verdict. */
const char *mixed_words_of(unsigned faults, char *out, size_t size);
