/* io/results/paraview.c  PVD and VTU, written by hand: the one format that every ParaView since 5.11 reads in silence. */
#include "io/results/paraview.h"
#include "io/file.h"
#include "model/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIELD_TEXT = 256, HEAD_TEXT = 2048, ENTRY_TEXT = 160, NAME_TEXT = 64 };

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_ORDER_WORD "BigEndian"
#else
#define BYTE_ORDER_WORD "LittleEndian"
#endif

/* ---- the XML head: arrays and their offsets ---- */

void vvi_vtu_say(vvi_vtu_head *h, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(h->text + h->used, h->room - h->used, format, args);
  va_end(args);
  VV_ASSERT(n >= 0 && h->used + (size_t)n < h->room);
  h->used += (size_t)n;
}

void vvi_vtu_say_array(vvi_vtu_head *h, const char *type, const char *name, int components, uint64_t bytes)
{
  vvi_vtu_say(h, "        <DataArray type=\"%s\" Name=\"%s\"", type, name);
  if (components > 1) vvi_vtu_say(h, " NumberOfComponents=\"%d\"", components);
  vvi_vtu_say(h, " format=\"appended\" offset=\"%llu\"/>\n", (unsigned long long)h->offset);
  h->offset += sizeof(uint64_t) + bytes;
}

void vvi_vtu_say_start(vvi_vtu_head *h, int64_t points, int64_t cells)
{
  vvi_vtu_say(h, "<?xml version=\"1.0\"?>\n");
  vvi_vtu_say(h, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n",
              BYTE_ORDER_WORD);
  vvi_vtu_say(h, "  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n",
              (long long)points, (long long)cells);
}

