/* body/bar/bar.cl  Kicks and drifts of bars; as bar.c does.  LINEAR: 1 where all springs are. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* The force of the spring behind node i. */
static double spring(__global const double *real, int stride, __global const double *u, int i)
{
  const double k = real[BAR_STIFFNESS * stride + i], du = u[i + 1] - u[i];
  return LINEAR ? k * du : bar_spring(real[BAR_LAW * stride + i], k, real[BAR_SPAN * stride + i], du);
}

/* What a node feels of its springs.  edge: 1: the first node of a slice, 2: the last, 3: both. */
static double springs(__global const double *real, int stride, __global const double *u, int i, int edge)
{
  const double right = edge & 2 ? 0.0 : spring(real, stride, u, i);
  const double left = edge & 1 ? 0.0 : spring(real, stride, u, i - 1);
  return right - left;
}

/* kicks of length h_kick, then a drift of length h (0: none), from u and p to u_out and p. */
__kernel void sweep(int nodes, __global const uchar *edge, __global const double *real, int stride, double h_kick,
                    int kicks, double h, int from_nothing, __global const double *u, __global double *p,
                    __global double *u_out)
{
  const int i = (int)get_global_id(0);
  if (i >= nodes) return;
  double P = from_nothing ? 0.0 : p[i];
  if (edge[i] != 3) { /* without a spring nothing kicks */
    const double f = h_kick * springs(real, stride, u, i, edge[i]);
    P += f;
    if (kicks == 2) P += f;
  }
  p[i] = P;
  if (h != 0.0) u_out[i] = u[i] + h * (real[BAR_INVERSE_MASS * stride + i] * P);
}

__kernel void drift(int nodes, __global const double *real, int stride, double h, __global double *u,
                    __global const double *p)
{
  const int i = (int)get_global_id(0);
  if (i < nodes) u[i] += h * (real[BAR_INVERSE_MASS * stride + i] * p[i]);
}

/* The ends of bodies that are held keep their momenta in a kick: before it they are put aside. */
__kernel void aside(int bodies, __global const int *held, __global const double *p, int from_nothing,
                    __global double *kept)
{
  const int j = (int)get_global_id(0);
  for (int e = 0; j < bodies && e < 2; e++)
    if (held[2 * j + e] >= 0) kept[2 * j + e] = from_nothing ? 0.0 : p[held[2 * j + e]];
}

/* Gravity along the bars. */
__kernel void weigh(int nodes, __global const int *body_of, __global const double *gravity, __global const double *real,
                    int stride, double h, __global double *p)
{
  const int i = (int)get_global_id(0);
  if (i >= nodes) return;
  const double g = gravity[body_of[i]];
  if (g != 0.0) p[i] += h * (real[BAR_MASS * stride + i] * g);
}

/* Loads of every body in their order, then its ends get back what they had.  size: value and history of the loads. */
__kernel void loads(int bodies, __global const int *first, __global const int *node, __global const double *value,
                    __global const double *size, double h, __global const int *held, __global const double *kept,
                    __global double *p)
{
  const int j = (int)get_global_id(0);
  if (j >= bodies) return;
  for (int l = first[j]; l < first[j + 1]; l++) p[node[l]] += h * value[l] * size[l];
  for (int e = 0; e < 2; e++)
    if (held[2 * j + e] >= 0) p[held[2 * j + e]] = kept[2 * j + e];
}
