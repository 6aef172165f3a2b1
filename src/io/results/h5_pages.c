/* io/results/h5_pages.c  Keeps changed pages of a file until they can be written together, which no kill tears. */
#include "io/results/h5_pages.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct vvi_page {
  uint64_t number;
  unsigned char data[VVI_PAGE];
};

/* The journal: this head, then the pages that lie before the end of the file. */
typedef struct head {
  char name[16];
  uint64_t n, end, hash; /* hash: of n, end and all pages */
} head;

static const char NAME[16] = "visviva journal";

/* ---- table ---- */

/* Where a page is, or the free slot where it would be.  Fibonacci hashing: neighbouring numbers go far apart. */
static vvi_page **find(const vvi_pages *p, uint64_t number)
{
  size_t i = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (p->slots - 1);
  while (p->slot[i] != NULL && p->slot[i]->number != number) i = (i + 1) & (p->slots - 1);
  return &p->slot[i];
}

static bool grow(vvi_pages *p)
{
  vvi_pages more = {.n = p->n, .slots = p->slots > 0 ? 2 * p->slots : 64};
  more.slot = calloc(more.slots, sizeof(vvi_page *));
  if (more.slot == NULL) return false;
  for (size_t i = 0; i < p->slots; i++)
    if (p->slot[i] != NULL) *find(&more, p->slot[i]->number) = p->slot[i];
  free(p->slot);
  p->slot = more.slot, p->slots = more.slots;
  return true;
}

static vvi_page *add(vvi_pages *p, uint64_t number)
{
  if (2 * (p->n + 1) > p->slots && !grow(p)) return NULL;
  vvi_page *page = calloc(1, sizeof *page);
  if (page == NULL) return NULL;
  page->number = number;
  p->n++;
  return *find(p, number) = page;
}

void vvi_pages_begin(vvi_pages *p, uint64_t end)
{
  for (size_t i = 0; i < p->slots; i++) free(p->slot[i]);
  free(p->slot);
  *p = (vvi_pages){.kept = (end + VVI_PAGE - 1) / VVI_PAGE * VVI_PAGE};
}

/* ---- whole reads and writes ---- */

