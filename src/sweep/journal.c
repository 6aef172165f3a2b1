/* sweep/journal.c  journal/HOST-START-PID.csv: what one worker began and what came out.  Only ever appended to, by one process.
 *
 *   journal,NAME,CHECK                     its own name, first: of a copy rows count, and not once more what was begun or died
 *   start,CASE,CHECK                       it is being run
 *   stop,CASE,CHECK                        it was left in good order, and may be begun again
 *   crash,CASE,WHY,CHECK                   the process that ran it died
 *   row,CASE,SECONDS,STATUS,...,CHECK      what it came to; SECONDS is for the curious and goes into no table
 *
 * CHECK is a hash of the sweep and of the text before it: torn lines and rows of another plan count as nothing.  A row that a
 * power cut takes away is a case that is run again, so that the disk is waited for a few times a second only. */
#define _DEFAULT_SOURCE /* gethostname */
#include "io/file.h"
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHECK_BYTES = 16 };
static const double sync_every = 0.2; /* s */

static uint64_t check_of(const vv_sweep *s, const char *text, size_t bytes)
{
  return vvi_hash(vvi_hash(VVI_HASH_SEED, &s->hash, sizeof s->hash), text, bytes);
}

/* ---- writing ---- */

/* One call of write for one line: lines of a process that dies are whole or torn, never mixed. */
static vv_status write_line(vv_sweep *s, vvi_text *line)
{
  vvi_text_print(line, ",%016llx\n", (unsigned long long)check_of(s, line->c, line->n));
  if (line->nomem) return vvi_fail(s->ctx, VV_NOMEM, "out of memory");
  errno = 0;
  const ssize_t written = write(s->journal, line->c, line->n);
  if (written >= 0 && written < (ssize_t)line->n) errno = ENOSPC; /* a part of the line found room */
  return written == (ssize_t)line->n ? VV_OK : vvi_io_fail(s->ctx, s->folder, "journal not written");
}

static vv_status say_name(vv_sweep *s, const char *name)
{
  vvi_text line = {0};
  vvi_text_print(&line, "journal,%s", name);
  const vv_status status = write_line(s, &line);
  vvi_text_free(&line);
  return status;
}

static vv_status open_journal(vv_sweep *s)
{
  static const char folder[] = "journal/";
  char host[64] = "", name[160], path[VVI_SWEEP_PATH];
  if (s->journal >= 0 && s->journal_owner == (long)getpid()) return VV_OK;
  if (s->journal >= 0) close(s->journal); /* that of the parent */
  s->journal = -1;
  VV_TRY(vvi_sweep_own(s, "journal", path));
  if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') snprintf(host, sizeof host, "host");
  for (char *c = host; *c != '\0'; c++)
    if (*c == '/') *c = '_';
  for (int i = 0; s->journal < 0 && i < 1000; i++) {
    snprintf(name, sizeof name, "%s%s-%lld-%ld%s%.0d.csv", folder, host, (long long)time(NULL), (long)getpid(),
             i > 0 ? "-" : "", i);
    if (!vvi_sweep_path(s, name, path)) return VV_ARG;
    errno = 0;
    s->journal = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (s->journal < 0 && errno != EEXIST) break;
  }
  s->journal_owner = (long)getpid();
  return s->journal >= 0 ? say_name(s, name + sizeof folder - 1) : vvi_io_fail(s->ctx, path, "not created");
}

static vv_status append(vv_sweep *s, vvi_text *line, bool to_disk)
{
  vv_status status = open_journal(s);
  if (status == VV_OK) status = write_line(s, line);
  vvi_text_free(line);
  const double now = vvi_clock();
  if (status != VV_OK || (!to_disk && now - s->synced < sync_every)) return status;
  s->synced = now;
  if (fdatasync(s->journal) == 0 || errno == EINVAL || errno == EROFS) return VV_OK;
  return vvi_io_fail(s->ctx, s->folder, "journal not written to disk");
}

vv_status vvi_journal_start(vv_sweep *s, int64_t number)
{
  vvi_text line = {0};
  vvi_text_print(&line, "start,%lld", (long long)number);
  return append(s, &line, false);
}

vv_status vvi_journal_stop(vv_sweep *s, int64_t number)
{
  vvi_text line = {0};
  vvi_text_print(&line, "stop,%lld", (long long)number);
  return append(s, &line, true);
}

vv_status vvi_journal_crash(vv_sweep *s, int64_t number, const char *why)
{
  vvi_text line = {0};
  vvi_text_print(&line, "crash,%lld,", (long long)number);
  vvi_text_cell(&line, why);
  return append(s, &line, true);
}

