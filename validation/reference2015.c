/* validation/reference2015.c  The beams of the 2015 paper by the second program. */
#include "demoures2015.h"

#include "second.h"

#include <math.h>
#include <stdlib.h>

const int reference_fraction[REFERENCE_NODES] = {0, 5, 11, 17, 22};

typedef struct second_run {
  second_beam beam;
  second_node n[SECOND_NODES];
  second_feem *feem; /* NULL: an explicit step */
  double step;
  int64_t done;
} second_run;

static second_run *open_run(const beams_def *d)
{
  static const double zero[3] = {0, 0, 0}, ez[3] = {0, 0, 1}, ex[3] = {1, 0, 0};
  const double half = acos(-1) / 6, axis[3] = {-cos(half), 0, sin(half)}, normal[3] = {sin(half), 0, cos(half)};
  const double bent[3] = {0, acos(-1) / 3, 0}, pressed[3] = {0, 0, 0.75}; /* an arc of 120 degrees, 3/4 of the length */
  const bool masses = d->shape == BEAMS_MASSES;
  second_run *r = d->elements < SECOND_NODES ? calloc(1, sizeof *r) : NULL;
  if (r == NULL) return NULL;
  r->beam = (second_beam){.elements = d->elements,
                          .length = 2,
                          .side = 0.05,
                          .young = masses ? 1e7 : 1e4,
                          .poisson = 0.35,
                          .density = 1000,
                          .group_time = d->scheme == BEAMS_LAVI,
                          .masses = masses};
  r->step = d->step;
  if (masses) {
    second_shape(&r->beam, zero, ez, ex, zero, ez, false, r->n);
    second_profile(&r->beam, d->twelve, r->n);
  } else {
    second_shape(&r->beam, zero, axis, normal, bent, pressed, false, r->n);
  }
  if (d->drift) second_kick(&r->beam, r->n, 0, -d->step / 2); /* at rest: the first flight stands still */
  if (d->scheme == BEAMS_FEEM && (r->feem = second_feem_open(&r->beam, r->n)) == NULL) {
    free(r);
    return NULL;
  }
  return r;
}

static vv_status run_to(second_run *r, double t)
{
  for (const int64_t upto = llround(t / r->step); r->done < upto; r->done++) {
    const double now = (double)r->done * r->step;
    if (r->feem == NULL)
      second_step(&r->beam, r->n, now, r->step);
    else if (!second_feem_step(r->feem, now, r->step))
      return VV_STOPPED;
  }
  if (r->feem != NULL) second_feem_look(r->feem, r->n);
  return VV_OK;
}

static void close_run(second_run *r)
{
  second_feem_close(r->feem);
  free(r);
}

vv_status reference_masses(const beams_def *d, int n, const double when[], double place[][REFERENCE_NODES][3])
{
  second_run *r = open_run(d);
  vv_status status = r != NULL ? VV_OK : VV_NOMEM;
  for (int k = 0; k < n && status == VV_OK; k++) {
    status = run_to(r, when[k]);
    for (int i = 0; i < REFERENCE_NODES; i++)
      for (int c = 0; c < 3; c++) place[k][i][c] = r->n[d->elements * reference_fraction[i] / 22].x[c];
  }
  if (r != NULL) close_run(r);
  return status;
}

/* Largest difference of any of the twelve numbers of a node, at the end. */
static double apart(const second_run *r, beams_run *run)
{
  double most = 0, g[12];
  for (int i = 0; i <= run->def.elements; i++) {
    beams_node(run, i, g);
    for (int c = 0; c < 12; c++) {
      const double other = c < 3 ? r->n[i].x[c] : r->n[i].r[c % 3][c / 3 - 1];
      most = fmax(most, fabs(g[c] - other));
    }
  }
  return most;
}

vv_status reference_apart(vv_ctx *ctx, const beams_def *d, double end, double *most)
{
  beams_run run;
  BOOK_TRY(beams_open(ctx, d, &run));
  second_run *r = open_run(d);
  vv_status status = r != NULL ? beams_steps(&run, llround(end / d->step)) : VV_NOMEM;
  if (status == VV_OK) status = run_to(r, end);
  if (status == VV_OK) *most = apart(r, &run);
  if (r != NULL) close_run(r);
  beams_close(&run);
  return status;
}
