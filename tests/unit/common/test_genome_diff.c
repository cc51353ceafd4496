/* The difference of genomes in words: nothing of equal ones, something of every field that differs,
 * lines and counts that agree, also over random mutations and matings. */
#include "common/creature/genome_diff.h"

#include "common/genome/body_kind.h"
#include "common/genetics/genetics.h"
#include "tests/unit/genome_fixture.h"
#include "tests/suite.h"

static struct genome_diff counts;

/* The text, to be freed. */
static char *diff(const struct genome *before, const struct genome *after)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(genome_diff(before, after, out, &counts), 0);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

static int count_lines(const char *text, const char *mark)
{
    int count = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        count += !strncmp(line, mark, strlen(mark));
    return count;
}

static int count_genes(const struct genome *genome)
{
    return genome->body_count + genome->connection_count + genome->neuron_count;
}

/* What must hold for any two genomes. */
static void assert_diff_is_right(const struct genome *before, const struct genome *after)
{
    FREED char *text = diff(before, after);
    ck_assert_int_eq(text[0] == '\0', genome_is_equal(before, after));
    ck_assert_int_eq(count_lines(text, "+ "), counts.added);
    ck_assert_int_eq(count_lines(text, "- "), counts.removed);
    ck_assert_int_ge(count_lines(text, "~ "), counts.changed);
    ck_assert_int_eq(counts.same + counts.changed + counts.removed, count_genes(before));
    ck_assert_int_eq(counts.same + counts.changed + counts.added, count_genes(after));
}

TEST(equal_genomes_have_no_difference)
{
    SCOPED(genome) a, b;
    fixture_make(&a);
    fixture_make(&b);
    FREED char *text = diff(&a, &b);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(counts.same, count_genes(&a));
}

/* Changes of all sorts, and the line that must tell of each (or the line's beginning); that every
 * field is told check_fields() says. */
#define CHANGES(X)                                                                                 \
    X(g->root = ARM, "~ genome: root 1 -> 2\n")                                                    \
    X(g->bodies[1].width_m = 0.7, "~ body 2: width_m 0.15 -> 0.7\n")                               \
    X((g->bodies[1].joint = JOINT_LINEAR, g->bodies[1].upper = 0.5),                               \
      "~ body 2: joint rotary -> linear; limits_rad [-0.3333, 7.5] -> unset; limits_m unset -> "   \
      "[-0.3333, 0.5]\n")                                                                          \
    X(g->bodies[1].is_symmetric = 0, "~ body 2: symmetric true -> unset\n")                        \
    X(g->bodies[1].sensors ^= SENSOR_BIT(SENSOR_JOINT),                                            \
      "~ body 2: sensors [\"joint\", \"contact-left\"] -> [\"contact-left\"]\n")                   \
    X((g->bodies[1].has_effector = 0, g->bodies[1].effector_strength = 0,                          \
       g->bodies[1].effector_input = (struct input_gene){0}),                                      \
      "~ body 2: effector {\"input\": {\"neuron\": 200, \"of\": \"own\", \"weight\": -0.7}, "      \
      "\"strength\": 0.25} -> unset\n")                                                            \
    X((g->bodies[0].has_effector = 1, g->bodies[0].effector_strength = 0.5,                        \
       g->bodies[0].effector_input = fixture_constant(2, 1)),                                      \
      "~ body 1: effector unset -> {\"input\": 2, \"strength\": 0.5}\n")                           \
    X(g->bodies[1].effector_input.weight = 0.7, "~ body 2: effector.input.weight -0.7 -> 0.7\n")   \
    X(g->bodies[1].effector_input.source = ARM_FIRST + 1,                                          \
      "~ body 2: effector.input.neuron 200 -> 201\n")                                              \
    X(g->bodies[2].effector_input.sensor = SENSOR_CONTACT_LEFT,                                    \
      "~ body 1048579 [1024.3]: effector.input.sensor joint -> contact-left\n")                    \
    X(g->connections[2].from = HAND, "~ connection 13: from 2 -> 1048579\n")                       \
    X(g->connections[0].parent_position = 0, "~ connection 11: parent_position -0.3 -> unset\n")   \
    X(g->connections[0].scale = 2, "~ connection 11: scale unset -> 2\n")                          \
    X(g->connections[3].is_terminal_only = 0, "~ connection 14: terminal_only true -> unset\n")    \
    X(g->neurons[3].owner = 0, "~ neuron 103: in 1 -> central\n")                                  \
    X(g->neurons[1].function = NEURON_COS, "~ neuron 101: function abs -> cos\n")                  \
    X(g->neurons[0].initial = 0.5, "~ neuron 100: initial unset -> 0.5\n")                         \
    X(g->neurons[0].lag_image = 0.5, "~ neuron 100: lag_image unset -> 0.5\n")                     \
    X(g->neurons[0].lag_row = 0.25, "~ neuron 100: lag_row unset -> 0.25\n")                       \
    X(g->neurons[0].inputs[0].value = -1.5, "~ neuron 100: inputs.0 1.5 -> -1.5\n")                \
    X(g->neurons[0].inputs[2].weight = 2, "~ neuron 100: inputs.2.weight unset -> 2\n")            \
    X(g->neurons[3].inputs[1].via = TO_ARM_LEFT, "~ neuron 103: inputs.1.via 12 -> 11\n")          \
    X(g->neurons[2].inputs[0].via = ARM, "~ neuron 102: inputs.0.via 1 -> 2\n")                    \
    X(g->neurons[2].inputs[0].scope = SCOPE_OWN,                                                   \
      "~ neuron 102: inputs.0.of part -> own; inputs.0.via 1 -> unset\n")                          \
    X(genome_remove(g, GENOME_CONNECTIONS, 3),                                                     \
      "- connection 14: from 2, to 1048579, parent_face right, "                                   \
      "child_face right, terminal_only true\n")