vv_status vvi_journal_row(vv_sweep *s, int64_t number, const char *cells, double wall)
{
  vvi_text line = {0};
  vvi_text_print(&line, "row,%lld,%.3f,", (long long)number, wall);
  vvi_text_put(&line, cells);
  return append(s, &line, false);
}

/* The cells of a case that gave no numbers. */
vv_status vvi_journal_no_numbers(vv_sweep *s, int64_t number, vv_case_end end, const char *why)
{
  vvi_text cells = {0};
  vvi_text_print(&cells, "%s,", vv_case_text(end));
  vvi_text_cell(&cells, why);
  vvi_text_put(&cells, ",,,");
  for (int i = 0; i < s->plan.n_measure; i++) vvi_text_put(&cells, ",nan");
  const vv_status status =
      cells.nomem ? vvi_fail(s->ctx, VV_NOMEM, "out of memory") : vvi_journal_row(s, number, cells.c, 0.0);
  vvi_text_free(&cells);
  return status;
}

/* ---- reading ---- */

static vv_case_end end_of(const char *cells)
{
  const size_t n = strcspn(cells, ",");
  for (int e = 0; e < VV_CASE_ENDS; e++)
    if (strlen(vv_case_text((vv_case_end)e)) == n && strncmp(cells, vv_case_text((vv_case_end)e), n) == 0)
      return (vv_case_end)e;
  return VV_CASE_INTERRUPTED;
}

/* How it ended was decided by clocks or deaths: a row that was not goes before it. */
static bool by_chance(vv_case_end end)
{
  return end == VV_CASE_GAVE_UP || end == VV_CASE_TOO_LONG;
}

static vv_status take_row(vv_sweep *s, int64_t k, const char *cells)
{
  vvi_record *r = &s->record[k];
  const vv_case_end end = end_of(cells);
  if (end == VV_CASE_INTERRUPTED) return VV_OK;
  if (r->row != NULL && strcmp(r->row, cells) == 0) return VV_OK;
  if (r->row != NULL && by_chance(end)) return VV_OK;
  if (r->row != NULL && !by_chance(r->end))
    return vvi_fail(
        s->ctx, VV_INTERNAL,
        "%s: case %lld has two rows that differ: '%.60s' and '%.60s'; were they made on machines of different "
        "kinds, or with different builds?",
        s->folder, (long long)k, r->row, cells);
  free(r->row);
  r->row = strdup(cells);
  r->end = end;
  return r->row != NULL ? VV_OK : vvi_fail(s->ctx, VV_NOMEM, "out of memory");
}

/* `line`: without its end and its check. */
static vv_status take_line(vv_sweep *s, const char *line, bool copied)
{
  const char *comma = strchr(line, ',');
  char *end = NULL;
  const long long k = comma != NULL ? strtoll(comma + 1, &end, 10) : -1;
  if (k < 0 || k >= s->cases) return VV_OK;
  if (!copied && strncmp(line, "start,", 6) == 0) s->record[k].starts++;
  if (!copied && strncmp(line, "stop,", 5) == 0) s->record[k].stops++;
  if (!copied && strncmp(line, "crash,", 6) == 0) s->record[k].crashes++;
  if (strncmp(line, "row,", 4) != 0 || *end != ',') return VV_OK;
  const char *cells = strchr(end + 1, ',');
  return cells != NULL ? take_row(s, k, cells + 1) : VV_OK;
}

static vv_status read_journal(vv_sweep *s, const char *path)
{
  static const char first[] = "journal,";
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  bool copied = false;
  size_t bytes = 0;
  char *text = vvi_text_of_file(s->ctx, path, &bytes);
  vv_status status = text != NULL ? VV_OK : VV_IO;
  for (char *line = text, *next; status == VV_OK && line < text + bytes; line = next) {
    char *end = memchr(line, '\n', (size_t)(text + bytes - line));
    if (end == NULL) break; /* torn */
    next = end + 1;
    *end = '\0';
    char *check = strrchr(line, ','); /* zeros that a power cut has left end the line here, and its check is none */
    if (check == NULL || strlen(check + 1) != CHECK_BYTES) continue;
    if (strtoull(check + 1, NULL, 16) != check_of(s, line, (size_t)(check - line))) continue;
    *check = '\0';
    if (strncmp(line, first, sizeof first - 1) == 0)
      copied = strcmp(line + sizeof first - 1, name) != 0;
    else
      status = take_line(s, line, copied);
  }
  free(text);
  return status;
}

