/* validation/solids.h  Scenes of rigid bodies: runs that are moved by hand and watched. */
#pragma once
#include "book.h"

enum { SOLIDS_TEXT = 4096 };

typedef struct solids_run {
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
  double seconds; /* of CPU, in steps */
  /* what was seen at every look */
  int64_t looks;
  double kinetic_first, kinetic_error; /* J; largest |T/T0 - 1| */
  double energy, rise, scale;          /* J: last energy, largest rise from one look to the next, largest |T| + |V| */
} solids_run;

/* The scene without its end: head (with `method` and `contact`, both in braces) and then bodies, one line each. */
void solids_head(char text[SOLIDS_TEXT], double step, const char *gravity, const char *method, const char *contact);
void solids_body(char text[SOLIDS_TEXT], const char *format, ...) VV_PRINTF(2, 3);

/* Looks at the run every so many steps. */
vv_status solids_open(vv_ctx *ctx, const char *text, int64_t every, solids_run *run);
/* A scene of validation/scenes with these words set in it: keys and values in turn, ended by NULL. */
vv_status solids_open_set(vv_ctx *ctx, const char *name, const char *const *set, int64_t every, solids_run *run);
/* The same with this stepper. */
vv_status solids_open_shipped(vv_ctx *ctx, const char *name, const char *step, int64_t every, solids_run *run);
void solids_close(solids_run *run);
vv_status solids_steps(solids_run *run, int64_t n); /* VV_ARG where nature stopped it: the context has the message */
const vv_ledger *solids_ledger(const solids_run *run);
/* A field of a body, all copies. */
vv_status solids_field(const solids_run *run, const char *body, const char *field, double *out);
/* Largest size of a vector field over `n` copies. */
vv_status solids_most(const solids_run *run, const char *body, const char *field, int64_t n, double *most);

/* The parts of the chapter that live in files of their own. */
vv_status rigid_rules(book_chapter *c, vv_ctx *ctx);
vv_status rigid_losses(book_chapter *c, vv_ctx *ctx);
vv_status rigid_piles(book_chapter *c, vv_ctx *ctx);
