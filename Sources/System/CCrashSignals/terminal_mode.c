#include "terminal_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios before, editing;
static volatile sig_atomic_t is_taken = 0;
static int wake[2] = { -1, -1 };

static void put(const char *text) {
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written;
}

static void apply(void) {
    tcsetattr(STDIN_FILENO, TCSADRAIN, &editing);
    put("\033[?2004h");
}

static void give_back(void) {
    put("\033[?2004l");
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

void parley_terminal_restore(void) {
    if (!is_taken) return;
    is_taken = 0;
    int error = errno;
    give_back();
    errno = error;
}

static void notify(char kind) {
    int error = errno;
    ssize_t written = write(wake[1], &kind, 1);
    (void)written;
    errno = error;
}

static void set_handler(int number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, NULL);
}

static void ended(int number) {
    parley_terminal_restore();
    signal(number, SIG_DFL);
    raise(number);
}

static void suspended(int number) {
    int error = errno;
    if (is_taken) give_back();
    signal(number, SIG_DFL);
    raise(number);
    // The process stops when the signal is unblocked, and continues here.
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, number);
    sigprocmask(SIG_UNBLOCK, &stop, NULL);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    set_handler(number, suspended);
    // Without a shell with job control, the process is not stopped, and no signal continues it.
    if (is_taken) apply();
    notify('c');
    errno = error;
}

static void continued(int number) {
    (void)number;
    int error = errno;
    if (is_taken) apply();
    errno = error;
    notify('c');
}

static void resized(int number) {
    (void)number;
    notify('w');
}

int parley_terminal_take(void) {
    if (is_taken) return wake[0];
    if (wake[0] < 0) {
        if (tcgetattr(STDIN_FILENO, &before) != 0) return -1;
        if (pipe(wake) != 0) return -1;
        for (int end = 0; end < 2; end++) {
            fcntl(wake[end], F_SETFD, FD_CLOEXEC);
            fcntl(wake[end], F_SETFL, O_NONBLOCK);
        }
        editing = before;
        editing.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | IEXTEN);
        editing.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
        editing.c_cc[VMIN] = 1;
        editing.c_cc[VTIME] = 0;
        const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
        for (unsigned index = 0; index < sizeof ends / sizeof *ends; index++) {
            struct sigaction old;
            // A signal that the parent made the process ignore, as nohup does, stays ignored.
            if (sigaction(ends[index], NULL, &old) == 0 && old.sa_handler != SIG_DFL) continue;
            set_handler(ends[index], ended);
        }
        set_handler(SIGTSTP, suspended);
        set_handler(SIGCONT, continued);
        set_handler(SIGWINCH, resized);
        atexit(parley_terminal_restore);
    }
    is_taken = 1;
    apply();
    return wake[0];
}

void parley_terminal_set_signals(int on) {
    if (!is_taken) return;
    if (on) editing.c_lflag |= ISIG;
    else editing.c_lflag &= ~(tcflag_t)ISIG;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &editing);
}
