/* io/results/h5_disk.h  How HDF5 reaches the disk: a driver that never fails in the middle.
 *
 * When a write fails (disk full), HDF5 1.10 leaves its cache half flushed, cannot close the file and crashes when the
 * process ends.  This driver tells the caller instead (`*error` = errno of the first failure) and lets HDF5 believe
 * that the rest was written, so that it closes in good order.  It takes no lock: a running run can be looked at. */
#pragma once
#include <hdf5.h>

/* Makes the files opened with this access list use the driver; *error must outlive the file. */
herr_t vvi_h5_disk_use(hid_t access_list, int *error);
/* The file descriptor of an open file; -1: none. */
int vvi_h5_disk_descriptor(hid_t file);
