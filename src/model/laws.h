/* model/laws.h  The constants of what materials do beside being elastic.  All structs hold doubles alone, so that they live in
 * body_real.  Accelerators compile the same text, as OpenCL C: no header of the C library, no guard by pragma. */
#ifndef VVI_LAWS_H
#define VVI_LAWS_H

/* Where kernels keep them; nothing in C. */
#ifndef VVI_LAW_SPACE
#define VVI_LAW_SPACE
#endif

enum { VVI_PIECES = 16, VVI_BRANCHES = 8 };

/* Yield stress over the plastic strain alpha: y + sum slope_k max(0, alpha - at_k), a polygon; times a factor of the rate. */
typedef struct vvi_plastic {
  double yield;     /* Pa; 0: never flows */
  double kinematic; /* Pa: modulus of linear kinematic hardening in tension */
  double pieces;
  double at[VVI_PIECES], slope[VVI_PIECES];
  double rate_law; /* vvi_rate_law */
  double rate;     /* 1/s: of reference */
  double exponent; /* Cowper-Symonds: its exponent.  Johnson-Cook: its coefficient */
} vvi_plastic;
typedef enum vvi_rate_law { VVI_NO_RATE, VVI_COWPER_SYMONDS, VVI_JOHNSON_COOK } vvi_rate_law;

/* Maxwell branches beside the elastic law: part times its stiffness behind a dashpot of relaxation time `time`. */
typedef struct vvi_damping {
  double mass;      /* 1/s: p' = -mass p */
  double stiffness; /* s: of Kelvin and Voigt */
  double bulk;      /* 1: of the critical viscosity of an element */
  double branches;
  double time[VVI_BRANCHES]; /* s */
  double part[VVI_BRANCHES]; /* 1 */
} vvi_damping;

/* Softening from a plastic strain or a stress on; energy 0: at once. */
typedef struct vvi_failure {
  double strain;    /* 1: of the plastic strain; 0: not by it */
  double stress;    /* Pa: tension; 0: not by it */
  double energy;    /* J/m^2 of broken section */
  double begin;     /* Pa: stress at which it softens */
  double softening; /* 1/m: what is lost of it per plastic strain and length of an element */
} vvi_failure;

/* What a return map gives. */
typedef struct vvi_returned {
  double x, y;   /* factors of the two parts of the stress */
  double dalpha; /* growth of the plastic strain; 0: it stays elastic */
  double theta;
} vvi_returned;
#endif
