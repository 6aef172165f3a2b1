/* tests/support/sheets.h  Surfaces without a body kind: nodes with masses, springs along the edges, kick-drift-kick with the
 * contact of step/sheets.h.  Enough to try contact on its own. */
#pragma once
#include "contact/contact.h"
#include "geom/mesh.h"
#include "step/sheets.h"

typedef struct sheet_world {
  vvi_arena arena;
  int bodies, nodes, triangles, room;
  double *q, *p, *f;   /* [3][room] */
  double *inverse;     /* [nodes] */
  int *triangle;       /* [triangles][3] */
  int *body;           /* [triangles] */
  int *first;          /* [bodies + 1] nodes */
  int *first_triangle; /* [bodies + 1] */
  double *rest;        /* [edges] */
  double stiffness;
  bool self; /* bodies meet themselves */
  struct vvi_sheets sheets;
  struct vvi_sheets_step *step;
  vv_posted post;
  double bank;
} sheet_world;

void sheet_world_open(sheet_world *w, int room);
/* A mesh moved to `place`, turned about an axis by an angle, with a velocity; mass per area. */
void sheet_world_add(sheet_world *w, const vvi_mesh *mesh, const double place[3], const double axis[3], double angle,
                     const double velocity[3], double density);
/* All bodies meet, self: also themselves.  guard: m; 0: by the rule. */
void sheet_world_close(sheet_world *w, double stiffness, double restitution, double friction, bool self, double guard,
                       int threads);
void sheet_world_step(sheet_world *w, double h, int n);
double sheet_world_energy(const sheet_world *w); /* kinetic + springs + what contact lent */
void sheet_world_momenta(const sheet_world *w, double p[3], double l[3], double *p_scale, double *l_scale);
int64_t sheet_world_intersections(const sheet_world *w, bool within);
void sheet_world_free(sheet_world *w);
/* Places of all vertices of a model's surfaces: [n_vertex][3], the caller frees them. */
double *sheet_places(const vv_model *m, const vv_state *s);
/* Pairs of triangles of a model's surfaces that intersect, all against all. */
int64_t sheet_intersections(const vv_model *m, const vv_state *s);
/* The least distance less the thickness of surfaces that meet each other or an obstacle, all features against all; no surface
 * against itself. */
double sheet_nearest(const vv_model *m, const vv_state *s);
/* What contact did in a run. */
const vvi_contact_counts *contact_counts(const vv_sim *sim);
double contact_lent(const vv_sim *sim); /* J: the most that pushes brought and losses had not yet paid back */
double sheet_noise(uint64_t *seed);     /* -0.5 .. 0.5 */
