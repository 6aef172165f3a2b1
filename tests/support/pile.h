/* tests/support/pile.h  Islands of contacts made by hand: points, boxes, and contacts between them with any number of legs.
 * The law is judged here from masses, arms and impulses alone. */
#pragma once
#include "contact/island/island.h"
#include "math/math.h"

#include <stdbool.h>

typedef struct pile {
  vvi_arena arena;
  vvi_island_work *work;
  vvi_island_problem p;
  vvi_island_stats stats;
  int32_t most_movers, most_contacts, most_legs, legs;
  double (*inverse)[12];
  double (*place)[3];
  double (*free)[6]; /* [movers] velocity without contact */
  double *mass;
  vvi_leg *leg;
} pile;

/* One side of a contact: movers and weights; a frame takes the moment about its place. */
typedef struct pile_side {
  int n;
  const int *mover;
  const double *weight;
} pile_side;

pile *open_pile(int movers, int contacts, int legs);
void close_pile(pile *k);
int add_point(pile *k, double mass, const double x[3]);
/* A box with these edges. */
int add_box(pile *k, double mass, const double x[3], const double edge[3]);
/* A contact at x, n from a to b (mover < 0: fixed), b_n asked for. */
int add_contact(pile *k, int a, int b, const double x[3], const double n[3], double friction, double asked);
int add_contact_of(pile *k, pile_side a, pile_side b, const double x[3], const double n[3], double friction,
                   double asked);
/* Free velocities of the contacts from those of the movers. */
void see_free(pile *k);
/* All free velocities -v along z, and see_free. */
void let_fall(pile *k, double v);
void forget(pile *k); /* all impulses to zero */
void solve_pile(pile *k, int threads);
/* Box b on box a (a < 0: floor): four corners of the common rectangle of their faces. */
void add_face(pile *k, int a, int b, const double low[2], const double high[2], double z, double friction);
void add_stack(pile *k, int n, double mass, double top, double friction);
/* Courses of n and n - 1 bricks in turn, each on two halves. */
void add_wall(pile *k, int n, int courses, double friction);
/* How far the answer is from the law, as a velocity: gap, complementarity, cone, and dissipation that is not the largest. */
double off_law(const pile *k);
double tolerance_of(const pile *k); /* max(1e-13 speed, 4e-15 max A |J|) */
/* T(Vf + change) - T(V-) for V- given: what the impulses did to the kinetic energy. */
double work_of(const pile *k, const double *before_contacts);