enum {
#define X(statement, words) +1
    CHANGE_COUNT = CHANGES(X)
#undef X
};

/* Makes change number i; returns the words. */
static const char *change(struct genome *g, int i)
{
#define X(statement, words)                                                                        \
    if (i-- == 0) {                                                                                \
        statement;                                                                                 \
        return words;                                                                              \
    }
    CHANGES(X)
#undef X
    return NULL;
}

TEST_LOOP(changes_are_told_in_words, 0, CHANGE_COUNT)
{
    SCOPED(genome) a, b;
    fixture_make(&a);
    fixture_make(&b);
    const char *words = change(&b, _i);
    char *text = diff(&a, &b);
    ck_assert_msg(!strncmp(text, words, strlen(words)), "\n%sinstead of\n%s", text, words);
    ck_assert_int_eq(count_lines(text, ""), 1);
    free(text);
    assert_diff_is_right(&a, &b);
    assert_diff_is_right(&b, &a);
}

/* Another value of a field, right or not. */
static void change_field(const struct gene_field *table, const struct gene_field *field, void *gene)
{
    struct gene_range range = gene_range_of(table, field, gene);
    void *at = gene_at(gene, field);
    struct input_gene *inputs = at;
    double *reals = at;
    switch (field->type) {
    case GENE_REAL:
        reals[0] = (reals[0] + range.high) / 2 + 0.001;
        break;
    case GENE_LIMITS:
        reals[1] += 0.001;
        break;
    case GENE_SENSORS:
        *(uint64_t *)at ^= SENSOR_BIT(SENSOR_JOINT);
        break;
    case GENE_INPUT:
        inputs[0].weight += 1;
        break;
    case GENE_INPUTS:
        inputs[(int)range.high - 1].weight += 1;
        break;
    default:
        gene_set_number(field, gene,
                        gene_number(field, gene) == range.low ? range.high : range.low);
    }
}

static void (*const make_kind[BODY_KIND_COUNT])(struct genome *genome) = {
    fixture_make, fixture_make_spheres, fixture_make_boxes};

