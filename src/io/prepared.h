/* io/prepared.h  A prepared scene: its text, and the large arrays of its model, in one file that whoever runs it maps. */
#pragma once
#include "base/base.h"

/* The file begins as a prepared one does; nothing is read away. */
bool vvi_prepared_is(FILE *file);
/* The scene in it; models of this context are then made of its arrays.  The caller frees both texts. */
vv_status vvi_prepared_open(vv_ctx *ctx, const char *path, char **text, size_t *length, char **source);
/* The text of a scene file, or of a pipe; the caller frees it.  (scene/read.c) */
vv_status vvi_scene_text(vv_ctx *ctx, const char *path, char **text, size_t *length);
