/* A run by ask and tell: library_run PARAMS.ini IN_FLIGHT prints its digest as `controller digest`
 * does. Results are told last in, first out. */
#include <bestiary.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

static int fail(const struct bestiary_error *error)
{
    fprintf(stderr, "library_run: %s\n", error->message);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static char ini[1 << 16];
    struct bestiary_error error = {0, "no parameters"};
    struct bestiary_params *params = NULL;
    struct bestiary_search *search = NULL;
    struct bestiary_bytes tasks[MOST], result;
    int room = argc > 2 ? atoi(argv[2]) : 1, waiting = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file || room < 1 || room > MOST)
        return fail(&error);
    ini[fread(ini, 1, sizeof ini - 1, file)] = '\0';
    fclose(file);
    if (bestiary_params_make(&params, ini, &error) || bestiary_search_make(&search, params, &error))
        return fail(&error);
    do {
        while (waiting < room) {
            if (bestiary_search_ask(search, &tasks[waiting], &error))
                return fail(&error);
            if (!tasks[waiting].length)
                break;
            waiting++;
        }
        for (int i = 0; waiting > 0 && i < (room + 1) / 2; i++) {
            struct bestiary_bytes *task = &tasks[--waiting];
            if (bestiary_task(params, task->data, task->length, &result, &error) ||
                bestiary_search_tell(search, result.data, result.length, &error))
                return fail(&error);
            bestiary_bytes_free(task);
            bestiary_bytes_free(&result);
        }
        struct bestiary_progress progress;
        bestiary_search_progress(search, &progress);
        room = progress.is_finished ? 0 : room;
    } while (room > 0);
    while (waiting > 0)
        bestiary_bytes_free(&tasks[--waiting]);
    printf("run %016" PRIx64 "\n", bestiary_search_digest(search));
    bestiary_search_free(search);
    bestiary_params_free(params);
    return EXIT_SUCCESS;
}
