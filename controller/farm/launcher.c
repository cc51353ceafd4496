/* The words of farm.launcher. They are separated by spaces and tabs; there are no quotes. */
#include "controller/farm/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1 if the name is a program that can be run: a path, or a name in PATH. */
static int has_program(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL || path == NULL)
        return access(name, X_OK) == 0;
    while (*path != '\0') {
        size_t length = strcspn(path, ":");
        char candidate[4096];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
        if (access(candidate, X_OK) == 0)
            return 1;
        path += length + (path[length] == ':');
    }
    return 0;
}

/* Cuts the words in place; their count, or ERR_* with a message. */
static int split(char *words, char *argv[LAUNCHER_WORDS_MAX], struct error *error)
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        if (count == LAUNCHER_WORDS_MAX)
            return error_set(error, ERR_LIMIT, "farm.launcher: more than %d words",
                             LAUNCHER_WORDS_MAX);
        argv[count++] = word;
    }
    if (count > 0 && !has_program(argv[0]))
        return error_set(error, ERR_MISSING, "farm.launcher: program not found: %s", argv[0]);
    return count;
}

int launcher_check(const char *words, struct error *error)
{
    char *copy = strdup(words), *argv[LAUNCHER_WORDS_MAX];
    if (copy == NULL)
        return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    int count = split(copy, argv, error);
    free(copy);
    return count < 0 ? count : 0;
}

int launcher_init(struct launcher *launcher, const char *words, const char *simulator_path,
                  struct error *error)
{
    *launcher = (struct launcher){.words = strdup(words), .simulator_path = strdup(simulator_path)};
    if (launcher->words == NULL || launcher->simulator_path == NULL)
        return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    int count = split(launcher->words, launcher->argv, error);
    if (count < 0)
        return count;
    launcher->word_count = count;
    launcher->argv[count] = launcher->simulator_path;
    launcher->argv[count + 1] = NULL;
    if (count == 0 && !has_program(simulator_path))
        return error_set(error, ERR_MISSING, "simulator not found: %s", simulator_path);
    return 0;
}

void launcher_deinit(struct launcher *launcher)
{
    free(launcher->words);
    free(launcher->simulator_path);
    *launcher = (struct launcher){0};
}
