/* controller digest: are two runs equal, and if not, from where on? */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/math/hash.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"

static const char help[] = "usage: controller digest RUN_DIR\n"
                           "Prints a hash for each generation and one for the whole run, over "
                           "everything that two runs with\n"
                           "the same parameters and seed have in common: parameters, genomes, "
                           "parents, methods, mutations,\n"
                           "verdicts, measures, motions, fitness, ranks. Times, workers, attempts "
                           "and settings of the farm\n"
                           "do not count. Compare two runs with:\n"
                           "\n"
                           "  diff <(controller digest A) <(controller digest B)\n"
                           "\n"
                           "The first line that differs is the first generation that does.\n";

static int print_digests(struct store *store, struct error *error)
{
    struct store_digest *generations;
    uint64_t whole;
    char text[17];
    int count;
    int status = store_get_digests(store, &whole, &generations, &count, error);
    if (status)
        return status;
    for (int i = 0; i < count; i++) {
        hash_to_text(generations[i].hash, text);
        output_print(stdout, "generation %" PRIu32 " %s%s\n", generations[i].generation, text,
                     generations[i].is_closed ? "" : " incomplete");
    }
    hash_to_text(whole, text);
    output_print(stdout, "run %s\n", text);
    free(generations);
    return 0;
}

int command_digest(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    opterr = 0;
    int answer = getopt_long(argc, argv, ":h", options, NULL);
    if (answer == 'h') {
        output_lines(stdout, help);
        return command_finish_output();
    }
    if (answer != -1)
        return command_bad_option(argv, options, answer);
    int result = command_check_operands(argc, argv, 1, 1, "RUN_DIR");
    if (result)
        return result;

    struct store *store = NULL;
    struct error error = {0};
    int status = command_open_run(argv[optind], &store, &error);
    if (!status)
        status = print_digests(store, &error);
    store_close(store);
    return status ? command_fail(&error) : command_finish_output();
}
