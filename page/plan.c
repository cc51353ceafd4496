/* See plan.h. Fields come from the kind's table of genes, so that an editor names none of them. */
#include "page/plan.h"

#include <inttypes.h>

#include "common/genome/body_kind.h"
#include "common/growth/phenotype.h"
#include "common/math/neuron.h"
#include "viewer/export/page_data.h"

/* A body of 64 parts and its brain take less. */
#define PLAN_ARENA_BYTES (4u << 20)

static void write_vector(FILE *file, struct vec3 v)
{
    fprintf(file, ", %.17g, %.17g, %.17g", v.x, v.y, v.z);
}

static void write_part(FILE *file, const struct part *part, struct vec3 half)
{
    fprintf(file, "[%" PRIu64 ", %" PRIu64 ", %d, %d", part->body, part->via, part->parent,
            part->mirror);
    write_vector(file, half);
    write_vector(file, part->centre);
    fprintf(file, ", %.17g", part->turn.w);
    write_vector(file, (struct vec3){part->turn.x, part->turn.y, part->turn.z});
    write_vector(file, part->anchor);
    fputs("]", file);
}

int plan_write(FILE *file, const struct genome *genome, const struct params *params)
{
    struct arena arena;
    struct phenotype phenotype;
    struct params own = *params;
    own.creature_parts_min = 1; /* a single part is shown, too */
    if (arena_init(&arena, PLAN_ARENA_BYTES))
        return ERR_MEMORY;
    int verdict = phenotype_express(&phenotype, genome, &own, &arena);
    fprintf(file, "{\"verdict\": \"%s\", \"parts\": [", verdict_name(verdict));
    for (int i = 0; verdict == VERDICT_OK && i < phenotype.part_count; i++) {
        fputs(i ? ", " : "", file);
        write_part(file, &phenotype.parts[i], phenotype.shapes[i].half_m);
    }
    fputs("]}", file);
    arena_deinit(&arena);
    return 0;
}

static const char *const type_names[] = {
    [GENE_ID] = "id",           [GENE_REAL] = "real",   [GENE_LIMITS] = "limits",
    [GENE_COUNT] = "count",     [GENE_FLAG] = "flag",   [GENE_CHOICE] = "choice",
    [GENE_SENSORS] = "sensors", [GENE_INPUT] = "input", [GENE_INPUTS] = "inputs"};

/* A choice that text may say by false and true is told so here, too. */
static void write_choice(FILE *file, const struct gene_field *field, int number)
{
    if ((field->flags & GENE_BOOLEAN) && number <= 1)
        fputs(number ? "true" : "false", file);
    else
        page_write_string(file, field->names[number]);
}

static void write_choices(FILE *file, const struct gene_field *field)
{
    for (int i = 0, count = 0; i <= (int)field->range.high; i++)
        if (gene_is_choice(field, i)) {
            fputs(count++ ? ", " : "", file);
            write_choice(file, field, i);
        }
}

static void write_sensors(FILE *file, uint64_t set)
{
    for (int i = 0, count = 0; i < SENSOR_COUNT; i++)
        if (set & SENSOR_BIT(i)) {
            fputs(count++ ? ", [" : "[", file);
            page_write_string(file, sensors[i].name);
            fputs(", ", file);
            page_write_string(file, sensors[i].meaning);
            fputs("]", file);
        }
}

static void write_field(FILE *file, const struct body_kind_info *kind,
                        const struct gene_field *field, const void *gene, struct gene_range range)
{
    const char *key = field->type == GENE_LIMITS ? gene_form(field, gene)->key
                      : field->key               ? field->key
                                                 : field->name;
    const char *unit = field->type == GENE_LIMITS ? gene_form(field, gene)->unit : field->unit;
    fprintf(file, "[\"%s\", \"%s\", \"%s\", \"%s\", \"%s\", %.17g, %.17g, ", key,
            field->group ? field->group : "", field->words ? field->words : field->name,
            unit ? unit : "", type_names[field->type], range.low, range.high);
    if (field->type == GENE_CHOICE)
        write_choice(file, field, (int)gene_assumed(field, gene));
    else
        fprintf(file, "%.17g", gene_assumed(field, gene));
    fprintf(file, ", %s, [", field->flags & GENE_GATE ? "true" : "false");
    if (field->type == GENE_CHOICE)
        write_choices(file, field);
    if (field->type == GENE_SENSORS)
        write_sensors(file, kind->sensors);
    fputs("]]", file);
}

void plan_write_fields(FILE *file, const struct genome *genome, int is_connection, int row)
{
    const struct body_kind_info *kind = &body_kinds[genome->kind];
    const struct gene_field *table = is_connection ? kind->connection : kind->body;
    const void *gene = is_connection ? (const void *)&genome->connections[row]
                                     : (const void *)&genome->bodies[row];
    int count = 0;
    fputs("[", file);
    for (const struct gene_field *field = table; field->name; field++) {
        struct gene_range range = gene_range_of(table, field, gene);
        int has_range = field->type != GENE_ID && field->type != GENE_SENSORS;
        int is_input = field->type == GENE_INPUT || field->type == GENE_INPUTS;
        if (has_range && !is_input && !gene_is_used(range))
            continue;
        fputs(count++ ? ",\n" : "", file);
        write_field(file, kind, field, gene, range);
    }
    fputs("]", file);
}

void plan_write_functions(FILE *file)
{
    fputs("[", file);
    for (int i = 0; i < NEURON_FUNCTION_COUNT; i++)
        fprintf(file, "%s[\"%s\", %d, \"%s\"]", i ? ", " : "", neuron_functions[i].name,
                neuron_functions[i].input_count, neuron_functions[i].semantics);
    fputs("]", file);
}
