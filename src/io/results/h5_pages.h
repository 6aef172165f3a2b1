/* io/results/h5_pages.h  Pages of a file that are to change, kept until they can change together.
 *
 * HDF5 describes its data in places all over the file and writes them in an order of its own, into space, too, that it has freed
 * but that the description on the disk still uses.  A process that is killed in between leaves a file that describes nothing.  So
 * what the file holds already is not overwritten as HDF5 asks: changed pages wait here, and a commit writes them to a journal
 * beside the file, then to the file, then removes the journal.  Whoever finds a whole journal does the rest; half of one is
 * nothing, since the file has not been touched yet.  At every moment file and journal are the file of the last commit or of the
 * one before, and bytes behind its end. */
#pragma once
#include "base/base.h"

#include <sys/types.h>

enum { VVI_PAGE = 4096 };

typedef struct vvi_page vvi_page;

typedef struct vvi_pages {
  vvi_page **slot; /* by number, open addressing */
  size_t n, slots; /* slots: a power of two, or none */
  uint64_t kept;   /* what lies before it is changed by commits only; whole pages */
} vvi_pages;

/* Of a file with `end` bytes; the pages that wait are dropped. */
void vvi_pages_begin(vvi_pages *p, uint64_t end);
/* Takes the part of a write that lies before `kept`: *taken bytes of it.  False: out of memory, or the file cannot be read. */
bool vvi_pages_put(vvi_pages *p, int fd, uint64_t address, size_t size, const void *from, size_t *taken);
/* Lays waiting pages over what was read from the file. */
void vvi_pages_get(const vvi_pages *p, uint64_t address, size_t size, void *to);
/* All waiting pages to the file, which then has `end` bytes; to_disk: no power cut tears it, either.  False with errno: not done,
 * or done in part, with a whole journal. */
bool vvi_pages_commit(vvi_pages *p, int fd, const char *journal, uint64_t end, bool to_disk);
/* The pages of a whole journal wait again, *end is the end of their file.  False: there is none, or half of one. */
bool vvi_pages_recall(vvi_pages *p, const char *journal, uint64_t *end);

/* Up to the end of the file: how many bytes were there, -1: an error. */
ssize_t vvi_read_at(int fd, void *to, size_t size, uint64_t address);
bool vvi_write_at(int fd, const void *from, size_t size, uint64_t address);
