/* io/results/json.h  Just enough JSON: objects, arrays, words, numbers out; one value by its path in. */
#pragma once
#include "io/file.h"

/* Writer: indents by depth, puts the commas.  Keys are NULL inside arrays.  The first failure stays in `status`. */
typedef struct vvi_json {
  vvi_file file;
  int depth;
  bool filled; /* something was written at this depth */
  vv_status status;
} vvi_json;

void vvi_json_open(vvi_json *j, const char *key, char bracket);   /* '{' or '[' */
void vvi_json_close(vvi_json *j, char bracket);                   /* '}' or ']' */
void vvi_json_number(vvi_json *j, const char *key, double value); /* null when not finite */
void vvi_json_whole(vvi_json *j, const char *key, int64_t value);
void vvi_json_text(vvi_json *j, const char *key, const char *text);
void vvi_json_flag(vvi_json *j, const char *key, bool value);

/* Reader: "energy.max_relative_error" in a text; false when it is not there or of another type. */
bool vvi_json_find_number(const char *text, const char *path, double *value);
bool vvi_json_find_text(const char *text, const char *path, char *out, size_t room);
