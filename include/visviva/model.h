/* visviva/model.h  tier: use.  What a scene is (spec), what is frozen (model), what moves (state). */
#pragma once
#include "visviva/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vv_spec vv_spec;   /* words, editable */
typedef struct vv_model vv_model; /* frozen by vv_compile, read-only afterwards */

/* The whole truth of a run between two steps: one allocation, memcpy copies it, a hash names it. */
typedef struct vv_state {
  int64_t nq, np, nh; /* lengths of q, p, memory */
  int64_t step;       /* steps done */
  double t;           /* time */
  double *q;          /* [nq] configuration; written by drift */
  double *p;          /* [np] momentum; written by kick and bounce */
  double *memory;     /* [nh] contact memory (which pairs are closed); written by steppers */
} vv_state;

/* Spec: an editable tree of words.  Paths: "time.step", "bodies.left.material.young", "contacts[0].restitution". */
VV_API VV_NODISCARD vv_status vv_spec_create(vv_ctx *ctx, vv_spec **out);
VV_API void vv_spec_destroy(vv_spec *spec);
VV_API VV_NODISCARD vv_status vv_spec_set(vv_spec *spec, const char *path, const char *text);
/* Another value for a number that the scene names under `parameters`, or for a key at its top. */
VV_API VV_NODISCARD vv_status vv_spec_set_parameter(vv_spec *spec, const char *name, const char *text);
VV_API VV_NODISCARD vv_status vv_spec_set_number(vv_spec *spec, const char *path, double value);
VV_API VV_NODISCARD vv_status vv_spec_set_numbers(vv_spec *spec, const char *path, int n, const double value[]);
VV_API VV_NODISCARD vv_status vv_spec_remove(vv_spec *spec, const char *path);

/* Reads a scene file, or a prepared one.  All mistakes of the file are reported at once, as messages in the context. */
VV_API VV_NODISCARD vv_status vv_scene_read(vv_ctx *ctx, const char *path, vv_spec **out);
VV_API VV_NODISCARD vv_status vv_scene_parse(vv_ctx *ctx, const char *name, const char *text, size_t length,
                                             vv_spec **out);
/* Compiles a scene and writes what its model is made of to `path`: a file that vv_scene_read takes in place of the scene.  A model
 * that is compiled from it is mapped, and not made again; the file is that of this version of the library.  A file that is there
 * is replaced if it is a prepared scene, and else VV_ARG. */
VV_API VV_NODISCARD vv_status vv_scene_prepare(vv_ctx *ctx, const char *scene, const char *path);
/* The scene as understood, defaults filled in; and the reference page made from the field tables (Markdown). */
VV_API VV_NODISCARD vv_status vv_scene_write(const vv_model *model, const char *path);
VV_API VV_NODISCARD vv_status vv_scene_reference(vv_ctx *ctx, const char *path);
/* A JSON schema of scenes, made from the field tables, for editors and other programs. */
VV_API VV_NODISCARD vv_status vv_scene_schema(vv_ctx *ctx, const char *path);

VV_API VV_NODISCARD vv_status vv_compile(vv_ctx *ctx, const vv_spec *spec, vv_model **model, vv_state **initial);
VV_API void vv_model_destroy(vv_model *model);

VV_API VV_NODISCARD vv_status vv_state_clone(const vv_state *state, vv_state **out);
VV_API VV_NODISCARD vv_status vv_state_copy(vv_state *to, const vv_state *from); /* same lengths */
VV_API void vv_state_destroy(vv_state *state);
VV_API uint64_t vv_state_hash(const vv_state *state);

/* Facts about a model. */
VV_API double vv_model_stable_step(const vv_model *model);      /* 2/omega_max, all contacts closed */
VV_API const char *vv_model_step_reason(const vv_model *model); /* why this step; "" where the scene gives it */
VV_API double vv_model_step(const vv_model *model);             /* the step of the scene */
VV_API int64_t vv_model_steps(const vv_model *model);           /* steps to time.end */
VV_API int64_t vv_model_nodes(const vv_model *model);           /* moving nodes: the unit of node-steps */
VV_API int64_t vv_model_hard_pairs(const vv_model *model);      /* that may meet, with nothing elastic between them */
VV_API int64_t vv_model_tiles(const vv_model *model);           /* that ranks can share (visviva-mpi); 0: none */
VV_API int vv_model_bodies(const vv_model *model);
VV_API int vv_model_body(const vv_model *model, const char *name); /* its index; -1: there is none */
VV_API const char *vv_model_body_name(const vv_model *model, int i);
VV_API const char *vv_model_body_kind(const vv_model *model, int i);
/* A word of the scene as understood, defaults filled in: "method.jump", "units.length", "contacts[0].restitution",
 * "bodies.left.elements" or, by its place in the scene, "bodies[0].elements".  False: there is none, and out is empty. */
VV_API bool vv_model_word(const vv_model *model, const char *path, char *out, size_t size);
/* The fields of a body, as results.h5 holds them: "position" is the first, then what its kind has ("velocity", "d1"...). */
VV_API int vv_model_fields(const vv_model *model, int body);
VV_API const char *vv_model_field(const vv_model *model, int body, int i); /* NULL: there is none */
/* How many nodes (or elements) a field has, and components of each; 0: the body has no such field. */
VV_API int64_t vv_model_field_size(const vv_model *model, int body, const char *field, int *components);
/* out[size][components]: the field in this state. */
VV_API VV_NODISCARD vv_status vv_model_output(const vv_model *model, const vv_state *state, int body, const char *field,
                                              double *out);
/* Energy and momentum of one body in this state: kinetic, strain, potential, p_x, p_y, p_z, L_x, L_y, L_z (about the origin), the
 * plain ones of bodies.csv; their sums over all bodies are nodal_total less `contact`, and p, L of the ledger. */
enum { VV_BODY_TOTALS = 9 };
VV_API VV_NODISCARD vv_status vv_model_totals(const vv_model *model, const vv_state *state, int body,
                                              double out[VV_BODY_TOTALS]);
/* Elements that are broken in this state, of one body or (-1) of all; -1: there is no such body, or no memory. */
VV_API int64_t vv_model_broken(const vv_model *model, const vv_state *state, int body);
/* Where a body lies in a state: component c of node j is state->q[q0 + c*column + j], and state->p[p0 + c*column + j].
 *   kind    q of a node                                          p of a node
 *   bar     displacement along its line                          momentum along it
 *   beam    position (3), frame by rows (9)                      momentum (3), spin about the node (3)
 *   shell   position of the control point (3)                    momentum (3)
 *   rigid   centre of mass (3), quaternion w first (4),          momentum (3), spin about the centre (3)
 *           what rounding left out of both sums (7)
 * all in space axes.  False: there is no such body, or it does not move (an obstacle). */
typedef struct vv_slice {
  int64_t q0, p0, column, nodes;
  int32_t node_q, node_p;
} vv_slice;
VV_API bool vv_model_slice(const vv_model *model, int body, vv_slice *out);
/* Elements of a body and nodes of each (2: lines, 3: triangles); out[elements][corners]: nodes of the body. */
VV_API int64_t vv_model_elements(const vv_model *model, int body, int *corners);
VV_API VV_NODISCARD vv_status vv_model_connect(const vv_model *model, int body, int64_t *out);
VV_API const char *vv_model_title(const vv_model *model);
VV_API vv_ctx *vv_model_ctx(const vv_model *model);

#ifdef __cplusplus
}
#endif
