/* A directory of a test's own, and the files in it. */
#ifndef TESTS_UNIT_DIRECTORY_FIXTURE_H
#define TESTS_UNIT_DIRECTORY_FIXTURE_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/suite.h"

static char directory[64];

static inline void open_directory(void)
{
    strcpy(directory, "/tmp/bestiary-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

/* The path of that name in it. */
static inline const char *within(const char *name)
{
    return printed("%s/%s", directory, name);
}

static inline int count_files(void)
{
    int count = 0;
    DIR *files = opendir(directory);
    for (struct dirent *entry; (entry = readdir(files)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(files);
    return count;
}

/* With all that it holds. */
static inline void close_directory(void)
{
    ck_assert_int_eq(system(printed("/bin/rm -r '%s'", directory)), 0);
}

#endif
