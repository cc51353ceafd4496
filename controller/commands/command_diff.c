/* controller diff: what differs between two creatures' genomes, in words. */
#include <inttypes.h>

#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "common/creature/genome_diff.h"

static void print_heading(const char *mark, const char *name, const struct creature *creature)
{
    output_print(stdout, "%s %s", mark, name);
    if (creature->id)
        output_print(stdout, ": creature %" PRIu64, creature->id);
    if (creature->method[0])
        output_print(stdout, ", %s", creature->method);
    command_print_parents(creature);
    if (creature->mutations[0])
        output_print(stdout, ", mutated: %s", creature->mutations);
    output_print(stdout, "\n");
}

static int print_difference(char **names, const struct creature *a, const struct creature *b,
                            struct error *error)
{
    struct genome_diff counts;

    print_heading("---", names[0], a);
    print_heading("+++", names[1], b);
    if (genome_diff(&a->genome, &b->genome, stdout, &counts))
        return error_memory(error);
    if (genome_is_equal(&a->genome, &b->genome))
        output_print(stdout, "the genomes are equal: %d genes\n", counts.same);
    else
        output_print(stdout, "%d genes the same, %d changed, %d added, %d removed\n", counts.same,
                     counts.changed, counts.added, counts.removed);
    return 0;
}

static int diff(char **names, int count, void *request, struct error *error)
{
    struct creature a, b;
    creature_init(&a);
    creature_init(&b);
    int has_failed = command_read_creature(names[0], &a, error) ||
                     command_read_creature(names[1], &b, error) ||
                     print_difference(names, &a, &b, error);
    creature_deinit(&a);
    creature_deinit(&b);
    return has_failed ? error->code : 0;
}

OPERAND_COMMAND(
    diff, diff, 2, 2, "A (a creature)|B (another creature)", "A B",
    "what differs between two creatures' genomes, in words",
    "Says what differs between the genomes of two creatures (files, or RUN_DIR:ID), for "
    "example a parent and its child. Genes are matched by their ids: + only B has it, - "
    "only A has it, ~ both have it and it changed. Fields have the names of creature files "
    "(docs/creature-format.md). In brackets stands where a gene comes from: [55.1] is the "
    "first gene of creature 55; ids without were written by hand.");
