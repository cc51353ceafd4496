/* Files and folders that a program is still making: a signal that ends it removes them. */
#ifndef COMMON_SYSTEM_UNFINISHED_H
#define COMMON_SYSTEM_UNFINISHED_H

/* From here to unfinished_end(), SIGINT, SIGTERM and SIGHUP remove the file before they end the
 * process. A signal that the program handles or ignores itself is left to it. A few at a time;
 * more, and names longer than a path may be, are not watched. For one thread. */
void unfinished_begin(const char *path);
void unfinished_end(const char *path);

#endif
