/* io/results/csv.c  ledger.csv, events.csv and contacts.csv: a line of units, a line of names, then rows that read back exactly. */
#include "io/results/writer.h"
#include "io/units.h"

#include <string.h>

enum { NUMBER_TEXT = 32 };

typedef struct column {
  const char *name, *unit; /* NULL: a word */
} column;

/* The order is a promise: new columns only at the end; energy_h2 is written where record.modified asks for it. */
static const column ledger_column[] = {{"step", "1"},          {"time", "s"},          {"kinetic", "J"},
                                       {"strain", "J"},        {"potential", "J"},     {"contact", "J"},
                                       {"external_work", "J"}, {"friction_loss", "J"}, {"restitution_loss", "J"},
                                       {"total", "J"},         {"closure", "1"},       {"p_x", "kg m/s"},
                                       {"p_y", "kg m/s"},      {"p_z", "kg m/s"},      {"L_x", "kg m^2/s"},
                                       {"L_y", "kg m^2/s"},    {"L_z", "kg m^2/s"},    {"contacts", "1"},
                                       {"penetration", "m"},   {"nodal_total", "J"},   {"impacts", "1"},
                                       {"energy_h2", "J"},     {"plastic_work", "J"},  {"viscous_loss", "J"},
                                       {"damage_loss", "J"},   {"step_loss", "J"},     {"joint_work", "J"}};
enum { ENERGY_H2 = 21 };
static const column event_column[] = {{"time", "s"},
                                      {"body_a", NULL},
                                      {"feature_a", NULL},
                                      {"body_b", NULL},
                                      {"feature_b", NULL},
                                      {"x", "m"},
                                      {"y", "m"},
                                      {"z", "m"},
                                      {"n_x", "1"},
                                      {"n_y", "1"},
                                      {"n_z", "1"},
                                      {"normal_speed", "m/s"},
                                      {"normal_impulse", "N s"},
                                      {"tangential_impulse", "N s"},
                                      {"energy_jump", "J"},
                                      {"kind", NULL},
                                      {"residual", "1"},
                                      {"node_a", "1"},
                                      {"node_b", "1"}};

static const column contact_column[] = {{"pair", "1"},
                                        {"number", "1"},
                                        {"body_a", NULL},
                                        {"copy_a", "1"},
                                        {"body_b", NULL},
                                        {"copy_b", "1"},
                                        {"touch", "s"},
                                        {"release", "s"},
                                        {"duration", "s"},
                                        {"impulses", "1"},
                                        {"normal_impulse", "N s"},
                                        {"tangential_impulse", "N s"},
                                        {"impulse_x", "N s"},
                                        {"impulse_y", "N s"},
                                        {"impulse_z", "N s"},
                                        {"mean_force", "N"},
                                        {"peak_force", "N"},
                                        {"peak_time", "s"},
                                        {"window", "s"},
                                        {"energy_lost", "J"},
                                        {"approach_speed", "m/s"},
                                        {"x", "m"},
                                        {"y", "m"},
                                        {"z", "m"},
                                        {"open", "1"}};

static vv_status write_head(vv_results *r, vvi_file *file, int n, const column *c)
{
  char unit[VVI_UNIT_BYTES];
  VV_TRY(vvi_file_text(file, "# units: "));
  for (int i = 0; i < n; i++)
    VV_TRY(
        vvi_file_print(file, "%s%s", i > 0 ? "," : "", c[i].unit != NULL ? vvi_unit(r->model, c[i].unit, unit) : "-"));
  VV_TRY(vvi_file_text(file, "\n"));
  for (int i = 0; i < n; i++) VV_TRY(vvi_file_print(file, "%s%s", i > 0 ? "," : "", c[i].name));
  return vvi_file_text(file, "\n");
}

