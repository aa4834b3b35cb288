#ifndef PARLEY_CRASH_SIGNALS_H
#define PARLEY_CRASH_SIGNALS_H

// What a program has taken over is given back when it crashes.
#include "terminal_mode.h"

/// Ends a process that crashes at once: takes the signals of a crash away from whoever handles them, writes one line to standard error and
/// lets the signal end the process. The line is "`program`: crashed (SIGSEGV). `advice`".
///
/// Does nothing when it is called again. Texts that are too long are cut.
void parley_end_on_crash(const char *program, const char *advice);

/// Sets the byte at `mark` to 1 when the process crashes, if ``parley_end_on_crash`` was called before that.
///
/// Returns the number for ``parley_forget_mark``; -1 if 256 bytes are to be set already.
int parley_mark_on_crash(unsigned char *mark);

/// Ends what ``parley_mark_on_crash`` began. Does nothing for -1.
void parley_forget_mark(int number);

/// Keeps the memory of the process from others: it leaves no core dump, and no process of the same user can read it.
///
/// Returns 0, or the number of the error.
int parley_hide_memory(void);

#endif
