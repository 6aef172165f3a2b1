/* tests/fuzz/mesh.h  Any bytes as a mesh file: a mesh or a message, never both, never neither.  What is read is then checked,
 * merged, turned, numbered and intersected: nothing of this may break on a mesh that a reader lets through. */
#pragma once
#include "geom/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)        \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static inline void mesh_must_be_sound(const vvi_mesh *m)
{
  MUST(m->nodes > 0 && m->triangles > 0 && m->face != NULL);
  for (int i = 0; i < 3 * m->nodes; i++) MUST(isfinite(m->x[i]));
  for (int h = 0; h < 3 * m->triangles; h++) MUST(m->triangle[h] >= 0 && m->triangle[h] < m->nodes);
  for (int t = 0; t < m->triangles; t++) MUST(m->face[t] > 0 && (m->line == NULL || m->line[t] > 0));
}

static inline void mesh_use(vvi_arena *arena, vvi_mesh *m, const vvi_mesh_report *r)
{
  char why[VVI_MESH_WHY] = "";
  vvi_mesh_topology top;
  vvi_mesh out;
  int turned, pair[2];
  MUST(vvi_mesh_topology_of(arena, m, &top, why) == VV_OK);
  MUST(top.edges == r->edges && top.parts == r->parts);
  MUST(top.closed == (r->count[VVI_MESH_OPEN] == 0 && r->count[VVI_MESH_BRANCHED] == 0));
  const bool orientable = vvi_mesh_orient(m, &turned, why) == VV_OK;
  MUST(vvi_mesh_topology_of(arena, m, &top, why) == VV_OK);
  MUST(!orientable || top.oriented);
  int *order = VVI_ARENA_NEW(arena, int, m->triangles + m->nodes);
  MUST(order != NULL && vvi_mesh_bisect(m, 4, 1, NULL, order, order + m->triangles, why) == VV_OK);
  MUST(vvi_mesh_renumber(arena, m, order, order + m->triangles, &out, why) == VV_OK);
  mesh_must_be_sound(&out);
  MUST(vvi_mesh_refine(arena, m, &out, why) == VV_OK);
  if (m->triangles < 200) (void)vvi_mesh_intersections(m->x, m->triangles, m->triangle, NULL, true, 1e-9, pair);
}

static inline int mesh_fuzz(vvi_mesh_parser *parse, const uint8_t *data, size_t size)
{
  vvi_arena arena = {0};
  vvi_mesh m, merged;
  vvi_mesh_report r;
  char why[VVI_MESH_WHY] = "";
  const vv_status status = parse(&arena, "fuzz", data, size, &m, why);
  MUST(status == VV_OK || status == VV_SCENE);
  MUST((status == VV_OK) == (why[0] == '\0'));
  MUST((status == VV_OK) == (m.x != NULL));
  if (status == VV_OK) {
    mesh_must_be_sound(&m);
    MUST(vvi_mesh_check(&m, VVI_MESH_SLIVER_QUALITY, 1e-6, &r, why) == VV_OK);
    const bool good = vvi_mesh_refuse(&m, &r, ~0u, why) == VV_OK;
    MUST(good == (why[0] == '\0'));
    MUST(vvi_mesh_merge(&arena, &m, 0.1, &merged, why) == VV_OK);
    mesh_must_be_sound(&merged);
    if (r.count[VVI_MESH_COLLAPSED] == 0) mesh_use(&arena, &m, &r);
  }
  vvi_arena_free(&arena);
  return 0;
}
