#ifndef PARLEY_TERMINAL_MODE_H
#define PARLEY_TERMINAL_MODE_H

/// Takes over the terminal on standard input for a line editor: keys arrive one by one and are not echoed, and a paste is marked as one.
///
/// The terminal is restored when the process exits, crashes or is ended by a signal, and while it is suspended. Returns a descriptor from which a
/// byte can be read when the size of the terminal has changed (`w`), and when the process continues after a suspension (`c`); -1 if standard input
/// is not a terminal that can be taken over. A second call returns the same descriptor.
int parley_terminal_take(void);

/// Sets whether Ctrl-C and Ctrl-Z send signals, which they do while no line is edited.
void parley_terminal_set_signals(int on);

/// Restores the terminal. Can be called in signal handlers, and when the terminal was not taken over.
void parley_terminal_restore(void);

#endif
