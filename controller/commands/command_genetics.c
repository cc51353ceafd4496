/* controller random, mutate, breed: genetics by hand, on creature files.
 *
 * The same functions as in a run, with their streams of random numbers named by --seed and by the
 * creature's number. That number is made of the seed, the command and the parents' genomes, so that
 * genes made by hand get ids that no other creature has: runs count from 1, by hand it is one of
 * 2^24 numbers above 2^24. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/creature/genome_diff.h"
#include "common/math/hash.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "common/genetics/genetics.h"

#define NUMBER_BIT UINT64_C(0x1000000)

/* Most mutations that --count takes; how often mutating is tried until something has changed. */
enum { COUNT_MAX = 64, TRIES = 100 };

/* The command line. Assignments point into argv. */
struct request {
    const char *command;
    const char *output, *params_path, *method;
    struct option_list assignments;
    int is_text, is_forced;
    struct params params;
    int64_t mutation_count; /* -1: to be drawn */
    int64_t seed_number;    /* -1: to be drawn */
    int is_drawn;
    struct sight_exchange see;
};

/* ---- the command line ---- */

static int read_params(struct request *request)
{
    struct error error = {0};
    int status = 0;
    params_set_defaults(&request->params);
    if (request->params_path && params_read_file(&request->params, request->params_path, &error))
        return command_fail(&error);
    for (int i = 0; !status && i < request->assignments.count; i++)
        status = params_set_assignment(&request->params, request->assignments.items[i], &error);
    if (status)
        return command_usage(request->command, "%s", error.message);
    return params_check(&request->params, &error) ? command_fail(&error) : 0;
}

/* Short, since people type it again. */
static int64_t draw_seed(void)
{
    uint32_t bytes = 0;
    ssize_t length = getrandom(&bytes, sizeof bytes, 0);
    ENSURE(length == sizeof bytes, "%zd bytes from getrandom()", length);
    return bytes;
}

/* Numbers, names, parameters. Returns 0 or an exit code. */
static int check_options(struct request *request, int operand_count)
{
    if (operand_count == 2 && !request->method)
        return command_usage(request->command, "--method crossover or --method graft is missing");
    if (request->method && strcmp(request->method, "crossover") != 0 &&
        strcmp(request->method, "graft") != 0)
        return command_usage(request->command, "--method '%s' is neither crossover nor graft",
                             request->method);
    if (request->see.is_given && request->mutation_count < 0)
        request->mutation_count = 0;
    request->is_drawn = request->seed_number < 0;
    if (request->is_drawn)
        request->seed_number = draw_seed();
    return read_params(request);
}

/* Returns -1 to go on, or an exit code. */
static int parse_request(const struct command *command, int argc, char **argv, int operand_count,
                         struct request *request)
{
    request->command = argv[0];
    request->seed_number = -1;
    struct error error;
    int result = command_begin(command, argc, argv, request, operand_count, operand_count,
                               "A (a creature)|B (another creature)");
    if (result >= 0 || (result = check_options(request, operand_count)) != 0)
        return result;
    return command_check_new(request->output, request->is_forced, &error) ? command_fail(&error)
                                                                          : -1;
}

/* ---- numbers of creatures ---- */

/* A number of which no parent has a gene. */
static uint64_t draw_number(const struct request *request, const struct creature *parents,
                            int parent_count)
{
    uint64_t hash = hash_bytes(HASH_START, request->command, strlen(request->command)), number;
    int is_used = 1;
    for (int i = 0; i < parent_count; i++)
        hash = hash_u64(hash, genome_hash(&parents[i].genome));
    if (request->method)
        hash = hash_bytes(hash, request->method, strlen(request->method));
    number = NUMBER_BIT | rng_mix_seed((uint64_t)request->seed_number, hash) % NUMBER_BIT;
    while (is_used) {
        is_used = 0;
        for (int i = 0; i < parent_count; i++)
            is_used |= genetics_has_genes_of(&parents[i].genome, number);
        number += (uint64_t)is_used;
    }
    return number;
}

