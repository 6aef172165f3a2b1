/* contact/joints/inside.h  What the parts of joints in a step ask of each other: one assembly, its matrix and its impulses. */
#pragma once
#include "contact/joints.h"

enum { VVI_JOINTS_SHARED = 64 }; /* fewer joints are done in less time than a team needs to meet */
/* Assemblies do not know each other: the same bits for any number of threads. */
#define VVI_FOR_ASSEMBLIES(w, call)                                                                               \
  do {                                                                                                            \
    const int32_t n_ = (w)->joints->assemblies;                                                                   \
    if ((w)->threads < 2 || n_ < 2 || (w)->joints->n < VVI_JOINTS_SHARED) {                                       \
      for (int32_t i = 0; i < n_; i++) call;                                                                      \
    } else {                                                                                                      \
      _Pragma("omp parallel for schedule(dynamic, 1) num_threads((w)->threads)") for (int32_t i = 0; i < n_; i++) \
          call;                                                                                                   \
    }                                                                                                             \
  } while (0)

/* ---- matrix.c ---- */

/* A node of the joints as a mover. */
void vvi_joint_load(struct vvi_joint_step *w, int32_t i, const double *q, const double *p, vv_mover *out);
/* D with the rows `left` on its left, into f. */
void vvi_assembly_matrix(struct vvi_joint_step *w, int32_t which, vvi_sparse *f, const vvi_joint_rows *left);
/* The largest |g| with nodes where they are in `at`. */
void vvi_assembly_note_gaps(struct vvi_joint_step *w, int32_t which, const vv_mover *at);
/* push += G^T x; p += push, by the body kinds; D x = rhs. */
void vvi_assembly_pull(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, double (*push)[6]);
void vvi_assembly_scatter(const struct vvi_joint_step *w, const vvi_assembly *a, const double *q, double (*push)[6],
                          double *p);
void vvi_assembly_solve(const struct vvi_joint_step *w, int32_t which, const double *rhs, double *x);
/* rhs = minus what the rows see of x: of velocities, or of impulses by what these answer. */
void vvi_assembly_ask(struct vvi_joint_step *w, const vvi_assembly *a, bool impulses, double (*x)[6]);
/* to += M^-1 G^T x. */
void vvi_assembly_move(const struct vvi_joint_step *w, const vvi_assembly *a, const double *x, double (*to)[6]);
/* turned: of the state and its memory alone, so that a run that goes on from a file sees what the other saw. */
void vvi_joints_recall(struct vvi_joint_step *w, const vvi_assembly *a);