/* Goes on with the table of the interrupted run; *fresh: it is damaged and was put aside, or it is missing. */
static vv_status continue_one(vv_results *r, const char *path, int64_t bytes, int64_t hash, vvi_file *file, bool *fresh)
{
  VV_TRY(vvi_file_continue(r->ctx, path, bytes, (uint64_t)hash, file, fresh));
  return *fresh ? vvi_put_aside(r->ctx, &r->arena, path, "rows go on") : VV_OK;
}

static vv_status open_one(vv_results *r, const char *name, int64_t bytes, int64_t hash, int n, const column *c,
                          vvi_file *file)
{
  const char *path = vvi_path(&r->arena, r->folder, name);
  bool fresh = true;
  if (path == NULL) return VV_NOMEM;
  if (r->resumed) VV_TRY(continue_one(r, path, bytes, hash, file, &fresh));
  if (!fresh) return VV_OK;
  VV_TRY(vvi_file_create(r->ctx, path, file));
  return write_head(r, file, n, c);
}

/* Is column i of the ledger written? */
static bool written(const vv_results *r, int i)
{
  return i != ENERGY_H2 || vv_boolean(vv_sub(r->model->root, "record"), "modified");
}

void vvi_csv_mark(vv_results *r)
{
  r->marks.ledger_bytes = r->ledger.bytes;
  r->marks.ledger_hash = (int64_t)r->ledger.hash;
  r->marks.events_bytes = r->events.bytes;
  r->marks.events_hash = (int64_t)r->events.hash;
  r->marks.contacts_bytes = r->contacts.bytes;
  r->marks.contacts_hash = (int64_t)r->contacts.hash;
}

vv_status vvi_csv_open(vv_results *r)
{
  const vvi_marks *k = &r->marks;
  column chosen[VV_COUNT(ledger_column)];
  int n = 0;
  for (int i = 0; i < VV_COUNT(ledger_column); i++)
    if (written(r, i)) chosen[n++] = ledger_column[i];
  VV_TRY(open_one(r, "ledger.csv", k->ledger_bytes, k->ledger_hash, n, chosen, &r->ledger));
  VV_TRY(open_one(r, "events.csv", k->events_bytes, k->events_hash, VV_COUNT(event_column), event_column, &r->events));
  VV_TRY(open_one(r, "contacts.csv", k->contacts_bytes, k->contacts_hash, VV_COUNT(contact_column), contact_column,
                  &r->contacts));
  /* the head is on disk from the start: a disk that is full already is found before the first step */
  VV_TRY(vvi_file_flush(&r->ledger, false));
  VV_TRY(vvi_file_flush(&r->events, false));
  VV_TRY(vvi_file_flush(&r->contacts, false));
  vvi_csv_mark(r);
  return VV_OK;
}

vv_status vvi_csv_row(vv_results *r, const vv_view *view)
{
  const vv_ledger *l = view->ledger;
  const vv_totals *now = &l->now;
  const double value[] = {(double)view->state->step,
                          view->state->t,
                          now->kinetic,
                          now->strain,
                          now->potential,
                          now->contact,
                          vv_sum_value(&l->posted.external_work),
                          vv_sum_value(&l->posted.friction_loss),
                          vv_sum_value(&l->posted.restitution_loss),
                          vv_totals_energy(now),
                          l->closure,
                          now->p[0],
                          now->p[1],
                          now->p[2],
                          now->L[0],
                          now->L[1],
                          now->L[2],
                          (double)l->contacts,
                          l->penetration,
                          l->nodal_now,
                          (double)l->impacts,
                          l->modified_now,
                          vv_sum_value(&l->posted.plastic_work),
                          vv_sum_value(&l->posted.viscous_loss),
                          vv_sum_value(&l->posted.damage_loss),
                          vv_sum_value(&l->posted.step_loss),
                          vv_sum_value(&l->posted.joint_work)};
  char row[VV_COUNT(value) * NUMBER_TEXT];
  size_t used = 0;
  _Static_assert(sizeof value / sizeof value[0] == sizeof ledger_column / sizeof ledger_column[0],
                 "one value a column");
  for (int i = 0; i < VV_COUNT(value); i++) {
    if (!written(r, i)) continue;
    used += (size_t)vvi_put_number(row + used, value[i]);
    row[used++] = i + 1 < VV_COUNT(value) ? ',' : '\n';
  }
  return vvi_file_write(&r->ledger, row, used);
}

