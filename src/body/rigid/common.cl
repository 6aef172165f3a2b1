/* body/rigid/common.cl  What the kernels of rigid bodies need: the host puts the headers of the C sources behind it. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define REAL                       double
#define FN(name)                   name##_double
#define MASK                       int
#define CHOOSE(m, yes, no)         ((m) ? (yes) : (no))
#define ALL(m)                     (m)
#define HALF_TURN(t, sine, versed) half_turn_double(&(t), &(sine), &(versed))