/* Each field that a gene of any kind uses counts: equality, hash and words know it. */
static int check_fields(int kind, int is_body, int row)
{
    const struct gene_field *table = is_body ? body_kinds[kind].body : body_kinds[kind].connection;
    int used = 0;
    for (const struct gene_field *field = table; field->name; field++) {
        SCOPED(genome) a, b;
        make_kind[kind](&a);
        make_kind[kind](&b);
        void *gene = is_body ? (void *)&b.bodies[row] : (void *)&b.connections[row];
        if (field->type == GENE_SENSORS ||
            (field->type != GENE_ID && gene_is_used(gene_range_of(table, field, gene)))) {
            used++;
            change_field(table, field, gene);
            ck_assert_msg(!genome_is_equal(&a, &b), "%s", field->name);
            ck_assert_msg(genome_hash(&a) != genome_hash(&b), "%s", field->name);
            FREED char *text = diff(&a, &b);
            ck_assert_msg(text[0] == '~', "%s: \"%s\"", field->name, text);
        }
    }
    return used;
}

TEST_LOOP(every_field_of_every_kind_is_told, 0, BODY_KIND_COUNT)
{
    SCOPED(genome) genome;
    int used = 0;
    make_kind[_i](&genome);
    for (int i = 0; i < genome.body_count; i++)
        used += check_fields(_i, 1, i);
    for (int i = 0; i < genome.connection_count; i++)
        used += check_fields(_i, 0, i);
    ck_assert_int_gt(used, 40);
}

TEST(new_genes_are_told_whole)
{
    SCOPED(genome) a, b;
    fixture_make(&a);
    fixture_make(&b);
    genome_remove(&a, GENOME_NEURONS, 0);
    genome_remove(&a, GENOME_BODIES, 1);
    char *text = diff(&a, &b);
    ck_assert_ptr_nonnull(strstr(text, "function oscillate-saw, inputs [1.5, "));
    ck_assert_ptr_nonnull(strstr(
        text, "+ body 2: width_m 0.15, height_m 0.2, joint rotary, limits_rad [-0.3333, 7.5], "
              "recursive_limit 3, symmetric true, sensors [\"joint\", \"contact-left\"], "
              "effector {\"input\": {\"neuron\": 200, \"of\": \"own\", \"weight\": -0.7}, "
              "\"strength\": 0.25}\n"));
    free(text);
    assert_diff_is_right(&a, &b);
}

TEST(another_order_is_told)
{
    SCOPED(genome) a, b;
    fixture_make(&a);
    fixture_make(&b);
    struct body_gene first = b.bodies[0];
    b.bodies[0] = b.bodies[1];
    b.bodies[1] = first;
    FREED char *text = diff(&a, &b);
    ck_assert_str_eq(text, "~ order of bodies: 1 2 1048579 -> 2 1 1048579\n");
    ck_assert_int_eq(counts.is_moved, 1);
    ck_assert_int_eq(counts.same, count_genes(&a));
}

/* Words and equality agree over whatever evolution does. */
TEST(relatives_are_compared_rightly)
{
    struct params params;
    struct genome a, b;
    char text[256];
    params_set_defaults(&params);
    struct rng rng = test_rng(77, 0, 0);
    for (uint64_t i = 1; i <= 600; i++) {
        struct gene_counter ids = {.creature = 3 * i};
        ck_assert_int_eq(genetics_random(&a, &params, &rng, &ids), 0);
        ck_assert_int_eq(genome_copy(&b, &a), 0);
        ids = (struct gene_counter){.creature = 3 * i + 1};
        ck_assert_int_eq(genetics_mutate(&b, (int)(i % 8), &params, &rng, &ids, text, sizeof(text)),
                         0);
        assert_diff_is_right(&a, &b);
        if (i % 3 == 0) {
            SCOPED(genome) child;
            ids = (struct gene_counter){.creature = 3 * i + 2};
            ck_assert_int_eq(
                (i % 2 ? genetics_graft : genetics_crossover)(&child, &a, &b, &params, &rng, &ids),
                0);
            assert_diff_is_right(&a, &child);
            assert_diff_is_right(&child, &b);
        }
        genome_deinit(&a);
        genome_deinit(&b);
    }
}

SUITE("genome_diff", 0, NULL, NULL)