/* ---- making ---- */

/* The streams of a creature made by hand. */
static struct rng make_stream(const struct request *request, enum rng_purpose purpose,
                              uint64_t number)
{
    struct rng rng;
    rng_init(&rng, (uint64_t)request->seed_number, purpose, 0, number);
    return rng;
}

/* 0, ERR_MEMORY, or ERR_MISSING if there are to be mutations and none can be made. */
static int mutate(const struct request *request, struct creature *child, int is_mated,
                  struct gene_counter *ids)
{
    struct rng rng = make_stream(request, RNG_MUTATION, child->id);
    int count = (int)request->mutation_count, status = 0, tries = TRIES;
    if (count < 0) {
        count = genetics_mutation_count(&request->params, is_mated, &rng);
        count = count ? count : 1;
    }
    while (count && !status && !child->mutations[0]) {
        if (tries-- == 0)
            return ERR_MISSING;
        status = genetics_mutate(&child->genome, count, &request->params, &rng, ids,
                                 child->mutations, sizeof child->mutations);
    }
    return status;
}

/* Fills `child` from its parents. 0, or as mutate(). */
static int make_child(const struct request *request, const struct creature *parents,
                      int parent_count, struct creature *child)
{
    struct gene_counter ids = {.creature = draw_number(request, parents, parent_count)};
    const struct params *params = &request->params;
    struct rng rng;
    int status;
    child->id = ids.creature;
    for (int i = 0; i < parent_count; i++)
        child->parents[i] = parents[i].id;
    if (parent_count == 0) {
        snprintf(child->method, sizeof child->method, "random");
        rng = make_stream(request, RNG_RANDOM_GENOME, child->id);
        return genetics_random(&child->genome, params, &rng, &ids);
    }
    snprintf(child->method, sizeof child->method, "%s",
             parent_count == 2 ? request->method : "asexual");
    rng = make_stream(request, RNG_BREEDING, child->id);
    if (parent_count == 1)
        status = genome_copy(&child->genome, &parents[0].genome);
    else
        status = (strcmp(request->method, "crossover") ? genetics_graft : genetics_crossover)(
            &child->genome, &parents[0].genome, &parents[1].genome, params, &rng, &ids);
    if (!status && request->see.is_given)
        genome_exchange_sights(&child->genome, request->see.sights[0], request->see.sights[1]);
    return status ? status : mutate(request, child, parent_count == 2, &ids);
}

static void print_child(const struct request *request, const struct creature *child,
                        char **operands, int parent_count)
{
    output_print(stdout, "%s: creature %" PRIu64 " (%s), %d bodies, %d connections, %d neurons\n",
                 request->output, child->id, child->method, child->genome.body_count,
                 child->genome.connection_count, child->genome.neuron_count);
    if (request->is_drawn)
        output_print(stdout, "repeat it:   --seed %" PRId64 "\n", request->seed_number);
    if (parent_count > 0)
        output_print(stdout, "mutations:   %s\n", child->mutations[0] ? child->mutations : "none");
    if (parent_count > 0)
        output_print(stdout, "compare:     controller diff %s %s\n", operands[0], request->output);
    output_print(stdout, "watch it:    viewer %s\n", request->output);
}

static int write_child(const struct request *request, char **operands, int parent_count,
                       struct error *error)
{
    struct creature parents[2], child;
    int status = 0;
    creature_init(&child);
    creature_init(&parents[0]);
    creature_init(&parents[1]);
    for (int i = 0; !status && i < parent_count; i++)
        status = command_read_creature(operands[i], &parents[i], error);
    if (!status) {
        status = make_child(request, parents, parent_count, &child);
        if (status)
            error_set(error, status, "%s",
                      status == ERR_MISSING ? "no mutation is possible with these parameters"
                                            : error_text(status));
    }
    if (!status)
        status = creature_write(&child, request->output, request->is_text, error);
    if (!status)
        print_child(request, &child, operands, parent_count);
    creature_deinit(&parents[0]);
    creature_deinit(&parents[1]);
    creature_deinit(&child);
    return status;
}