vv_status vvi_csv_word(vvi_file *file, const char *word)
{
  if (word == NULL) word = "";
  if (strpbrk(word, ",\"\r\n") == NULL) {
    VV_TRY(vvi_file_text(file, word));
    return vvi_file_text(file, ",");
  }
  VV_TRY(vvi_file_text(file, "\""));
  for (const char *c = word; *c != '\0'; c++) {
    if (*c == '"') VV_TRY(vvi_file_text(file, "\""));
    VV_TRY(vvi_file_write(file, c, 1));
  }
  return vvi_file_text(file, "\",");
}

static vv_status write_numbers(vvi_file *file, int n, const double value[], char last)
{
  char text[16 * NUMBER_TEXT];
  size_t used = 0;
  VV_ASSERT(n <= 16);
  for (int i = 0; i < n; i++) {
    used += (size_t)vvi_put_number(text + used, value[i]);
    text[used++] = i + 1 < n ? ',' : last;
  }
  return vvi_file_write(file, text, used);
}

vv_status vvi_csv_event(vv_results *r, const vv_event *e)
{
  vvi_file *f = &r->events;
  const double number[] = {e->x[0],         e->x[1],           e->x[2],
                           e->n[0],         e->n[1],           e->n[2],
                           e->normal_speed, e->normal_impulse, e->tangential_impulse,
                           e->energy_jump};
  VV_TRY(write_numbers(f, 1, &e->time, ','));
  VV_TRY(vvi_csv_word(f, e->body_a));
  VV_TRY(vvi_csv_word(f, e->feature_a));
  VV_TRY(vvi_csv_word(f, e->body_b));
  VV_TRY(vvi_csv_word(f, e->feature_b));
  VV_TRY(write_numbers(f, VV_COUNT(number), number, ','));
  VV_TRY(vvi_csv_word(f, e->kind));
  VV_TRY(write_numbers(f, 1, &e->residual, ','));
  return vvi_file_print(f, "%lld,%lld\n", (long long)e->node_a, (long long)e->node_b);
}

vv_status vvi_csv_left_out(vv_results *r, int64_t events)
{
  if (events <= 0) return VV_OK;
  return vvi_file_print(&r->events, "# %lld more impacts are not in this table\n", (long long)events);
}

/* One finished contact of two bodies, or one that is open at the end. */
vv_status vvi_csv_contact(vv_results *r, const vv_episode *e)
{
  vvi_file *f = &r->contacts;
  const vv_body *body = r->model->body;
  const double time[] = {e->touch, e->release, e->release - e->touch};
  const double value[] = {e->normal,     e->tangential, e->impulse[0], e->impulse[1], e->impulse[2],
                          e->mean_force, e->peak_force, e->peak_time,  e->window,     e->energy_lost,
                          e->speed,      e->x[0],       e->x[1],       e->x[2]};
  VV_TRY(vvi_file_print(f, "%lld,%lld,", (long long)e->pair, (long long)e->number));
  VV_TRY(vvi_csv_word(f, body[e->body[0]].name));
  VV_TRY(vvi_file_print(f, "%d,", e->copy[0]));
  VV_TRY(vvi_csv_word(f, body[e->body[1]].name));
  VV_TRY(vvi_file_print(f, "%d,", e->copy[1]));
  VV_TRY(write_numbers(f, VV_COUNT(time), time, ','));
  VV_TRY(vvi_file_print(f, "%lld,", (long long)e->impulses));
  VV_TRY(write_numbers(f, VV_COUNT(value), value, ','));
  return vvi_file_print(f, "%d\n", (int)e->open);
}
