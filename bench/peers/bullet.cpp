// bench/peers/bullet.cpp  The questions of peer.h for Bullet.
// Settings: "default"; "threshold0" (restitution velocity threshold 0); "nogyro"; piles: the number of solver iterations.
#include "peer.h"

#include <btBulletDynamicsCommon.h>

struct World {
  btDefaultCollisionConfiguration config;
  btCollisionDispatcher dispatcher{&config};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &config};
  btRigidBody *body = nullptr, *top = nullptr;
};

static btRigidBody *add(World &w, btCollisionShape *shape, double mass, const btVector3 &at, double e, double mu)
{
  btVector3 inertia(0, 0, 0);
  if (mass > 0) shape->calculateLocalInertia(mass, inertia);
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
  info.m_startWorldTransform.setIdentity();
  info.m_startWorldTransform.setOrigin(at);
  info.m_restitution = e;
  info.m_friction = mu;
  auto *b = new btRigidBody(info);
  b->setDamping(0, 0);
  b->setActivationState(DISABLE_DEACTIVATION);
  w.world.addRigidBody(b);
  return b;
}

static void step(void *world, double dt)
{
  static_cast<World *>(world)->world.stepSimulation(dt, 0);
}

static double energy(void *world)
{
  const btRigidBody *b = static_cast<World *>(world)->body;
  const btVector3 v = b->getLinearVelocity();
  const btVector3 w = b->getWorldTransform().getBasis().transpose() * b->getAngularVelocity(), l = b->getLocalInertia();
  return 0.5 * (v.dot(v) / b->getInvMass() + l.x() * w.x() * w.x() + l.y() * w.y() * w.y() + l.z() * w.z() * w.z());
}

static double height(void *world)
{
  const World *w = static_cast<World *>(world);
  return w->top ? w->top->getWorldTransform().getOrigin().z() : 0.0;
}

static void make_rod(World &w, const char *setting, const char *shape)
{
  w.world.setGravity(btVector3(0, 0, 0));
  for (int i = 0; i < 6; i++) {
    btVector3 n(0, 0, 0);
    n[i / 2] = i % 2 ? -1 : 1;
    add(w, new btStaticPlaneShape(n, -1), 0, btVector3(0, 0, 0), 1, 0);
  }
  btCollisionShape *s = strcmp(shape, "ball") == 0 ? (btCollisionShape *)new btSphereShape(0.1)
                                                   : (btCollisionShape *)new btBoxShape(btVector3(0.5, 0.025, 0.025));
  s->setMargin(strcmp(shape, "ball") == 0 ? s->getMargin() : 0.005);
  w.body = add(w, s, 1, btVector3(0, 0, 0), 1, 0);
  w.body->setLinearVelocity(btVector3(1, 0.7, 0.4));
  w.body->setAngularVelocity(btVector3(1, 2, 0.5));
  if (strcmp(setting, "threshold0") == 0) w.world.getSolverInfo().m_restitutionVelocityThreshold = 0;
  if (strcmp(setting, "nogyro") == 0) w.body->setFlags(0), w.world.getSolverInfo().m_restitutionVelocityThreshold = 0;
}

static void make_boxes(World &w, int n, bool pile, const char *setting)
{
  const int k = cube_root(n);
  auto *box = new btBoxShape(btVector3(0.5, 0.5, 0.5));
  w.world.setGravity(btVector3(0, 0, pile ? -9.81 : 0));
  if (atoi(setting) > 0) w.world.getSolverInfo().m_numIterations = atoi(setting);
  if (pile) add(w, new btStaticPlaneShape(btVector3(0, 0, 1), 0), 0, btVector3(0, 0, 0), 0, 0.5);
  for (int i = 0; i < k * k * k; i++) {
    const btVector3 at(1.5 * (i % k), 1.5 * (i / k % k), pile ? 0.52 + 1.02 * (i / k / k) : 1.5 * (i / k / k));
    w.top = add(w, box, 1, at, 0, 0.5);
    if (!pile) w.top->setAngularVelocity(btVector3(0.1, 0.2, 0.3));
  }
}

int main(int argc, char **argv)
{
  World *w = new World;
  if (argc < 6) return 1;
  const bool rod = strcmp(argv[1], "rod") == 0, pile = strcmp(argv[1], "pile") == 0;
  if (rod) {
    make_rod(*w, argv[2], argc > 5 ? argv[5] : "rod");
    run_rod(w, step, energy, atof(argv[3]), atol(argv[4]));
  } else {
    make_boxes(*w, atoi(argv[3]), pile, argv[2]);
    run_pile(w, step, height, atof(argv[4]), atol(argv[5]), atoi(argv[3]), pile ? (int)(2 / atof(argv[4])) : 10);
  }
}
