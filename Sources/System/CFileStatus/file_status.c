#define _GNU_SOURCE
#include "file_status.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

// Swift cannot import statx, whose declaration needs _GNU_SOURCE.
int parley_file_status(const char *path, struct parley_file_status *status) {
    memset(status, 0, sizeof *status);
#ifdef __linux__
    struct statx found;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &found) != 0) return errno;
    if (!(found.stx_mask & STATX_INO)) return ENOTSUP;
    status->inode = found.stx_ino;
    if ((found.stx_mask & STATX_BTIME) && found.stx_btime.tv_sec != 0) {
        status->has_birth = 1;
        status->birth_seconds = found.stx_btime.tv_sec;
        status->birth_nanoseconds = found.stx_btime.tv_nsec;
    }
#else
    struct stat found;
    if (stat(path, &found) != 0) return errno;
    status->inode = found.st_ino;
#ifdef __APPLE__
    status->has_birth = 1;
    status->birth_seconds = found.st_birthtimespec.tv_sec;
    status->birth_nanoseconds = (uint32_t)found.st_birthtimespec.tv_nsec;
#endif
#endif
    return 0;
}
