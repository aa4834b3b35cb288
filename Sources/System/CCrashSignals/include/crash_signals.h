#ifndef PARLEY_CRASH_SIGNALS_H
#define PARLEY_CRASH_SIGNALS_H

// The terminal is restored when the program crashes.
#include "terminal_mode.h"

/// Ends a crashing process at once: replaces the handlers of the signals of a crash, writes one line to standard error and lets the signal
/// end the process. The line is "`program`: crashed (SIGSEGV). `advice`".
///
/// Further calls do nothing. Long texts are cut.
void parley_end_on_crash(const char *program, const char *advice);

/// Sets the byte at `mark` to 1 when the process crashes, if ``parley_end_on_crash`` was called before that.
///
/// Returns the number for ``parley_forget_mark``; -1 if 256 bytes are registered already.
int parley_mark_on_crash(unsigned char *mark);

/// Ends a registration of ``parley_mark_on_crash``. Does nothing for -1.
void parley_forget_mark(int number);

/// Hides the memory of the process: the process leaves no core dump, and no process of the same user can read its memory.
///
/// Returns 0, or the number of the error.
int parley_hide_memory(void);

#endif