static int make_creature(const struct command *command, int argc, char **argv, int operand_count,
                         struct request *request)
{
    struct error error = {0};
    int result = parse_request(command, argc, argv, operand_count, request);
    if (result < 0)
        result = command_end(argv[0], write_child(request, argv + optind, operand_count, &error),
                             &error);
    free(request->assignments.items);
    return result;
}

static int command_random(int argc, char **argv)
{
    struct request request = {.output = "random.creature"};
    return make_creature(&random_command, argc, argv, 0, &request);
}

static int command_mutate(int argc, char **argv)
{
    struct request request = {.output = "mutant.creature", .mutation_count = -1};
    return make_creature(&mutate_command, argc, argv, 1, &request);
}

static int command_breed(int argc, char **argv)
{
    struct request request = {.output = "child.creature"};
    return make_creature(&breed_command, argc, argv, 2, &request);
}

/* ---- the tables ---- */

#define OUTPUT(preset) "output", 'o', "FILE", "default: " preset, OPTION_AT(TEXT, request, output)
#define COUNT(help)                                                                                \
    "count", 0, "N", help, OPTION_AT(WHOLE, request, mutation_count), .max = COUNT_MAX
/* The options that all three commands have. */
#define COMMON                                                                                     \
    {"seed",                                                                                       \
     0,                                                                                            \
     "N",                                                                                          \
     "repeats a result; default: another each time, which is printed",                             \
     OPTION_AT(WHOLE, request, seed_number),                                                       \
     .max = OPTION_WHOLE_MAX},                                                                     \
        {"params", 0, "FILE",                                                                      \
         "settings from a parameter file (sections mutation, breeding, initial)",                  \
         OPTION_AT(TEXT, request, params_path)},                                                   \
        {"set", 's', "KEY=VALUE", "set a parameter, over the file; may be repeated",               \
         OPTION_AT(LIST, request, assignments)},                                                   \
        {"text", 0, NULL, "readable JSON instead of the binary form",                              \
         OPTION_AT(FLAG, request, is_text)},                                                       \
    {                                                                                              \
        "force", 0, NULL, "overwrite the file if it exists", OPTION_AT(FLAG, request, is_forced)   \
    }

static const struct option_row random_options[] = {
    {OUTPUT("random.creature")}, COMMON, {.name = NULL}};
static const struct option_row mutate_options[] = {
    {OUTPUT("mutant.creature")},
    {COUNT("number of mutations, 0 .. 64; default: drawn as in a run, but at least one")},
    {"see", 0, "FROM:TO",
     "what A sees of one thing from afar (light, other, object) it sees of the other; without "
     "--count nothing else changes",
     OPTION_AT(READ, request, see), .read = sights_read_exchange},
    COMMON,
    {.name = NULL}};
static const struct option_row breed_options[] = {
    {"method", 'm', "NAME", "crossover or graft", OPTION_AT(TEXT, request, method)},
    {OUTPUT("child.creature")},
    {COUNT("mutations of the child, 0 .. 64; default 0")},
    COMMON,
    {.name = NULL}};

COMMAND(random, "", "a creature with a random genome", random_options,
        "Writes a creature with a random genome, as in the first generation of a run.");
COMMAND(mutate, "A", "a mutant of a creature", mutate_options,
        "Writes a mutant of creature A (a file, or RUN_DIR:ID) and says what was changed.");
COMMAND(breed, "A B --method crossover|graft", "a child of two creatures", breed_options,
        "Writes a child of creatures A and B (files, or RUN_DIR:ID). Crossover takes the "
        "genes of one and the other in turn; graft puts a part of B with all that hangs on it "
        "in the place of one of A.");

/* controller diff: what differs between two creatures' genomes, in words. */

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
