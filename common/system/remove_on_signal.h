/* Files and folders that a program is still making: a signal that ends it removes them. */
#ifndef COMMON_SYSTEM_REMOVE_ON_SIGNAL_H
#define COMMON_SYSTEM_REMOVE_ON_SIGNAL_H

/* From here to remove_on_signal_end(), SIGINT, SIGTERM and SIGHUP remove the file before they end the
 * process. A signal that the program handles or ignores itself is left to it. A few at a time;
 * more, and names longer than a path may be, are not watched. For one thread. */
void remove_on_signal_begin(const char *path);
void remove_on_signal_end(const char *path);

#endif
