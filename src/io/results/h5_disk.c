/* io/results/h5_disk.c  The file driver: pread, pwrite, ftruncate, commits, and a memory of the first failure. */
#include "io/results/h5_disk.h"
#include "io/file.h"
#include "io/results/h5_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct access_info {
  int *error;
} access_info;

typedef struct disk {
  H5FD_t pub; /* HDF5's own part, must be first */
  int fd;
  haddr_t end_allocated, end_of_file;
  dev_t device;
  ino_t inode;
  int *error;
  bool write;
  char *journal;   /* its path */
  vvi_pages pages; /* what the next commit changes; of a file that is only read: what a killed one left to do */
} disk;

static void drop(disk *d)
{
  vvi_pages_begin(&d->pages, 0);
  free(d->journal);
  close(d->fd);
  free(d);
}

static char *journal_of(const char *name)
{
  const size_t n = strlen(name) + sizeof ".journal";
  char *journal = malloc(n);
  if (journal != NULL) snprintf(journal, n, "%s.journal", name);
  return journal;
}

/* A commit that a kill cut short is done first; a new file has none to do. */
static bool catch_up(disk *d, bool fresh)
{
  uint64_t end = d->end_of_file;
  const bool whole = !fresh && vvi_pages_recall(&d->pages, d->journal, &end);
  d->end_of_file = end;
  if (whole && d->write) return vvi_pages_commit(&d->pages, d->fd, d->journal, end, false);
  if (d->write && unlink(d->journal) != 0 && errno != ENOENT) return false;
  if (!whole) vvi_pages_begin(&d->pages, fresh ? 0 : end);
  return true;
}

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t fapl, haddr_t max)
{
  (void)max;
  const access_info *info = H5Pget_driver_info(fapl);
  const bool fresh = (flags & H5F_ACC_CREAT) != 0, write = (flags & H5F_ACC_RDWR) != 0;
  if (info == NULL) return NULL;
  struct stat s;
  const int fd =
      fresh ? vvi_create(name) : open(name, O_NONBLOCK | O_CLOEXEC | (write ? O_RDWR | O_NOFOLLOW : O_RDONLY));
  if (fd < 0) return NULL;
  disk *d = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) ? calloc(1, sizeof *d) : NULL;
  if (d == NULL) {
    close(fd);
    return NULL;
  }
  d->fd = fd;
  d->end_of_file = (haddr_t)s.st_size;
  d->device = s.st_dev;
  d->inode = s.st_ino;
  d->error = info->error;
  d->write = write;
  d->journal = journal_of(name);
  if (d->journal != NULL && catch_up(d, fresh)) return &d->pub;
  drop(d);
  return NULL;
}

static void note(disk *d)
{
  if (*d->error == 0) *d->error = errno != 0 ? errno : EIO;
}

/* After a failure the file stays what it was. */
static void commit(disk *d, bool to_disk)
{
  errno = 0;
  if (d->write && *d->error == 0 && !vvi_pages_commit(&d->pages, d->fd, d->journal, d->end_of_file, to_disk)) note(d);
}

static herr_t disk_close(H5FD_t *file)
{
  disk *d = (disk *)file;
  commit(d, false);
  drop(d);
  return 0;
}

static int disk_compare(const H5FD_t *a, const H5FD_t *b)
{
  const disk *x = (const disk *)a, *y = (const disk *)b;
  if (x->device != y->device) return x->device < y->device ? -1 : 1;
  return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static herr_t disk_query(const H5FD_t *file, unsigned long *flags)
{
  (void)file;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t disk_get_allocated(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const disk *)file)->end_allocated;
}

static herr_t disk_set_allocated(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((disk *)file)->end_allocated = address;
  return 0;
}

static haddr_t disk_get_end(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const disk *)file)->end_of_file;
}

static herr_t disk_handle(H5FD_t *file, hid_t fapl, void **handle)
{
  (void)fapl;
  *handle = file;
  return 0;
}

/* What lies behind the end of the file reads as zeros. */
static herr_t disk_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, void *buffer)
{
  (void)type, (void)dxpl;
  const disk *d = (const disk *)file;
  const ssize_t n = vvi_read_at(d->fd, buffer, size, address);
  if (n < 0) return -1;
  memset((char *)buffer + n, 0, size - (size_t)n);
  vvi_pages_get(&d->pages, address, size, buffer);
  return 0;
}

static herr_t disk_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, const void *buffer)
{
  (void)type, (void)dxpl;
  disk *d = (disk *)file;
  size_t wait = 0;
  errno = 0;
  if (*d->error == 0 && !(vvi_pages_put(&d->pages, d->fd, address, size, buffer, &wait) &&
                          vvi_write_at(d->fd, (const char *)buffer + wait, size - wait, address + wait)))
    note(d);
  address += size; /* after a failure HDF5 believes that all is there */
  if (address > d->end_of_file) d->end_of_file = address;
  return 0;
}

static herr_t disk_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing)
{
  (void)dxpl, (void)closing;
  disk *d = (disk *)file;
  if (d->end_allocated == d->end_of_file) return 0;
  errno = 0;
  if (*d->error == 0 && d->end_allocated >= d->pages.kept && ftruncate(d->fd, (off_t)d->end_allocated) != 0) note(d);
  d->end_of_file = d->end_allocated; /* what lies before `kept` is cut off by a commit */
  return 0;
}

static const H5FD_class_t disk_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600,
#endif
    .name = "visviva",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(access_info),
    .open = disk_open,
    .close = disk_close,
    .cmp = disk_compare,
    .query = disk_query,
    .get_eoa = disk_get_allocated,
    .set_eoa = disk_set_allocated,
    .get_eof = disk_get_end,
    .get_handle = disk_handle,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t vvi_h5_disk_use(hid_t access_list, int *error)
{
  const access_info info = {.error = error};
  const hid_t driver = H5FDregister(&disk_class);
  if (driver >= 0) H5Pset_driver(access_list, driver, &info);
  return driver;
}

void vvi_h5_disk_leave(hid_t driver)
{
  if (driver >= 0) H5FDunregister(driver);
}

void vvi_h5_disk_commit(hid_t file, bool to_disk)
{
  disk *d = NULL;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&d) >= 0 && d != NULL) commit(d, to_disk);
}
