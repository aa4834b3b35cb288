#ifndef PARLEY_TERMINAL_MODE_H
#define PARLEY_TERMINAL_MODE_H

/// Takes over the terminal on standard input for a line editor: keys come one by one and are not shown, a paste is marked as one.
///
/// The terminal is given back when the process exits, crashes or is ended by a signal, and while it is suspended. Returns a descriptor from which a
/// byte can be read when the size of the terminal has changed (`w`), and when the process goes on after it was suspended (`c`); -1 if standard input
/// is no terminal that can be taken over. A second call returns the same.
int parley_terminal_take(void);

/// Lets Ctrl-C and Ctrl-Z send signals, which they do while no line is edited.
void parley_terminal_set_signals(int on);

/// Gives the terminal back. Can be called in handlers of signals, and when nothing was taken.
void parley_terminal_restore(void);

#endif
