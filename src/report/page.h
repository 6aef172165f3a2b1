/* report/page.h  What the files of the report page share: a page that is being written, text and data side by side.
 *
 * The page is a template (built from web/) with a mark; in the place of the mark go
 *   <script type="text/plain" id="vv-N">BASE64</script>        one block of numbers, little-endian, N = 0, 1, ...
 *   <script type="application/json" id="vv-data">JSON</script>  everything else; it names blocks by their N
 * Blocks go to the file as they are made; the JSON waits in memory until all of them are known. */
#pragma once
#include "io/results/json.h"
#include "io/results/read.h"

enum { VVI_PAGE_FORMAT = 3 }; /* of the data; web/src/data.ts knows the same number */

typedef struct vvi_paper {
  vvi_file file;
  vvi_json json; /* its stream is `text` */
  char *text;
  size_t text_bytes;
  int blocks;
  unsigned char rest[3]; /* [n_rest] bytes that wait for their base64 group */
  int n_rest;
  vv_status status; /* the first failure */
} vvi_paper;

/* page_paper.c: begin and end; between them JSON goes to p->json. */
vv_status vvi_paper_open(vv_ctx *ctx, const char *path, vvi_paper *p);
vv_status vvi_paper_text(vvi_paper *p, const char *text, size_t bytes); /* as it is */
vv_status vvi_paper_finish(vvi_paper *p);                               /* writes the JSON */
vv_status vvi_paper_close(vvi_paper *p);
/* One block; begin returns its number. */
int vvi_block_begin(vvi_paper *p);
void vvi_block_double(vvi_paper *p, double x);
void vvi_block_float(vvi_paper *p, double x);
void vvi_block_whole(vvi_paper *p, uint64_t x, int bytes);
void vvi_block_end(vvi_paper *p);

/* page_tables.c: {"rows", "all", "columns", "block", ...} under a key; at most `most` rows are kept. */
vv_status vvi_page_ledger(vvi_paper *p, vvi_arena *arena, const vvi_table *t, int64_t most);
vv_status vvi_page_events(vvi_paper *p, vvi_arena *arena, const vvi_table *t, int64_t most);
/* "contacts", and "forces": of the rows that are kept, their number among these, time, normal and tangential force. */
vv_status vvi_page_contacts(vvi_paper *p, vvi_arena *arena, const vvi_table *t, vvi_run *run, int64_t most);
/* "stores": time, body, strain and potential energy of each body, from bodies.csv; about `most` rows at most. */
vv_status vvi_page_stores(vvi_paper *p, vvi_arena *arena, const vvi_table *t, int64_t most);
/* "poses": time, body, copy, place, quaternion of rigid bodies at their impacts, at most so many. */
vv_status vvi_page_poses(vvi_paper *p, vvi_arena *arena, vvi_run *run, int64_t most);

/* page_frames.c: "frames" and "bodies"; at most `most` bytes of numbers. */
vv_status vvi_page_frames(vvi_paper *p, vvi_arena *arena, vvi_run *run, int64_t most);
