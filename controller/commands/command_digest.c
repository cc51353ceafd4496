/* controller digest: are two runs equal, and if not, from where on? */
#include <inttypes.h>
#include <stdlib.h>

#include "common/math/hash.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"

static int print_digests(const char *directory, void *request, struct error *error)
{
    struct store *store = NULL;
    struct store_digest *generations;
    uint64_t whole;
    char text[17];
    int count;
    int status = command_open_run(directory, &store, NULL, error);
    if (!status)
        status = store_get_digests(store, &whole, &generations, &count, error);
    store_close(store);
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

RUN_COMMAND(digest, print_digests, NULL, "hashes of what two equal runs have in common", NULL,
            "Prints a hash for each generation and one for the whole run, over everything that "
            "two runs with the same parameters and seed have in common: parameters, genomes, "
            "parents, methods, mutations, verdicts, measures, motions, fitness, ranks. Times, "
            "workers, attempts and settings of the farm do not count. Compare two runs with:\n\n  "
            "diff <(controller digest A) <(controller digest B)\n\nThe first line that differs is "
            "the first generation that does.");
