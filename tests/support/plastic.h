/* tests/support/plastic.h  Cases of plastic and damped bodies with known answers: scenes, exact solutions and what is measured.
 * Shared by the tests and the validation book. */
#pragma once
#include "visviva/book.h"
#include "visviva/visviva.h"

#include <stddef.h>

#define PLASTIC_ALUMINIUM "young: 70e9, poisson: 0.33, density: 2700"

/* A bar of length 1 with E = rho = A = 1, yield 0.01 and hardening 0.1 flies against a wall with v times v_y = 0.01: front tracking
 * with Riemann problems.  Plastic work over the energy, shortening over the length, release c/L.                  [mat 20] */
typedef struct plastic_rebound {
  double v, restitution, plastic, shortening, release;
} plastic_rebound;
enum { PLASTIC_REBOUNDS = 3 };
extern const plastic_rebound plastic_rebounds[PLASTIC_REBOUNDS];
/* more: further keys of the bar, after a comma. */
void plastic_rebound_scene(double v, int elements, double safety, double restitution, const char *more, char *text,
                           size_t size);
/* When the wall has given all but a thousandth of its impulse. */
double plastic_release(int n, const double *time, const double *impulse);

/* A copper bar, 32.4 mm long and 6.4 mm thick, on a rigid wall with 227 m/s, 239.61 J; flows: yield 400 MPa, hardening 100 MPa. */
void plastic_wall_scene(int elements, bool flows, char *text, size_t size);

/* A strip bent to k = k_y/x and let go: the curvature that is left, over k; theory: 1 - 3x/2 + x^3/2.  NAN: no memory. */
void plastic_strip_scene(int points, char *text, size_t size);
double plastic_spring_back(const vv_model *model, vv_state *state, double x);
/* Mean energy per area of the elements of a sheet away from its border. */
double plastic_sheet_energy(const vv_model *model, const vv_state *state, const double *rest);

/* A sphere under a pulse of inner pressure: the plastic strain that stays, by its one equation of motion.          [mat 16] */
void plastic_sphere_scene(int frequency, char *text, size_t size);
double plastic_sphere_exact(void);

/* A clamped disc of a perfectly plastic material is thrown at once, V R sqrt(rho/yield)/h = 10: mean deflection of the centre of the
 * surface when it swings about its new shape, over 10 h. */
typedef struct plastic_centre {
  double sum;
  int64_t centre, ring[6], n; /* nodes; samples */
} plastic_centre;
void plastic_disc_scene(int rings, double safety, char *text, size_t size);
/* The node at the centre and those around it. */
void plastic_disc_find(const vv_model *model, const vv_state *state, plastic_centre *out);
vv_status plastic_disc_look(const vv_view *v, void *user);
double plastic_disc_deflection(const plastic_centre *w);

/* Damping ratio of a vibration from the energies at two of its turns, ten periods apart. */
typedef struct plastic_swing {
  double before, first, last; /* momentum; energies */
  int turns;
} plastic_swing;
void plastic_swing_look(plastic_swing *w, double momentum, double energy);
double plastic_swing_ratio(const plastic_swing *w);
/* A cantilever of which the first vibration is plucked, and a sphere that breathes; damping: keys of `damping`, of a band from..to
 * times its frequency with a ratio of 2 % where from > 0. */
double plastic_cantilever_period(void);
void plastic_cantilever_scene(const char *damping, char *text, size_t size);
vv_status plastic_cantilever_look(const vv_view *v, void *user);
void plastic_breath_scene(double from, double to, char *text, size_t size);
vv_status plastic_breath_look(const vv_view *v, void *user);