ssize_t vvi_read_at(int fd, void *to, size_t size, uint64_t address)
{
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(fd, (char *)to + done, size - done, (off_t)(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += (size_t)n;
  }
  return (ssize_t)done;
}

bool vvi_write_at(int fd, const void *from, size_t size, uint64_t address)
{
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pwrite(fd, (const char *)from + done, size - done, (off_t)(address + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

/* ---- writes and reads of HDF5 ---- */

/* The part of page `number` that [address, address + size) covers. */
static size_t part(uint64_t number, uint64_t address, uint64_t size, size_t *from)
{
  const uint64_t first = number * VVI_PAGE, a = address > first ? address : first;
  const uint64_t b = address + size < first + VVI_PAGE ? address + size : first + VVI_PAGE;
  *from = (size_t)(a - first);
  return (size_t)(b - a);
}

bool vvi_pages_put(vvi_pages *p, int fd, uint64_t address, size_t size, const void *from, size_t *taken)
{
  const uint64_t end = address + size < p->kept ? address + size : p->kept;
  *taken = address < end ? (size_t)(end - address) : 0;
  for (uint64_t k = address / VVI_PAGE; *taken > 0 && k * VVI_PAGE < end; k++) {
    vvi_page *page = p->slots > 0 ? *find(p, k) : NULL;
    if (page == NULL && ((page = add(p, k)) == NULL || vvi_read_at(fd, page->data, VVI_PAGE, k * VVI_PAGE) < 0))
      return false;
    size_t at;
    const size_t n = part(k, address, *taken, &at);
    memcpy(page->data + at, (const char *)from + (k * VVI_PAGE + at - address), n);
  }
  return true;
}

void vvi_pages_get(const vvi_pages *p, uint64_t address, size_t size, void *to)
{
  for (uint64_t k = address / VVI_PAGE; p->n > 0 && k * VVI_PAGE < address + size; k++) {
    const vvi_page *page = *find(p, k);
    if (page == NULL) continue;
    size_t at;
    const size_t n = part(k, address, size, &at);
    memcpy((char *)to + (k * VVI_PAGE + at - address), page->data + at, n);
  }
}

/* ---- commits ---- */

/* Pages of what was cut off are no pages of the file any more. */
static bool listed(const vvi_page *page, uint64_t end)
{
  return page != NULL && page->number * VVI_PAGE < end;
}

static head describe(const vvi_pages *p, uint64_t end)
{
  head h = {.end = end};
  memcpy(h.name, NAME, sizeof NAME);
  for (size_t i = 0; i < p->slots; i++) h.n += listed(p->slot[i], end);
  h.hash = vvi_hash(vvi_hash(0, &h.n, sizeof h.n), &h.end, sizeof h.end);
  for (size_t i = 0; i < p->slots; i++)
    if (listed(p->slot[i], end)) h.hash = vvi_hash(h.hash, p->slot[i], sizeof *p->slot[i]);
  return h;
}

static bool write_journal(const vvi_pages *p, const char *journal, uint64_t end, bool to_disk)
{
  const head h = describe(p, end);
  const int fd = vvi_create(journal);
  if (fd < 0) return false;
  bool ok = vvi_write_at(fd, &h, sizeof h, 0);
  uint64_t at = sizeof h;
  for (size_t i = 0; ok && i < p->slots; i++)
    if (listed(p->slot[i], end)) ok = vvi_write_at(fd, p->slot[i], sizeof(vvi_page), at), at += sizeof(vvi_page);
  if (ok && to_disk) ok = fsync(fd) == 0 || errno == EINVAL;
  const int why = errno;
  close(fd);
  if (!ok) unlink(journal), errno = why;
  return ok;
}

static bool apply(const vvi_pages *p, int fd, uint64_t end)
{
  for (size_t i = 0; i < p->slots; i++) {
    const vvi_page *page = p->slot[i];
    if (!listed(page, end)) continue;
    const uint64_t left = end - page->number * VVI_PAGE;
    if (!vvi_write_at(fd, page->data, left < VVI_PAGE ? (size_t)left : VVI_PAGE, page->number * VVI_PAGE)) return false;
  }
  return true;
}

bool vvi_pages_commit(vvi_pages *p, int fd, const char *journal, uint64_t end, bool to_disk)
{
  struct stat s;
  if (fstat(fd, &s) != 0) return false;
  const bool changes = p->n > 0 || (uint64_t)s.st_size > end;
  if (to_disk && fsync(fd) != 0 && errno != EINVAL) return false;
  if (changes) {
    if (!write_journal(p, journal, end, to_disk) || !apply(p, fd, end) || ftruncate(fd, (off_t)end) != 0) return false;
    if (to_disk && fsync(fd) != 0 && errno != EINVAL) return false;
    if (unlink(journal) != 0) return false;
  }
  vvi_pages_begin(p, end);
  return true;
}

/* Pages come back as they were written: the hash is that of their order in the file. */
static bool read_journal(vvi_pages *p, int fd, uint64_t *end)
{
  head h;
  if (vvi_read_at(fd, &h, sizeof h, 0) != (ssize_t)sizeof h || memcmp(h.name, NAME, sizeof NAME) != 0) return false;
  uint64_t hash = vvi_hash(vvi_hash(0, &h.n, sizeof h.n), &h.end, sizeof h.end);
  for (uint64_t i = 0; i < h.n; i++) {
    vvi_page page;
    if (vvi_read_at(fd, &page, sizeof page, sizeof h + i * sizeof page) != (ssize_t)sizeof page) return false;
    if (page.number > h.end / VVI_PAGE || (p->slots > 0 && *find(p, page.number) != NULL)) return false;
    hash = vvi_hash(hash, &page, sizeof page);
    vvi_page *mine = add(p, page.number);
    if (mine == NULL) return false;
    *mine = page;
  }
  *end = h.end;
  return hash == h.hash;
}

bool vvi_pages_recall(vvi_pages *p, const char *journal, uint64_t *end)
{
  vvi_pages_begin(p, 0);
  const int fd = open(journal, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool whole = read_journal(p, fd, end);
  close(fd);
  if (whole)
    p->kept = (*end + VVI_PAGE - 1) / VVI_PAGE * VVI_PAGE;
  else
    vvi_pages_begin(p, 0);
  return whole;
}
