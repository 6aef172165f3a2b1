/* io/results/h5_disk.h  How HDF5 reaches the disk: a driver that never fails in the middle.
 *
 * When a write fails (disk full), HDF5 1.10 leaves its cache half flushed, cannot close the file and crashes when the
 * process ends.  This driver tells the caller instead (`*error` = errno of the first failure) and lets HDF5 believe
 * that the rest was written, so that it closes in good order.  It takes no lock: a running run can be looked at.
 * Nothing that is in the file is changed but by commits, which a kill does not tear (h5_pages.h). */
#pragma once
#include <hdf5.h>
#include <stdbool.h>

/* Makes the files opened with this access list use the driver; *error must outlive the file.  Returns the driver, which is to be left
 * once the file is closed and not before: closing reads its class. */
hid_t vvi_h5_disk_use(hid_t access_list, int *error);
void vvi_h5_disk_leave(hid_t driver);
/* What was flushed is in the file from here on; to_disk: after a power cut, too.  A failure is in *error. */
void vvi_h5_disk_commit(hid_t file, bool to_disk);
