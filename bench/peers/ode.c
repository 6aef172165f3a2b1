/* bench/peers/ode.c  The questions of peer.h for ODE, double precision.
 * Settings: "step" (dWorldStep), "quick" (dWorldQuickStep); piles: the number of QuickStep iterations. */
#include "peer.h"

#include <ode/ode.h>

enum { CONTACTS = 16 };

typedef struct ode_world {
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
  dBodyID body;
  double restitution, friction;
  int quick;
} ode_world;

static void near(void *data, dGeomID a, dGeomID b)
{
  ode_world *w = data;
  dContact c[CONTACTS];
  memset(c, 0, sizeof c);
  const int n = dCollide(a, b, CONTACTS, &c[0].geom, sizeof(dContact));
  for (int i = 0; i < n; i++) {
    c[i].surface.mode = w->restitution > 0.0 ? dContactBounce : 0;
    c[i].surface.mu = w->friction;
    c[i].surface.bounce = w->restitution;
    c[i].surface.bounce_vel = 0.0;
    dJointAttach(dJointCreateContact(w->world, w->group, &c[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static void step(void *data, double dt)
{
  ode_world *w = data;
  dSpaceCollide(w->space, w, near);
  if (w->quick)
    dWorldQuickStep(w->world, dt);
  else
    dWorldStep(w->world, dt);
  dJointGroupEmpty(w->group);
}

static double energy(void *data)
{
  const ode_world *w = data;
  const dReal *v = dBodyGetLinearVel(w->body), *s = dBodyGetAngularVel(w->body);
  dVector3 local;
  dMass m;
  dBodyGetMass(w->body, &m);
  dBodyVectorFromWorld(w->body, s[0], s[1], s[2], local);
  double e = m.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; i++) e += m.I[5 * i] * local[i] * local[i];
  return 0.5 * e;
}

static double height(void *data)
{
  const ode_world *w = data;
  return dBodyGetPosition(w->body)[2];
}

static void add_box(ode_world *w, double x, double y, double z, double mass, const double size[3])
{
  dMass m;
  dGeomID g = dCreateBox(w->space, size[0], size[1], size[2]);
  w->body = dBodyCreate(w->world);
  dMassSetBoxTotal(&m, mass, size[0], size[1], size[2]);
  dBodySetMass(w->body, &m);
  dGeomSetBody(g, w->body);
  dBodySetPosition(w->body, x, y, z);
}

static void make_rod(ode_world *w, const char *shape)
{
  const double size[3] = {1, 0.05, 0.05};
  w->restitution = 1.0;
  for (int i = 0; i < 6; i++) {
    double n[3] = {0, 0, 0};
    n[i / 2] = i % 2 ? -1 : 1;
    dCreatePlane(w->space, n[0], n[1], n[2], -1);
  }
  if (strcmp(shape, "ball") == 0) {
    dMass m;
    dGeomID g = dCreateSphere(w->space, 0.1);
    w->body = dBodyCreate(w->world);
    dMassSetSphereTotal(&m, 1, 0.1);
    dBodySetMass(w->body, &m);
    dGeomSetBody(g, w->body);
  } else {
    add_box(w, 0, 0, 0, 1, size);
  }
  dBodySetLinearVel(w->body, 1, 0.7, 0.4);
  dBodySetAngularVel(w->body, 1, 2, 0.5);
}

static void make_boxes(ode_world *w, int n, int pile, int iterations)
{
  const int k = cube_root(n);
  const double size[3] = {1, 1, 1};
  w->friction = 0.5;
  w->quick = 1;
  dWorldSetQuickStepNumIterations(w->world, iterations > 0 ? iterations : 20);
  if (pile) dWorldSetGravity(w->world, 0, 0, -9.81), dCreatePlane(w->space, 0, 0, 1, 0);
  for (int i = 0; i < k * k * k; i++) {
    add_box(w, 1.5 * (i % k), 1.5 * (i / k % k), pile ? 0.52 + 1.02 * (i / k / k) : 1.5 * (i / k / k), 1, size);
    if (!pile) dBodySetAngularVel(w->body, 0.1, 0.2, 0.3);
  }
}

int main(int argc, char **argv)
{
  ode_world w = {0};
  if (argc < 6) return 1;
  const int rod = strcmp(argv[1], "rod") == 0, pile = strcmp(argv[1], "pile") == 0;
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  w.world = dWorldCreate();
  w.space = dHashSpaceCreate(NULL);
  w.group = dJointGroupCreate(0);
  w.quick = strcmp(argv[2], "quick") == 0;
  dWorldSetAutoDisableFlag(w.world, 0);
  if (rod) {
    make_rod(&w, argv[5]);
    run_rod(&w, step, energy, atof(argv[3]), atol(argv[4]));
  } else {
    make_boxes(&w, atoi(argv[3]), pile, atoi(argv[2]));
    run_pile(&w, step, height, atof(argv[4]), atol(argv[5]), atoi(argv[3]), pile ? (int)(2 / atof(argv[4])) : 10);
  }
  return 0;
}
