/* See genetics_numbers.h. Rows of the tables of genes say what is a number and how far it goes, as
 * for mutations. */
#include "common/genetics/genetics_numbers.h"

#include <math.h>
#include <stdlib.h>

#include "common/genetics/genetics_mutation.h"
#include "common/genetics/genetics_random.h"
#include "common/math/detmath.h"

#define LEAST_SHARE  0.15 /* of the numbers change, on average */
#define LEAST_COUNT  2.0
#define LEAST_WEIGHT 0.2
#define LEAST_PHASE  0.5
#define LAST_TURN    (1.0 - 0x1p-53)

struct list {
    struct genetics_number *numbers; /* NULL: they are counted only */
    int count;
};

static void note(struct list *list, struct genetics_number number)
{
    if (list->numbers)
        list->numbers[list->count] = number;
    list->count++;
}

static void note_input(struct list *list, struct input_gene *input)
{
    note(list, (struct genetics_number){.at = input->kind == INPUT_CONSTANT ? &input->value
                                                                            : &input->weight,
                                        .low = -GENOME_WEIGHT_MAX,
                                        .high = GENOME_WEIGHT_MAX,
                                        .least = LEAST_WEIGHT,
                                        .is_brain = 1});
}

/* A gate at 0 says that its group does not exist. */
static void note_real(struct list *list, const struct params *params,
                      const struct gene_field *table, const struct gene_field *field, void *gene)
{
    struct genetics_number number = {.at = gene_at(gene, field),
                                     .is_brain = (field->flags & GENE_BRAIN) != 0};
    if ((field->flags & GENE_GATE) && *number.at == 0)
        return;
    mutation_bound_number(params, table, field, gene, &number.low, &number.high);
    number.low = det_min(number.low, number.high);
    number.least = field->mutation.least > 0 ? field->mutation.least : number.low;
    note(list, number);
}

static void note_limits(struct list *list, const struct gene_field *field, void *gene,
                        struct gene_range range)
{
    double *limits = gene_at(gene, field), least = field->mutation.least;
    least *= gene_assumed(field, gene);
    if (range.low < 0)
        note(list, (struct genetics_number){&limits[0], range.low, 0, least, 0, 0});
    note(list, (struct genetics_number){&limits[1], 0, range.high, least, 0, 0});
}

static void note_field(struct list *list, const struct params *params,
                       const struct gene_field *table, const struct gene_field *field, void *gene)
{
    struct gene_range range = gene_range_of(table, field, gene);
    int is_brain = (field->flags & GENE_BRAIN) != 0;
    int is_changed = is_brain || (field->mutation.change != CHANGE_NONE && params->mutation_body);
    if (!is_changed || range.low == range.high)
        return;
    if (field->type == GENE_REAL)
        note_real(list, params, table, field, gene);
    else if (field->type == GENE_LIMITS)
        note_limits(list, field, gene, range);
    else if (field->type == GENE_INPUT)
        note_input(list, gene_at(gene, field));
    else if (field->type == GENE_INPUTS)
        for (int i = 0; i < (int)range.high; i++)
            note_input(list, (struct input_gene *)gene_at(gene, field) + i);
}

static void note_neuron(struct list *list, struct neuron_gene *neuron)
{
    for (int i = 0; i < neuron_functions[neuron->function].input_count; i++)
        note_input(list, &neuron->inputs[i]);
    if (genome_is_oscillator(neuron->function))
        note(list, (struct genetics_number){&neuron->initial, 0, LAST_TURN, LEAST_PHASE, 1, 1});
}

static void note_all(struct list *list, struct genome *genome, const struct params *params)
{
    list->count = 0;
    for (int i = 0; i < genome->neuron_count; i++)
        note_neuron(list, &genome->neurons[i]);
    for (int table = 0; table < GENOME_NEURONS; table++) {
        const struct gene_field *fields = body_kind_genes(genome->kind, table);
        for (int i = 0; i < genome->counts[table]; i++)
            for (const struct gene_field *field = fields; field->name; field++)
                note_field(list, params, fields, field, genome_row(genome, table, i));
    }
}

int genetics_list_numbers(struct genome *genome, const struct params *params,
                          struct genetics_number **numbers, int *count)
{
    struct list list = {NULL, 0};
    note_all(&list, genome, params);
    list.numbers = calloc((size_t)list.count + 1, sizeof *list.numbers);
    *numbers = list.numbers;
    *count = 0;
    if (!list.numbers)
        return ERR_MEMORY;
    note_all(&list, genome, params);
    *count = list.count;
    return 0;
}

/* A sum of three uniform numbers has the variance 1. */
static double draw_step(struct rng *rng)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += rng_uniform(rng, -1, 1);
    return sum;
}

static void change(struct genome *genome, const struct genetics_number *number, double step,
                   struct rng *rng)
{
    double before = *number->at, after;
    struct error error;
    after = before + step * det_max(fabs(before), number->least) * draw_step(rng);
    if (number->is_turn)
        after -= det_floor(after);
    *number->at = det_min(det_max(after, number->low), number->high);
    if (genome_check(genome, &error))
        *number->at = before;
}

int genetics_change_numbers(struct genome *genome, const struct params *params, int is_brain,
                            double step, struct rng *rng)
{
    struct genetics_number *numbers;
    int count, possible = 0, status = genetics_list_numbers(genome, params, &numbers, &count);
    ENSURE(step > 0, "a step of %g", step);
    if (status)
        return status;
    for (int i = 0; i < count; i++)
        possible += !is_brain || numbers[i].is_brain;
    for (int i = 0; i < count; i++)
        if ((!is_brain || numbers[i].is_brain) &&
            rng_chance(rng, det_max(LEAST_COUNT / possible, LEAST_SHARE)))
            change(genome, &numbers[i], step, rng);
    free(numbers);
    return 0;
}

int genetics_count_changed(struct genome *a, struct genome *b, const struct params *params,
                           int *brain, int *body)
{
    struct genetics_number *before, *after;
    int count, same;
    *brain = *body = 0;
    if (genetics_list_numbers(a, params, &before, &count))
        return ERR_MEMORY;
    if (genetics_list_numbers(b, params, &after, &same)) {
        free(before);
        return ERR_MEMORY;
    }
    ENSURE(count == same, "%d numbers and %d", count, same);
    for (int i = 0; i < count; i++)
        *(before[i].is_brain ? brain : body) += *before[i].at != *after[i].at;
    free(before);
    free(after);
    return 0;
}
