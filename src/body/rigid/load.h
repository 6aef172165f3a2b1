/* body/rigid/load.h  What a load does to a body.  Accelerators compile the same text, as OpenCL C: no header of the C library, no
 * guard by pragma. */
#ifndef VVI_RIGID_LOAD_H
#define VVI_RIGID_LOAD_H

/* Force and moment about the centre of mass on a body turned by r, in space, of a load of this size; value: force and moment. */
static inline void rigid_load_on(double size, bool follower, const double *value, const double at[3], const double r[9],
                                 double force[3], double moment[3])
{
  double arm[3], lever[3];
  vvi_apply33(r, at, arm);
  for (int c = 0; c < 3; c++) {
    force[c] = size * (follower ? vvi_dot3(r + 3 * c, value) : value[c]);
    moment[c] = size * (follower ? vvi_dot3(r + 3 * c, value + 3) : value[3 + c]);
  }
  vvi_cross3(arm, force, lever);
  for (int c = 0; c < 3; c++) moment[c] += lever[c];
}
#endif
