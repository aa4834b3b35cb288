// In C because `dl_iterate_phdr` is not in Swift's module of the C library, and so that nothing of a runtime is called while the loader waits.
#define _GNU_SOURCE
#include "program_files.h"

#ifdef __linux__

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    const program_range *ranges;
    size_t count;
    uintptr_t page_mask;
} request;

static void forget(const request *request, uintptr_t start, uintptr_t end) {
    for (size_t index = 0; index < request->count; index++) {
        const program_range range = request->ranges[index];
        const uintptr_t lower = range.start > start ? range.start : start, upper = range.end < end ? range.end : end;
        // What the kernel does not let go of, such as locked pages, stays.
        if (lower < upper) (void)madvise((void *)lower, upper - lower, MADV_DONTNEED);
    }
}

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
    const request *request = data;
    (void)size;
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        forget(request, start & ~request->page_mask, (start + segment->p_memsz + request->page_mask) & ~request->page_mask);
    }
    return 0;
}

void program_files_forget(const program_range *ranges, size_t count) {
    request request = {ranges, count, (uintptr_t)sysconf(_SC_PAGESIZE) - 1};
    (void)dl_iterate_phdr(visit, &request);
}

#else

void program_files_forget(const program_range *ranges, size_t count) {
    (void)ranges;
    (void)count;
}

#endif