static void forget(vv_sweep *s)
{
  for (int64_t k = 0; k < s->cases; k++) {
    free(s->record[k].row);
    s->record[k] = (vvi_record){0};
  }
}

vv_status vvi_journal_read(vv_sweep *s)
{
  char folder[VVI_SWEEP_PATH], path[VVI_SWEEP_PATH];
  if (!vvi_sweep_path(s, "journal", folder)) return VV_ARG;
  forget(s);
  errno = 0;
  DIR *dir = opendir(folder);
  if (dir == NULL && errno == ENOENT) { /* who copied the sweep left an empty folder out */
    VV_TRY(vvi_folder_create(s->ctx, folder));
    dir = opendir(folder);
  }
  if (dir == NULL) return vvi_io_fail(s->ctx, folder, "not read");
  vv_status status = VV_OK;
  for (struct dirent *e; status == VV_OK && (e = readdir(dir)) != NULL;) {
    const size_t n = strlen(e->d_name);
    if (e->d_name[0] == '.' || n <= 4 || strcmp(e->d_name + n - 4, ".csv") != 0) continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path) status = read_journal(s, path);
  }
  closedir(dir);
  s->read = status == VV_OK;
  return status;
}

/* ---- who is to be run ---- */

/* A start that left no trace (a kill, a power cut, the system out of memory) costs less than a crash does. */
static bool is_lost(const vvi_plan *plan, const vvi_record *r)
{
  return r->crashes >= plan->tries || r->starts - r->stops - r->crashes >= plan->kills;
}

static vv_status give_up(vv_sweep *s, int64_t k)
{
  vvi_record *r = &s->record[k];
  char why[96];
  const bool crashed = r->crashes >= s->plan.tries;
  snprintf(why, sizeof why, crashed ? "the program died in it %lld times" : "begun %lld times and never finished",
           (long long)(crashed ? s->plan.tries : s->plan.kills));
  return vvi_journal_no_numbers(s, k, VV_CASE_GAVE_UP, why);
}

int64_t vv_sweep_left(vv_sweep *s, int share, int shares, int64_t *out)
{
  int64_t n = 0;
  if (shares < 1 || share < 0 || share >= shares) {
    (void)vvi_fail(s->ctx, VV_ARG, "there is no share %d of %d", share, shares);
    return -1;
  }
  if (vvi_sweep_check(s) != VV_OK || vvi_sweep_own_all(s) != VV_OK || vvi_journal_read(s) != VV_OK) return -1;
  for (int64_t k = share; k < s->cases; k += shares) {
    if (s->record[k].row != NULL) continue;
    if (!is_lost(&s->plan, &s->record[k]))
      out[n++] = k;
    else if (give_up(s, k) != VV_OK)
      return -1;
  }
  return n;
}

vv_status vv_sweep_crashed(vv_sweep *s, int64_t k, const char *why, vv_case_end *end)
{
  *end = VV_CASE_INTERRUPTED;
  if (k < 0 || k >= s->cases) return vvi_fail(s->ctx, VV_ARG, "there is no case %lld", (long long)k);
  VV_TRY(vvi_journal_crash(s, k, why));
  s->record[k].starts++;
  s->record[k].crashes++;
  if (!is_lost(&s->plan, &s->record[k])) return VV_OK;
  *end = VV_CASE_GAVE_UP;
  return give_up(s, k);
}

double vv_sweep_wall(const vv_sweep *s)
{
  return s->plan.wall;
}

vv_status vv_sweep_too_long(vv_sweep *s, int64_t k)
{
  char why[VVI_SWEEP_WHY];
  if (k < 0 || k >= s->cases) return vvi_fail(s->ctx, VV_ARG, "there is no case %lld", (long long)k);
  vvi_sweep_late(s, why);
  return vvi_journal_no_numbers(s, k, VV_CASE_TOO_LONG, why);
}

void vvi_sweep_late(const vv_sweep *s, char why[VVI_SWEEP_WHY])
{
  snprintf(why, VVI_SWEEP_WHY, "longer than %g s", s->plan.wall);
}

/* status, why, steps, time, hash */
bool vv_sweep_hash(vv_sweep *s, int64_t k, uint64_t *out)
{
  enum { MOST = 5 + 256 };
  char *cell[MOST], *next;
  if (k < 0 || k >= s->cases || vvi_journal_read(s) != VV_OK || s->record[k].row == NULL) return false;
  char *row = strdup(s->record[k].row);
  const bool known = row != NULL && vvi_csv_cut(row, cell, MOST, &next) >= 5 && cell[4][0] != '\0';
  if (known) *out = strtoull(cell[4], NULL, 16);
  free(row);
  return known;
}
