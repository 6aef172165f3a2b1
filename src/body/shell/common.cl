/* body/shell/common.cl  What the kernels of shells share.  The host puts formulas.h and moves.h behind it.
 *
 * Tables say what tiles.c has found: a tile is worked on by one group of work-items, and everything is added in the order in
 * which the processor does it, so that the bits agree.  device.c writes them; columns.h names their columns. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#ifndef SHEET_REALS /* kernels of shells that flow have all of it, from inner.h */
typedef enum shell_law { SHELL_STVK, SHELL_NEO_HOOKE } shell_law;
/* The constants of a body that the formulas ask for: device.c sends them in this order. */
typedef struct shell_body {
  double poisson, membrane, bend, mu, lambda, neo, lever, thickness, law;
} shell_body;
#define BODY_REALS  9
#define SHELL_A     162.0
#define SHELL_SPACE
#define FN(name)    name
#endif

#define REAL       double
#define ROOT(x)    (x) = sqrt(x)
#define LANES      1
#define LANE(x, i) (x)

enum { SHELL_PAIR = 14, SHELL_SOURCES = 12, SLICE = 32, GHOST_REALS = 6 + 2 * SHELL_SOURCES, GHOST_INTS = 1 + SHELL_SOURCES };
enum { NOTHING, KICK, STRIDE };
enum { SHELL_SUMS = 11 }; /* of a tile: kinetic, strain, potential, |p|, |L|, p, L */
