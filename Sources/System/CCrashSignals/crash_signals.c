#include "crash_signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

// The signals with which faults of a program end it, with the lines that are written then. The lines are prepared, because a signal handler
// must not format text.
static struct {
    int number;
    const char *name;
    char line[256];
    size_t length;
} signals[] = {
    { SIGILL, "SIGILL", "", 0 },
    { SIGTRAP, "SIGTRAP", "", 0 },
    { SIGSEGV, "SIGSEGV", "", 0 },
    { SIGBUS, "SIGBUS", "", 0 },
    { SIGFPE, "SIGFPE", "", 0 },
    { SIGABRT, "SIGABRT", "", 0 },
};

enum { count = sizeof(signals) / sizeof(signals[0]) };

// Bytes that are set when the process crashes; NULL for a free place.
static unsigned char *marks[256];

enum { mark_count = sizeof(marks) / sizeof(marks[0]) };

static void append(char *line, size_t *length, size_t limit, const char *text) {
    while (*text != 0 && *length < limit) line[(*length)++] = *text++;
}

static void crashed(int number) {
    parley_terminal_restore();
    for (int index = 0; index < count; index++) {
        if (signals[index].number != number) continue;
        ssize_t written = write(STDERR_FILENO, signals[index].line, signals[index].length);
        (void)written;
    }
    for (int index = 0; index < mark_count; index++) {
        unsigned char *mark = __atomic_load_n(&marks[index], __ATOMIC_ACQUIRE);
        if (mark != NULL) __atomic_store_n(mark, 1, __ATOMIC_RELEASE);
    }
    // The signal is pending until this handler returns, and then ends the process.
    signal(number, SIG_DFL);
    raise(number);
}

void parley_end_on_crash(const char *program, const char *advice) {
    static int installed = 0;
    if (__atomic_exchange_n(&installed, 1, __ATOMIC_ACQ_REL)) return;
    for (int index = 0; index < count; index++) {
        char *line = signals[index].line;
        size_t length = 0, limit = sizeof(signals[index].line) - 1;
        append(line, &length, limit / 2, program);
        append(line, &length, limit, ": crashed (");
        append(line, &length, limit, signals[index].name);
        append(line, &length, limit, "). ");
        append(line, &length, limit, advice);
        line[length++] = '\n';
        signals[index].length = length;

        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = crashed;
        // All signals are blocked meanwhile: threads that crash together write one line. The handler runs on an alternate stack if there is
        // one, because the thread's stack may be exhausted.
        sigfillset(&action.sa_mask);
        action.sa_flags = SA_ONSTACK | SA_RESETHAND;
        sigaction(signals[index].number, &action, NULL);
    }
}

int parley_mark_on_crash(unsigned char *mark) {
    for (int index = 0; index < mark_count; index++) {
        unsigned char *none = NULL;
        if (__atomic_compare_exchange_n(&marks[index], &none, mark, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return index;
    }
    return -1;
}

void parley_forget_mark(int number) {
    if (number >= 0 && number < mark_count) __atomic_store_n(&marks[number], NULL, __ATOMIC_RELEASE);
}

int parley_hide_memory(void) {
    struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
#ifdef __linux__
    // A core dump handler of the system (`|/usr/lib/…` in core_pattern) gets core dumps despite the limit.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
#endif
    return 0;
}
