#include "common/system/find_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* directory/name into path; 1 if that is a program. */
static int is_program(const char *directory, int length, const char *name, char *path, size_t size)
{
    struct stat info;
    int written = snprintf(path, size, "%.*s/%s", length, directory, name);
    return written > 0 && (size_t)written < size && !stat(path, &info) && S_ISREG(info.st_mode) &&
           !access(path, X_OK);
}

int find_program(const char *name, char *path, size_t size, struct error *error)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *own = "this program";
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash && is_program(self, (int)(slash - self), name, path, size))
            return 0;
        own = slash ? slash + 1 : own;
    }
    const char *entry = getenv("PATH");
    while (entry && *entry) {
        int span = (int)strcspn(entry, ":");
        if (span > 0 && is_program(entry, span, name, path, size))
            return 0;
        entry += span + (entry[span] == ':');
    }
    return error_set(error, ERR_MISSING, "%s: the program is neither beside %s nor in PATH", name,
                     own);
}
