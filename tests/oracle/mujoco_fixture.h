/* Loading what we write for MuJoCo, from memory, and tables of what it says. */
#ifndef TESTS_ORACLE_MUJOCO_FIXTURE_H
#define TESTS_ORACLE_MUJOCO_FIXTURE_H

#include <check.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int prints_table; /* of the documentation */

/* One number that was measured, under the name that the documentation has for it. */
static inline void report(const char *what, double largest, double allowed)
{
    if (prints_table)
        printf("| %s | %.1e | %.0e |\n", what, largest, allowed);
    ck_assert_msg(largest <= allowed, "%s: %.3e, allowed are %.1e", what, largest, allowed);
}

/* The caller's, to be deleted. */
static inline mjModel *mujoco_load(const char *text, size_t size)
{
    char message[500] = "";
    mjVFS *files = malloc(sizeof *files);
    ck_assert_ptr_nonnull(files);
    mj_defaultVFS(files);
    ck_assert_int_eq(mj_makeEmptyFileVFS(files, "body.xml", (int)size), 0);
    memcpy(files->filedata[0], text, size);
    mjModel *model = mj_loadXML("body.xml", files, message, sizeof message);
    mj_deleteFileVFS(files, "body.xml");
    free(files);
    ck_assert_msg(model != NULL, "MuJoCo refuses the body: %s\n%s", message, text);
    return model;
}

#endif
