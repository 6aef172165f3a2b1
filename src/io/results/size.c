/* io/results/size.c  How large a frame will be, before there is one. */
#include "io/results/paraview.h"
#include "model/model.h"
#include "visviva/results.h"

/* B, measured: of the index of results.h5 for a field of a body; of a file for ParaView beside its numbers, and for each array. */
enum { CHUNK = 120, HEAD = 1500, ARRAY = 100 };

/* B of a corner and a triangle: place and velocity in float, body and copy; three corners, offset and type. */
enum { SKIN_POINT = 6 * 4 + 2 * 4, SKIN_TRIANGLE = 4 * 4 + 1 };

static double numbers_of(const vv_block *b)
{
  double bytes = 0.0;
  for (int i = 0; i < b->kind->n_output; i++) {
    const vv_output_field *f = &b->kind->output_field[i];
    bytes += 8.0 * f->components * (double)(f->on_elements ? b->elements : b->nodes);
  }
  return bytes;
}

static double skins_of(const vv_block *b)
{
  double bytes = 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    vv_skin s = {0};
    if (!b->kind->skin(b, j, &s)) continue;
    bytes += (double)b->body[j]->n_node * ((double)SKIN_POINT * s.points + (double)SKIN_TRIANGLE * s.triangles);
  }
  return bytes;
}

void vv_results_size(const vv_model *model, double *frame, double *paraview)
{
  *frame = *paraview = 0.0;
  for (int i = 0; i < model->n_block; i++) {
    const vv_block *b = &model->block[i];
    if (b->nodes == 0) continue;
    *frame += numbers_of(b) + (double)CHUNK * b->n_body * b->kind->n_output;
    *paraview += HEAD + (vvi_skin_has(b) ? skins_of(b) : numbers_of(b) + (double)ARRAY * b->kind->n_output);
  }
}