void vvi_vtu_say_end(vvi_vtu_head *h)
{
  vvi_vtu_say(h, "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
}

/* Arrays must be listed where they belong, but the data follow in the order of the kind's table: find their offsets. */
static uint64_t field_bytes(const vvi_vtu *v, int field)
{
  const vv_output_field *f = &v->block->kind->output_field[field];
  const int64_t count = f->on_elements ? v->block->elements : v->block->nodes;
  return sizeof(double) * (uint64_t)count * (uint64_t)f->components;
}

/* Where the points of the picture are: the limit surface of a kind that has one, else the position (field 0). */
static int points_field(const vv_body_kind *kind)
{
  const int limit = vvi_output_find(kind, "limit");
  return limit > 0 ? limit : 0;
}

static uint64_t field_offset(const vvi_vtu *v, int field)
{
  uint64_t offset = 0;
  for (int i = 0; i < field; i++) offset += sizeof(uint64_t) + field_bytes(v, i);
  return offset;
}

static void say_fields(vvi_vtu_head *h, const vvi_vtu *v, bool on_elements)
{
  const vv_body_kind *kind = v->block->kind;
  const int points = points_field(kind);
  for (int i = 0; i < kind->n_output; i++) {
    const vv_output_field *f = &kind->output_field[i];
    h->offset = field_offset(v, i);
    if (i != points && f->on_elements == on_elements)
      vvi_vtu_say_array(h, "Float64", f->name, f->components, field_bytes(v, i));
  }
  h->offset = field_offset(v, kind->n_output);
}

static void say_head(vvi_vtu_head *h, const vvi_vtu *v)
{
  const uint64_t nodes = (uint64_t)v->block->nodes, cells = (uint64_t)v->cells;
  vvi_vtu_say_start(h, v->block->nodes, v->cells);
  vvi_vtu_say(h, "      <PointData>\n");
  say_fields(h, v, false);
  vvi_vtu_say_array(h, "Int32", "body", 1, sizeof(int32_t) * nodes);
  const uint64_t after_body = h->offset;
  vvi_vtu_say(h, "      </PointData>\n      <CellData>\n");
  if (v->block->elements > 0) say_fields(h, v, true);
  vvi_vtu_say(h, "      </CellData>\n      <Points>\n");
  h->offset = field_offset(v, points_field(v->block->kind));
  vvi_vtu_say_array(h, "Float64", "Points", 3, 3 * sizeof(double) * nodes);
  vvi_vtu_say(h, "      </Points>\n      <Cells>\n");
  h->offset = after_body;
  vvi_vtu_say_array(h, "Int64", "connectivity", 1, sizeof(int64_t) * cells * (uint64_t)v->cell_nodes);
  vvi_vtu_say_array(h, "Int64", "offsets", 1, sizeof(int64_t) * cells);
  vvi_vtu_say_array(h, "UInt8", "types", 1, cells);
  vvi_vtu_say(h, "      </Cells>\n");
  vvi_vtu_say_end(h);
}

/* ---- what does not change ---- */

static uint8_t vtk_cell(int nodes)
{
  static const uint8_t type[] = {1, 1, 3, 5, 9}; /* vertex, vertex, line, triangle, quadrilateral */
  return nodes <= 4 ? type[nodes] : 7;           /* polygon */
}

/* A block without elements shows its nodes as points. */
static void fill_cells(vvi_vtu *v)
{
  const vv_block *b = v->block;
  for (int64_t i = 0; i < v->cells * v->cell_nodes; i++) v->connect[i] = b->elements > 0 ? b->element_node[i] : i;
  for (int64_t i = 0; i < v->cells; i++) {
    v->cell_end[i] = (i + 1) * v->cell_nodes;
    v->cell_type[i] = vtk_cell(v->cell_nodes);
  }
  for (int i = 0; i < b->n_body; i++)
    for (int64_t k = 0; k < b->body[i]->n_node; k++) v->body[b->body[i]->node0 + k] = b->body[i]->index;
}

/* Nodes and elements as they are. */
static vv_status prepare_cells(vvi_vtu *v, vvi_arena *arena)
{
  v->body = VVI_ARENA_NEW(arena, int32_t, v->block->nodes);
  v->connect = VVI_ARENA_NEW(arena, int64_t, v->cells * v->cell_nodes);
  v->cell_end = VVI_ARENA_NEW(arena, int64_t, v->cells);
  v->cell_type = VVI_ARENA_NEW(arena, uint8_t, v->cells);
  if (!v->body || !v->connect || !v->cell_end || !v->cell_type) return VV_NOMEM;
  fill_cells(v);
  return VV_OK;
}

static vv_status prepare(vvi_vtu *v, const char *folder, vvi_arena *arena)
{
  vvi_vtu_head h = {.room = HEAD_TEXT + FIELD_TEXT * (size_t)v->block->kind->n_output};
  h.text = v->head = vvi_arena_alloc(arena, h.room);
  v->path_bytes = strlen(folder) + strlen(v->block->kind->name) + NAME_TEXT;
  v->path = vvi_arena_alloc(arena, v->path_bytes);
  v->tmp = vvi_arena_alloc(arena, v->path_bytes + 4);
  v->skin = vvi_skin_has(v->block) ? VVI_ARENA_NEW(arena, vvi_skinned, 1) : NULL;
  if (!h.text || !v->path || !v->tmp || (v->skin == NULL && vvi_skin_has(v->block))) return VV_NOMEM;
  VV_TRY(v->skin != NULL ? vvi_skin_prepare(v->block, arena, v->skin) : prepare_cells(v, arena));
  snprintf(v->path, v->path_bytes, "%s/", folder);
  v->file = v->path + strlen(v->path);
  if (v->skin != NULL)
    vvi_skin_head(&h, v->skin);
  else
    say_head(&h, v);
  return VV_OK;
}

vv_status vvi_vtu_prepare(const vv_model *model, const vv_block *block, const char *folder, vvi_arena *arena,
                          vvi_vtu *out)
{
  const bool has_cells = block->elements > 0 && block->kind->element_nodes > 0;
  *out = (vvi_vtu){.block = block,
                   .cells = has_cells ? block->elements : block->nodes,
                   .cell_nodes = has_cells ? block->kind->element_nodes : 1};
  const vv_status status = prepare(out, folder, arena);
  return status == VV_NOMEM ? vvi_fail(model->ctx, VV_NOMEM, "out of memory for the ParaView files") : status;
}

/* ---- one frame ---- */

vv_status vvi_vtu_bytes(vvi_vtu *v, vv_ctx *ctx, const void *data, size_t bytes)
{
  errno = 0;
  return fwrite(data, 1, bytes, v->stream) == bytes ? VV_OK : vvi_io_fail(ctx, v->tmp, "not written");
}

static vv_status write_array(vvi_vtu *v, vv_ctx *ctx, const void *data, size_t bytes)
{
  const uint64_t length = bytes;
  VV_TRY(vvi_vtu_bytes(v, ctx, &length, sizeof length));
  return vvi_vtu_bytes(v, ctx, data, bytes);
}

static vv_status begin_frame(vvi_vtu *v, vv_ctx *ctx, const char *name, int64_t frame)
{
  snprintf(v->file, v->path_bytes - (size_t)(v->file - v->path), "%s_%06lld.vtu", name, (long long)frame);
  snprintf(v->tmp, v->path_bytes + 4, "%s.tmp", v->path);
  errno = 0;
  const int fd = vvi_create(v->tmp);
  v->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
  if (v->stream == NULL && fd >= 0) close(fd);
  if (v->stream == NULL) return vvi_io_fail(ctx, v->tmp, "not created");
  return vvi_vtu_bytes(v, ctx, v->head, strlen(v->head));
}

vv_status vvi_vtu_begin(vvi_vtu *v, vv_ctx *ctx, int64_t frame)
{
  return begin_frame(v, ctx, v->block->kind->name, frame);
}

vv_status vvi_vtu_put(vvi_vtu *v, vv_ctx *ctx, int field, const double *value)
{
  if (v->skin == NULL) return write_array(v, ctx, value, field_bytes(v, field));
  vvi_skin_put(v->block, v->skin, field, value);
  return VV_OK;
}

static vv_status write_cells(vvi_vtu *v, vv_ctx *ctx)
{
  const size_t nodes = (size_t)v->block->nodes, cells = (size_t)v->cells;
  VV_TRY(write_array(v, ctx, v->body, sizeof(int32_t) * nodes));
  VV_TRY(write_array(v, ctx, v->connect, sizeof(int64_t) * cells * (size_t)v->cell_nodes));
  VV_TRY(write_array(v, ctx, v->cell_end, sizeof(int64_t) * cells));
  return write_array(v, ctx, v->cell_type, cells);
}

static vv_status end_frame(vvi_vtu *v, vv_ctx *ctx)
{
  static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
  VV_TRY(vvi_vtu_bytes(v, ctx, tail, strlen(tail)));
  errno = 0;
  const int failed = fclose(v->stream);
  v->stream = NULL;
  if (failed == 0) return vvi_replace(ctx, v->tmp, v->path, false);
  const vv_status status = vvi_io_fail(ctx, v->tmp, "not written");
  remove(v->tmp);
  return status;
}

vv_status vvi_vtu_end(vvi_vtu *v, vv_ctx *ctx)
{
  VV_TRY(v->skin != NULL ? vvi_skin_write(v, ctx) : write_cells(v, ctx));
  return end_frame(v, ctx);
}

/* ---- what touches ---- */

vv_status vvi_spots_prepare(vv_ctx *ctx, const char *folder, vvi_arena *arena, vvi_vtu *out)
{
  *out = (vvi_vtu){.path_bytes = strlen(folder) + NAME_TEXT + 16};
  out->head = vvi_arena_alloc(arena, HEAD_TEXT);
  out->path = vvi_arena_alloc(arena, out->path_bytes);
  out->tmp = vvi_arena_alloc(arena, out->path_bytes + 4);
  if (!out->head || !out->path || !out->tmp) return vvi_fail(ctx, VV_NOMEM, "out of memory for the ParaView files");
  snprintf(out->path, out->path_bytes, "%s/", folder);
  out->file = out->path + strlen(out->path);
  return VV_OK;
}

static void say_spots(vvi_vtu *v, int64_t n)
{
  static const char *const name[] = {"pair", "body_a", "body_b"};
  const uint64_t points = (uint64_t)n;
  vvi_vtu_head h = {.text = v->head, .room = HEAD_TEXT};
  vvi_vtu_say_start(&h, n, n);
  vvi_vtu_say(&h, "      <Points>\n");
  vvi_vtu_say_array(&h, "Float64", "Points", 3, 3 * sizeof(double) * points);
  vvi_vtu_say(&h, "      </Points>\n      <PointData>\n");
  vvi_vtu_say_array(&h, "Float64", "force", 3, 3 * sizeof(double) * points);
  for (int i = 0; i < VV_COUNT(name); i++) vvi_vtu_say_array(&h, "Float64", name[i], 1, sizeof(double) * points);
  vvi_vtu_say(&h, "      </PointData>\n      <CellData>\n      </CellData>\n      <Cells>\n");
  vvi_vtu_say_array(&h, "Int64", "connectivity", 1, sizeof(int64_t) * points);
  vvi_vtu_say_array(&h, "Int64", "offsets", 1, sizeof(int64_t) * points);
  vvi_vtu_say_array(&h, "UInt8", "types", 1, points);
  vvi_vtu_say(&h, "      </Cells>\n");
  vvi_vtu_say_end(&h);
}

/* Columns `first` to `first + width - 1` of the spots, one array. */
static vv_status write_columns(vvi_vtu *v, vv_ctx *ctx, int64_t n, const double *spot, int first, int width)
{
  const uint64_t bytes = sizeof(double) * (uint64_t)n * (uint64_t)width;
  VV_TRY(vvi_vtu_bytes(v, ctx, &bytes, sizeof bytes));
  for (int64_t i = 0; i < n; i++)
    VV_TRY(vvi_vtu_bytes(v, ctx, spot + VVI_SPOT * i + first, sizeof(double) * (size_t)width));
  return VV_OK;
}

static vv_status write_vertices(vvi_vtu *v, vv_ctx *ctx, int64_t n)
{
  const uint8_t vertex = 1;
  for (int shift = 0; shift < 2; shift++) {
    const uint64_t bytes = sizeof(int64_t) * (uint64_t)n;
    VV_TRY(vvi_vtu_bytes(v, ctx, &bytes, sizeof bytes));
    for (int64_t i = shift; i < n + shift; i++) VV_TRY(vvi_vtu_bytes(v, ctx, &i, sizeof i));
  }
  const uint64_t bytes = (uint64_t)n;
  VV_TRY(vvi_vtu_bytes(v, ctx, &bytes, sizeof bytes));
  for (int64_t i = 0; i < n; i++) VV_TRY(vvi_vtu_bytes(v, ctx, &vertex, 1));
  return VV_OK;
}

vv_status vvi_spots_write(vvi_vtu *v, vv_ctx *ctx, int64_t frame, int64_t n, const double *spot)
{
  static const struct {
    int first, width;
  } array[] = {{0, 3}, {3, 3}, {6, 1}, {7, 1}, {8, 1}};
  if (n == 0 && frame > 0) { /* frames without contact share one file */
    snprintf(v->file, v->path_bytes - (size_t)(v->file - v->path), "contact-none_%06d.vtu", 0);
    return VV_OK;
  }
  say_spots(v, n);
  VV_TRY(begin_frame(v, ctx, frame > 0 ? "contact" : "contact-none", frame));
  for (int i = 0; i < VV_COUNT(array); i++) VV_TRY(write_columns(v, ctx, n, spot, array[i].first, array[i].width));
  VV_TRY(write_vertices(v, ctx, n));
  return end_frame(v, ctx);
}

void vvi_vtu_abandon(vvi_vtu *v)
{
  if (v->stream == NULL) return;
  fclose(v->stream);
  v->stream = NULL;
  remove(v->tmp);
}

/* ---- the collection ---- */

static const char pvd_head[] =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"" BYTE_ORDER_WORD
    "\" header_type=\"UInt64\">\n  <Collection>\n";
static const char pvd_tail[] = "  </Collection>\n</VTKFile>\n";

/* New entries and the tail in one write over the old tail: the file is complete XML before and after it, and a run of
 * 1e5 frames does not copy its list 1e5 times. */
static vv_status write_over_tail(vvi_pvd *p, size_t bytes)
{
  memcpy(p->entry + bytes, pvd_tail, sizeof pvd_tail - 1);
  const size_t all = bytes + sizeof pvd_tail - 1;
  errno = 0;
  if (pwrite(p->fd, p->entry, all, (off_t)p->bytes) == (ssize_t)all) {
    p->bytes += (int64_t)bytes;
    return VV_OK;
  }
  const vv_status status = vvi_io_fail(p->ctx, p->path, "not written");
  /* the old tail lies on blocks the file already has: this succeeds on a full disk too */
  if (p->bytes > 0 && pwrite(p->fd, pvd_tail, sizeof pvd_tail - 1, (off_t)p->bytes) > 0)
    (void)!ftruncate(p->fd, (off_t)p->bytes + (off_t)sizeof pvd_tail - 1);
  return status;
}

vv_status vvi_pvd_open(vv_ctx *ctx, const char *path, int64_t bytes, int n_vtu, vvi_arena *arena, vvi_pvd *out)
{
  *out = (vvi_pvd){.ctx = ctx, .path = path, .fd = -1, .entry_bytes = sizeof pvd_head + sizeof pvd_tail};
  out->entry_bytes += (ENTRY_TEXT + NAME_TEXT) * (size_t)n_vtu;
  out->entry = vvi_arena_alloc(arena, out->entry_bytes);
  if (out->entry == NULL) return VV_NOMEM;
  errno = 0;
  if (bytes > 0) out->fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (out->fd < 0) out->fd = vvi_create(path); /* a link is not followed: the list starts again */
  if (out->fd < 0) return vvi_io_fail(ctx, path, "not created");
  const off_t size = lseek(out->fd, 0, SEEK_END);
  if (size < (off_t)bytes) {
    bytes = 0; /* lost or cut: the list starts again, the frames themselves are still there */
    vvi_fail(ctx, VV_OK, "%s: shorter than its checkpoint says; started again", path);
  }
  if (ftruncate(out->fd, (off_t)bytes) != 0) return vvi_io_fail(ctx, path, "not cut back to its checkpoint");
  out->bytes = bytes;
  const size_t head = bytes > 0 ? 0 : sizeof pvd_head - 1;
  memcpy(out->entry, pvd_head, head);
  return write_over_tail(out, head);
}

vv_status vvi_pvd_add(vvi_pvd *p, double time, int n, const vvi_vtu *vtu)
{
  char number[32];
  vvi_put_number(number, time);
  size_t used = 0;
  for (int i = 0; i < n; i++)
    used +=
        (size_t)snprintf(p->entry + used, p->entry_bytes - used,
                         "    <DataSet timestep=\"%s\" group=\"\" part=\"%d\" file=\"%s\"/>\n", number, i, vtu[i].file);
  return write_over_tail(p, used);
}

vv_status vvi_pvd_close(vvi_pvd *p)
{
  if (p->fd < 0) return VV_OK;
  errno = 0;
  const int failed = close(p->fd);
  p->fd = -1;
  return failed == 0 ? VV_OK : vvi_io_fail(p->ctx, p->path, "not written");
}
