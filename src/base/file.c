/* base/file.c  Opens files for reading, and refuses pipes, folders and devices. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without waiting: a pipe that nobody writes to would hold the program for ever. */
FILE *vvi_open_plain(const char *path)
{
  struct stat s;
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  const bool plain = fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
  FILE *stream = plain ? fdopen(fd, "rb") : NULL;
  if (stream != NULL) return stream;
  const int why = plain ? errno : EINVAL;
  close(fd);
  errno = why;
  return NULL;
}
