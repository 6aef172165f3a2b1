/* body/beam/common.cl  What the kernels of beams share: the host puts the headers of the C sources behind it. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define REAL               double
#define FN(name)           name##_double
#define ROOT(x)            (x) = sqrt(x)
#define MASK               int
#define CHOOSE(m, yes, no) ((m) ? (yes) : (no))
#define ALL(m)             (m)
