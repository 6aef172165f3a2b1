/* io/results/probes.c  probes.csv: a line of units, a line of names, then a row at each step nearest to a multiple of
 * record.probes; the first and the last step in any case. */
#include "io/results/writer.h"
#include "io/units.h"
#include "model/probe.h"

#include <math.h>
#include <string.h>

enum { NUMBER_TEXT = 32 };

static vv_status write_head(vv_results *r)
{
  const vvi_probes *all = r->model->probes;
  char unit[VVI_UNIT_BYTES];
  VV_TRY(vvi_file_print(&r->probes, "# units: 1,%s", vvi_unit(r->model, "s", unit)));
  for (int i = 0; i < all->n; i++)
    for (int c = 0; c < all->probe[i].components; c++)
      VV_TRY(vvi_file_print(&r->probes, ",%s", vvi_unit(r->model, all->probe[i].unit, unit)));
  VV_TRY(vvi_file_text(&r->probes, "\nstep,time"));
  for (int i = 0; i < all->n; i++)
    for (int c = 0; c < all->probe[i].components; c++)
      VV_TRY(vvi_file_print(&r->probes, ",%s%s", all->probe[i].name, vvi_probe_axis(&all->probe[i], c)));
  return vvi_file_text(&r->probes, "\n");
}

vv_status vvi_probes_open(vv_results *r)
{
  const vvi_probes *all = r->model->probes;
  if (all == NULL) return VV_OK;
  const char *path = vvi_path(&r->arena, r->folder, "probes.csv");
  r->probe_value = VVI_ARENA_NEW(&r->arena, double, all->columns);
  r->probe_scratch = VVI_ARENA_NEW(&r->arena, double, all->room);
  if (path == NULL || r->probe_value == NULL || r->probe_scratch == NULL) return VV_NOMEM;
  bool fresh = true;
  if (r->resumed) {
    VV_TRY(vvi_file_continue(r->ctx, path, r->marks.probes_bytes, (uint64_t)r->marks.probes_hash, &r->probes, &fresh));
    if (fresh) VV_TRY(vvi_put_aside(r->ctx, &r->arena, path, "rows go on"));
  }
  if (fresh) {
    VV_TRY(vvi_file_create(r->ctx, path, &r->probes));
    VV_TRY(write_head(r));
  }
  VV_TRY(vvi_file_flush(&r->probes, false));
  vvi_probes_mark(r);
  return VV_OK;
}

void vvi_probes_mark(vv_results *r)
{
  if (r->probe_value == NULL) return;
  r->marks.probes_bytes = r->probes.bytes;
  r->marks.probes_hash = (int64_t)r->probes.hash;
}

bool vvi_probes_due(const vv_results *r, int64_t step)
{
  const double every = r->model->probe_every;
  return r->probe_value != NULL && (double)step == round(round((double)step / every) * every);
}

int64_t vvi_probes_next(const vv_results *r, int64_t step)
{
  const double every = r->model->probe_every;
  if (r->probe_value == NULL) return INT64_MAX;
  double k = floor((double)step / every);
  while (!(round(k * every) > (double)step)) k += 1.0;
  return (int64_t)round(k * every);
}

vv_status vvi_probes_row(vv_results *r, const vv_view *view)
{
  if (r->probe_value == NULL || r->marks.last_probe == view->state->step) return VV_OK;
  VV_TRY(vvi_probes_read(r->model, view->state, r->probe_scratch, r->probe_value));
  char text[NUMBER_TEXT];
  VV_TRY(vvi_file_print(&r->probes, "%lld", (long long)view->state->step));
  for (int i = -1; i < r->model->probes->columns; i++) {
    text[0] = ',';
    const int n = vvi_put_number(text + 1, i < 0 ? view->state->t : r->probe_value[i]);
    VV_TRY(vvi_file_write(&r->probes, text, (size_t)n + 1));
  }
  VV_TRY(vvi_file_text(&r->probes, "\n"));
  r->marks.last_probe = view->state->step;
  vvi_probes_mark(r);
  return VV_OK;
}

vv_status vvi_probes_flush(vv_results *r, bool to_disk)
{
  return r->probe_value != NULL ? vvi_file_flush(&r->probes, to_disk) : VV_OK;
}

vv_status vvi_probes_close(vv_results *r)
{
  return r->probe_value != NULL ? vvi_file_close(&r->probes) : VV_OK;
}
