/* contact/friction/static_kinetic.c  Static and kinetic friction: |j_t| <= mu j_n where it holds, |j_t| = kinetic j_n where it
 * slides.                                                                                                       [island 15]
 *
 * Taken at once, the law jumps, and loads between the two have two answers: it goes on with what the contact did in the last
 * step.  So each solve is one with Coulomb's cone, of the larger coefficient for what held; whatever slides in the answer
 * lets go, its cone shrinks for the rest of the step, and the island is solved again.  Cones only shrink: this ends. */
#include "contact/friction/law.h"

static bool lets_go(vvi_friction *f)
{
  if (!(f->kinetic < f->mu)) return false;
  f->mu = f->kinetic;
  return true;
}

static const vvi_friction_law static_kinetic = {"static_kinetic", vvi_cone_nearest,      vvi_cone_slope,
                                                vvi_cone_answer,  vvi_cone_answer_slope, vvi_cone_cut,
                                                vvi_cone_shift,   vvi_cone_slide,        lets_go};

vvi_friction vvi_friction_static_kinetic(double mu, double kinetic, bool slides)
{
  const double hold = mu > 0.0 ? mu : 0.0, slip = kinetic > 0.0 ? kinetic : 0.0;
  return (vvi_friction){.law = &static_kinetic, .mu = slides && slip < hold ? slip : hold, .kinetic = slip};
}
