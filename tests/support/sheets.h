/* tests/support/sheets.h  Surfaces without a body kind, to try the search on its own: nodes with masses that fly freely. */
#pragma once
#include "contact/contact.h"
#include "geom/mesh.h"

typedef struct sheet_world {
  vvi_arena arena;
  int bodies, nodes, triangles, room;
  double *q, *p, *f;   /* [3][room] */
  double *inverse;     /* [nodes] */
  int *triangle;       /* [triangles][3] */
  int *body;           /* [triangles] */
  int *first;          /* [bodies + 1] nodes */
  int *first_triangle; /* [bodies + 1] */
  bool self;           /* bodies meet themselves */
  struct vvi_sheets sheets;
  vvi_sheet_search *search;
} sheet_world;

void sheet_world_open(sheet_world *w, int room);
/* A mesh moved to `place`, turned about an axis by an angle, with a velocity; mass per area. */
void sheet_world_add(sheet_world *w, const vvi_mesh *mesh, const double place[3], const double axis[3], double angle,
                     const double velocity[3], double density);
/* All bodies meet, self: also themselves.  margin: m. */
void sheet_world_close(sheet_world *w, bool self, double margin, int threads);
/* Search and flight, nothing answered. */
void sheet_world_step(sheet_world *w, double h, int n);
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
