/* bench/peers/mujoco.c  The questions of peer.h for MuJoCo (rod only: its piles of many bodies need dense arrays).
 * MuJoCo has no restitution: contacts are springs.  Settings: "euler" or "rk4", undamped springs with a contact time of
 * ten steps; "rk4-20ms": of 20 ms. */
#include "peer.h"

#include <mujoco/mujoco.h>

typedef struct mj_world {
  mjModel *m;
  mjData *d;
} mj_world;

static void step(void *data, double dt)
{
  mj_world *w = data;
  (void)dt;
  mj_step(w->m, w->d);
}

static double energy(void *data)
{
  mj_world *w = data;
  mj_energyVel(w->m, w->d);
  return w->d->energy[1];
}

int main(int argc, char **argv)
{
  char text[8192], error[500] = "";
  if (argc < 6 || strcmp(argv[1], "rod") != 0) return 1;
  const double dt = atof(argv[3]), contact = strcmp(argv[2], "rk4-20ms") == 0 ? 0.02 : 10.0 * dt;
  const double stiffness = pow(3.14159265358979 / contact, 2.0);
  const int ball = strcmp(argv[5], "ball") == 0;
  int n = snprintf(text, sizeof text,
                   "<mujoco><option timestep='%.17g' integrator='%s' gravity='0 0 0' cone='elliptic'>"
                   "<flag energy='enable'/></option><default><geom friction='0 0 0' condim='1' "
                   "solref='%.17g 0' solimp='0.99 0.99 1e-6'/></default><worldbody>",
                   dt, strcmp(argv[2], "euler") == 0 ? "Euler" : "RK4", -stiffness);
  for (int i = 0; i < 6; i++) {
    const int axis = i / 2, sign = i % 2 ? -1 : 1;
    const double z[3] = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
    const double q[6][4] = {{.70710678118654752, 0, .70710678118654752, 0},
                            {.70710678118654752, 0, -.70710678118654752, 0},
                            {.70710678118654752, -.70710678118654752, 0, 0},
                            {.70710678118654752, .70710678118654752, 0, 0},
                            {1, 0, 0, 0},
                            {0, 1, 0, 0}};
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "<geom type='plane' size='5 5 1' pos='%g %g %g' quat='%.17g %.17g %.17g %.17g'/>", -z[0], -z[1],
                  -z[2], q[i][0], q[i][1], q[i][2], q[i][3]);
  }
  snprintf(text + n, sizeof text - (size_t)n,
           "<body><freejoint/><geom type='%s' size='%s' mass='1'/></body></worldbody></mujoco>",
           ball ? "sphere" : "box", ball ? "0.1" : "0.5 0.025 0.025");
  char name[] = "/tmp/visviva-peer-XXXXXX.xml";
  const int fd = mkstemps(name, 4);
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (f == NULL) return 1;
  fputs(text, f);
  fclose(f);
  mj_world w = {.m = mj_loadXML(name, NULL, error, sizeof error)};
  remove(name);
  if (w.m == NULL) {
    fprintf(stderr, "mujoco: %s\n", error);
    return 1;
  }
  w.d = mj_makeData(w.m);
  const double v[6] = {1, 0.7, 0.4, 1, 2, 0.5}; /* free joint: spin in the axes of the body, here those of space */
  memcpy(w.d->qvel, v, sizeof v);
  mj_forward(w.m, w.d);
  run_rod(&w, step, energy, dt, atol(argv[4]));
  return 0;
}
