#ifndef PARLEY_FILE_STATUS_H
#define PARLEY_FILE_STATUS_H

#include <stdint.h>

/// The numbers that a file system gives a file.
struct parley_file_status {
    /// The number of the inode.
    uint64_t inode;
    /// 1 if the time of birth is known, else 0.
    int has_birth;
    /// The time of birth: seconds since 1970, and nanoseconds.
    int64_t birth_seconds;
    uint32_t birth_nanoseconds;
};

/// Reads the numbers of the file at a path.
///
/// Returns 0, or the number of the error.
int parley_file_status(const char *path, struct parley_file_status *status);

#endif
