#pragma once

#include <stddef.h>
#include <stdint.h>

/// Addresses from `start` up to `end`.
typedef struct {
    uintptr_t start;
    uintptr_t end;
} program_range;

/// Lets go of the pages of those parts of some ranges that show segments of the program and its libraries which nobody may write; what is used
/// again is read from the files. Does nothing outside Linux.
///
/// The ranges say where it is worth while, and may be of a moment ago. What stands in their place now is looked at here: while the loader tells of
/// an object its lock is held, so that no library is taken away and another thread's memory put in its place. Other memory is not touched, nor
/// is what the loader changes: that is in segments that can be written, also where they are protected later.
void program_files_forget(const program_range *ranges, size_t count);
