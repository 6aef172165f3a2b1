/* report/page.c  visviva report: a template, filled with one or more result folders. */
#include "report/page.h"
#include "visviva/results.h"

#include <string.h>

static const char mark[] = "<!--visviva:data-->";
static const int64_t usual_bytes = 25000000, least_bytes = 2000000, spare_bytes = 100000;
enum {
  LEDGER_ROWS = 6000,
  EVENT_ROWS = 20000,
  CONTACT_ROWS = 4000,
  STORE_ROWS = 20000
}; /* of all runs together, but at least a quarter for each */

typedef struct folder {
  const char *path, *summary, *scene;
  vvi_table ledger, events, contacts, bodies;
  vvi_run run;
} folder;

/* A file that a run in progress has not written yet is empty. */
static const char *text_of(vvi_arena *arena, const char *path, const char *name)
{
  const char *file = vvi_path(arena, path, name), *text = file != NULL ? vvi_text_read(arena, file, NULL) : NULL;
  return text != NULL ? text : "";
}

static vv_status read_folder(vv_ctx *ctx, vvi_arena *arena, const char *path, folder *f)
{
  f->path = path;
  f->summary = text_of(arena, path, "summary.json");
  f->scene = text_of(arena, path, "scene.yaml");
  const char *ledger = vvi_path(arena, path, "ledger.csv"), *events = vvi_path(arena, path, "events.csv");
  const char *contacts = vvi_path(arena, path, "contacts.csv"), *bodies = vvi_path(arena, path, "bodies.csv");
  if (ledger == NULL || events == NULL || contacts == NULL || bodies == NULL) return VV_NOMEM;
  VV_TRY(vvi_table_read(ctx, arena, ledger, &f->ledger));
  VV_TRY(vvi_table_read(ctx, arena, events, &f->events));
  if (vvi_exists(contacts))
    VV_TRY(vvi_table_read(ctx, arena, contacts, &f->contacts));                   /* else it is of an older version */
  if (vvi_exists(bodies)) VV_TRY(vvi_table_read(ctx, arena, bodies, &f->bodies)); /* where several bodies move */
  if (vvi_table_column(&f->ledger, "time") == NULL)
    return vvi_fail(ctx, VV_IO, "%s: is not a ledger: it has no column 'time'", ledger);
  return vvi_run_open(ctx, arena, path, &f->run);
}

/* The last part of a path: a page is handed on, and where it was made is nobody's business. */
static const char *name_of(vvi_arena *arena, const char *path)
{
  char *copy = vvi_arena_text(arena, path);
  if (copy == NULL) return "";
  for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/';) copy[--n] = '\0';
  const char *slash = strrchr(copy, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : copy;
}

static int64_t share(int64_t rows, int n)
{
  return rows / (n < 4 ? n : 4);
}

static vv_status put_folder(vvi_paper *p, vvi_arena *arena, folder *f, int n, int64_t most)
{
  const int64_t ledger_rows = share(LEDGER_ROWS, n), event_rows = share(EVENT_ROWS, n);
  const int64_t ledger_kept = f->ledger.rows < ledger_rows ? f->ledger.rows : ledger_rows;
  const int64_t events_kept = f->events.rows < event_rows ? f->events.rows : event_rows;
  const int64_t stores = f->bodies.rows < share(STORE_ROWS, n) ? f->bodies.rows : share(STORE_ROWS, n);
  const int64_t tables = 8 * (ledger_kept * f->ledger.columns + events_kept * f->events.columns + 4 * stores);
  const int64_t text = (int64_t)(strlen(f->summary) + strlen(f->scene));
  vvi_json_open(&p->json, NULL, '{');
  vvi_json_text(&p->json, "folder", name_of(arena, f->path));
  vvi_json_text(&p->json, "summary", f->summary);
  vvi_json_text(&p->json, "scene", f->scene);
  VV_TRY(vvi_page_ledger(p, arena, &f->ledger, ledger_rows));
  VV_TRY(vvi_page_events(p, arena, &f->events, event_rows));
  VV_TRY(vvi_page_contacts(p, arena, &f->contacts, &f->run, share(CONTACT_ROWS, n)));
  VV_TRY(vvi_page_stores(p, arena, &f->bodies, share(STORE_ROWS, n)));
  VV_TRY(vvi_page_poses(p, arena, &f->run, event_rows));
  VV_TRY(vvi_page_frames(p, arena, &f->run, (most - text) / 4 * 3 - tables)); /* base64: 4 letters for 3 bytes */
  vvi_json_close(&p->json, '}');
  return VV_OK;
}

static vv_status fill(vvi_paper *p, vvi_arena *arena, int n, folder f[], int64_t most)
{
  vvi_json *j = &p->json;
  vvi_json_open(j, NULL, '{');
  vvi_json_whole(j, "format", VVI_PAGE_FORMAT);
  vvi_json_text(j, "version", vv_version());
  vvi_json_open(j, "runs", '[');
  for (int i = 0; i < n; i++) VV_TRY(put_folder(p, arena, &f[i], n, most / n));
  vvi_json_close(j, ']');
  vvi_json_close(j, '}');
  return vvi_paper_finish(p);
}

static vv_status write_page(vv_ctx *ctx, vvi_arena *arena, int n, folder f[], const char *frame, int64_t most,
                            const char *path)
{
  size_t bytes = 0;
  const char *page = vvi_text_read(arena, frame, &bytes), *at = page != NULL ? strstr(page, mark) : NULL;
  if (page == NULL) return vvi_io_fail(ctx, frame, "not read");
  if (at == NULL) return vvi_fail(ctx, VV_IO, "%s: is not a template of a report: it has no %s", frame, mark);
  char *tmp = vvi_arena_alloc(arena, strlen(path) + 5);
  if (tmp == NULL) return VV_NOMEM;
  strcat(strcpy(tmp, path), ".tmp");
  vvi_paper p = {0};
  vv_status status = vvi_paper_open(ctx, tmp, &p);
  if (status == VV_OK) status = vvi_paper_text(&p, page, (size_t)(at - page));
  if (status == VV_OK) status = fill(&p, arena, n, f, most - (int64_t)bytes - spare_bytes);
  if (status == VV_OK) status = vvi_paper_text(&p, at + strlen(mark), strlen(at + strlen(mark)));
  const vv_status closed = vvi_paper_close(&p);
  if (status == VV_OK) status = closed;
  if (status == VV_OK) return vvi_replace(ctx, tmp, path, false);
  remove(tmp);
  return status;
}

vv_status vv_page_write(vv_ctx *ctx, int n, const char *const folders[], const char *frame, int64_t most_bytes,
                        const char *path)
{
  if (ctx == NULL || n < 1 || folders == NULL || frame == NULL || path == NULL) return VV_ARG;
  const int64_t most = most_bytes == 0 ? usual_bytes : most_bytes > least_bytes ? most_bytes : least_bytes;
  vvi_arena arena = {0};
  folder *f = VVI_ARENA_NEW(&arena, folder, n);
  vv_status status = f != NULL ? VV_OK : VV_NOMEM;
  int opened = 0;
  for (; status == VV_OK && opened < n; opened++) status = read_folder(ctx, &arena, folders[opened], &f[opened]);
  if (status == VV_OK) status = write_page(ctx, &arena, n, f, frame, most, path);
  for (int i = 0; i < opened; i++) (void)!vvi_run_close(&f[i].run);
  vvi_arena_free(&arena);
  return status;
}
