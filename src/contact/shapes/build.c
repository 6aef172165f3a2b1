/* contact/shapes/build.c  Which bodies may touch: reads `contacts`, and lists the pairs of each kind of contact. */
#include "contact/contact.h"
#include "contact/shapes/side.h"

vv_status vvi_contact_build(vv_model *m, const double *q, const double *p)
{
  vvi_rules *rules = m->rules = VVI_ARENA_NEW(&m->arena, vvi_rules, 1);
  if (rules == NULL) return VV_NOMEM;
  VV_TRY(vvi_rules_read(m, rules));
  VV_TRY(vvi_pairs_build(m, rules, q));
  VV_TRY(vvi_solids_build(m, rules, q));
  VV_TRY(vvi_sheets_build(m, rules, q));
  if (m->sheets == NULL && m->solids != NULL && m->solids->n < 2) m->solids = NULL; /* nothing meets */
  VV_TRY(vvi_rules_refuse(m, rules));
  return vvi_sides_check(m, rules, q, p);
}
