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
    if (creature->parents[0])
        output_print(stdout, " of %" PRIu64, creature->parents[0]);
    if (creature->parents[1])
        output_print(stdout, " and %" PRIu64, creature->parents[1]);
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

static int command_diff(int argc, char **argv)
{
    struct creature a, b;
    struct error error = {0};
    int result;

    result = command_parse(&diff_command, argc, argv, NULL);
    if (result >= 0)
        return result;
    result = command_check_operands(argc, argv, 2, 2,
                                    argc == optind ? "A (a creature)" : "B (another creature)");
    if (result)
        return result;
    creature_init(&a);
    creature_init(&b);
    if (command_read_creature(argv[optind], &a, &error) ||
        command_read_creature(argv[optind + 1], &b, &error) ||
        print_difference(argv + optind, &a, &b, &error))
        result = command_fail(&error);
    else
        result = command_finish_output();
    creature_deinit(&a);
    creature_deinit(&b);
    return result;
}

const struct command diff_command = {
    .program = "controller",
    .name = "diff",
    .operands = "A B",
    .summary = "what differs between two creatures' genomes, in words",
    .about =
        "Says what differs between the genomes of two creatures (files, or RUN_DIR:ID), for "
        "example a parent and its child. Genes are matched by their ids: + only B has it, - "
        "only A has it, ~ both have it and it changed. Fields have the names of creature files "
        "(docs/creature-format.md). In brackets stands where a gene comes from: [55.1] is the "
        "first gene of creature 55; ids without were written by hand.",
    .run = command_diff};
