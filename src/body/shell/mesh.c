/* body/shell/mesh.c  Reads the keys of a shell: its mesh, and the initial positions of its copies. */
#include "body/shell/shell.h"

#include "geom/mesh.h"
#include "math/so3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of pieces ---- */

static vv_status whole(const vv_group *g, const char *name, int n, int out[])
{
  int count;
  const double *v = vv_numbers(g, name, &count);
  if (count != n) return vv_complain(g, name, "has %d numbers; write %d", count, n);
  for (int i = 0; i < n; i++) {
    out[i] = (int)v[i];
    if (out[i] != v[i]) return vv_complain(g, name, "%g is not a whole number", v[i]);
  }
  return VV_OK;
}

/* ---- checks ---- */

/* Everything that a surface with one normal everywhere cannot have; open borders and cavities it can. */
static vv_status check(vvi_arena *arena, const vvi_mesh *m, unsigned but, vvi_mesh_topology *top, char *why)
{
  const unsigned allowed = 1u << VVI_MESH_OPEN | 1u << VVI_MESH_INSIDE_OUT | but;
  vvi_mesh_report report;
  VV_TRY(vvi_mesh_check_topology(arena, m, VVI_MESH_SLIVER_QUALITY, 0.0, &report, top, why));
  return vvi_mesh_refuse(m, &report, ((1u << VVI_MESH_FAULTS) - 1) & ~allowed, why);
}

/* ---- files ---- */

static vv_status refine(vvi_arena *arena, int64_t times, vvi_mesh *m, char *why)
{
  for (int64_t i = 0; i < times; i++) {
    vvi_mesh finer;
    VV_TRY(vvi_mesh_refine(arena, m, &finer, why));
    *m = finer;
  }
  return VV_OK;
}

/* Checked before anything is turned or cut: messages count the faces of the file. */
static vv_status from_bytes(const vv_group *s, vvi_arena *arena, const char *bytes, size_t size, vvi_mesh *out,
                            char *why)
{
  vvi_mesh all;
  int turned;
  VV_TRY(vvi_mesh_parse(arena, vv_text(s, "path"), bytes, size, &all, why));
  VV_TRY(vvi_mesh_drop_unused(arena, &all, out, why));
  const double scale = vv_number(s, "scale");
  for (int64_t i = 0; i < 3 * (int64_t)out->nodes; i++) out->x[i] *= scale;
  vvi_arena scratch = {0};
  vvi_mesh_topology top;
  const vv_status status = check(&scratch, out, 1u << VVI_MESH_TURNED, &top, why);
  vvi_arena_free(&scratch);
  VV_TRY(status);
  VV_TRY(vvi_mesh_orient(out, &turned, why));
  return refine(arena, vv_integer(s, "refine"), out, why);
}

static vv_status from_file(const vv_group *s, vvi_arena *arena, vvi_mesh *out, char *why)
{
  char *bytes;
  size_t size;
  VV_TRY(vvi_beside_read(s, "path", &bytes, &size));
  const vv_status status = from_bytes(s, arena, bytes, size, out, why);
  free(bytes);
  return status;
}

/* ---- shapes ---- */

static vv_status flat(const vv_group *g, const vv_group *s, vvi_arena *arena, vvi_mesh *out, char *why)
{
  int n, pieces[2];
  if (vv_is(g, "mesh", "disc"))
    return vvi_mesh_disc(arena, vv_number(s, "radius"), (int)vv_integer(s, "rings"), out, why);
  const double *size = vv_numbers(s, "size", &n);
  if (n != 2) return vv_complain(s, "size", "has %d numbers; write 2", n);
  VV_TRY(whole(s, "pieces", 2, pieces));
  return vvi_mesh_rectangle(arena, size, pieces, out, why);
}

static vv_status boxed(const vv_group *g, const vv_group *s, vvi_arena *arena, vvi_mesh *out, char *why)
{
  int n, pieces[3];
  double size[3];
  if (vv_is(g, "mesh", "cube")) {
    for (int c = 0; c < 3; c++) size[c] = vv_number(s, "edge"), pieces[c] = (int)vv_integer(s, "pieces");
  } else {
    memcpy(size, vv_numbers(s, "size", &n), sizeof size);
    VV_TRY(whole(s, "pieces", 3, pieces));
  }
  return vvi_mesh_box(arena, size, pieces, out, why);
}

static vv_status rounded(const vv_group *g, const vv_group *s, vvi_arena *arena, vvi_mesh *out, char *why)
{
  if (vv_is(g, "mesh", "sphere"))
    return vvi_mesh_sphere(arena, vv_is(s, "base", "octahedron") ? VVI_MESH_OCTAHEDRON : VVI_MESH_ICOSAHEDRON,
                           (int)vv_integer(s, "frequency"), (int)vv_integer(s, "level"), vv_number(s, "radius"), out,
                           why);
  if (vv_is(g, "mesh", "torus"))
    return vvi_mesh_torus(arena, vv_number(s, "ring"), vv_number(s, "tube"), (int)vv_integer(s, "around"),
                          (int)vv_integer(s, "across"), out, why);
  return vvi_mesh_cylinder(arena, vv_number(s, "radius"), vv_number(s, "height"), (int)vv_integer(s, "around"),
                           (int)vv_integer(s, "along"), vv_boolean(s, "closed"), out, why);
}

vv_status shell_mesh(const vv_group *g, vvi_arena *arena, struct vvi_mesh *out, struct vvi_mesh_topology *top)
{
  const vv_group *s = vv_sub(g, "mesh");
  const char *word = vv_text(g, "mesh");
  char why[VVI_MESH_WHY] = "";
  vv_status status;
  if (strcmp(word, "file") == 0)
    status = from_file(s, arena, out, why);
  else if (strcmp(word, "disc") == 0 || strcmp(word, "rectangle") == 0)
    status = flat(g, s, arena, out, why);
  else if (strcmp(word, "cube") == 0 || strcmp(word, "box") == 0)
    status = boxed(g, s, arena, out, why);
  else
    status = rounded(g, s, arena, out, why);
  if (status == VV_OK) status = check(arena, out, 0, top, why);
  if (status != VV_OK && why[0] != '\0') vv_complain(g, "mesh", "%s", why);
  return status == VV_OK || status == VV_NOMEM ? status : VV_SCENE;
}

/* ---- places ---- */

int shell_copies(const vv_group *g)
{
  return vv_has(g, "copies") ? vv_count(g, "copies") : 1;
}

shell_placement shell_place(const vv_group *g, int copy)
{
  shell_placement p;
  double turn[9], own[9];
  int n;
  memcpy(p.centre, vv_numbers(g, "centre", &n), sizeof p.centre);
  memcpy(p.velocity, vv_numbers(g, "velocity", &n), sizeof p.velocity);
  memcpy(p.spin, vv_numbers(g, "spin", &n), sizeof p.spin);
  vvi_exp(vv_numbers(g, "rotation", &n), p.turn);
  if (!vv_has(g, "copies")) return p;
  const vv_group *c = vv_item(g, "copies", copy);
  for (int i = 0; i < 3; i++) {
    p.centre[i] += vv_numbers(c, "centre", &n)[i];
    p.velocity[i] += vv_numbers(c, "velocity", &n)[i];
    p.spin[i] += vv_numbers(c, "spin", &n)[i];
  }
  memcpy(turn, p.turn, sizeof turn);
  vvi_exp(vv_numbers(c, "rotation", &n), own);
  vvi_mul33(own, turn, p.turn);
  return p;
}
