
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/file.h"
#include "controller/workers/program.h"

int scratch_open(struct scratch *scratch, const char *purpose, struct error *error)
{
    const char *place = getenv("TMPDIR");
    int written = snprintf(scratch->directory, sizeof scratch->directory, "%s/bestiary-%s-XXXXXX",
                           place && *place ? place : "/tmp", purpose);
    if (written >= (int)sizeof scratch->directory) {
        scratch->directory[0] = '\0';
        return error_set(error, ERR_LIMIT, "TMPDIR: the path is too long");
    }
    if (mkdtemp(scratch->directory))
        return 0;
    error_set(error, ERR_IO, "%s: %s", scratch->directory, strerror(errno));
    scratch->directory[0] = '\0';
    return error->code;
}

void scratch_close(const struct scratch *scratch)
{
    DIR *directory = scratch->directory[0] ? opendir(scratch->directory) : NULL;
    if (!directory)
        return;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        unlinkat(dirfd(directory), entry->d_name, 0); /* fails for "." and "..", as it must */
    closedir(directory);
    rmdir(scratch->directory);
}

void scratch_path(const struct scratch *scratch, const char *name, char path[RUN_PATH_SIZE])
{
    snprintf(path, RUN_PATH_SIZE, "%s/%.60s", scratch->directory, name);
}

int scratch_run(const struct scratch *scratch, const char *program, char *const *argv,
                char **output, struct error *error)
{
    char path[RUN_PATH_SIZE];
    size_t length;
    *output = NULL;
    scratch_path(scratch, "output", path);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return error_set(error, ERR_IO, "%s: %s", path, strerror(errno));
    int result = program_run_into(program, argv, file, error);
    close(file);
    int status =
        result < 0 ? result : file_read(path, SCRATCH_OUTPUT_BYTES_MAX, output, &length, error);
    return status ? status : result;
}
