/* See genome_diff.h. Both genomes are written as JSON and read back as trees; rows of the three
 * tables with the same id are compared key by key. References are ids there, so that rows which
 * only move change no other. */
#include "common/creature/genome_diff.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"
#include "common/text.h"

enum { PATH_SIZE = 96, GENE_NAME_SIZE = 96 };

struct diff {
    json_t *before, *after;
    FILE *out;
    struct genome_diff counts;
    const char *gene; /* the one being compared ... */
    int has_line;     /* ... of which a field has been written already */
};

/* ---- words ---- */

static json_int_t id_of(const json_t *gene)
{
    return json_integer_value(json_object_get(gene, "id"));
}

/* "body 57355 [56.11]": its id, and in brackets the creature in which it first appeared and its
 * number there; ids below 1024 were written by hand. */
static const char *gene_name(int table, const json_t *gene, char text[GENE_NAME_SIZE])
{
    uint64_t id = (uint64_t)id_of(gene);
    if (id >> 10 == 0)
        snprintf(text, GENE_NAME_SIZE, "%s %" PRIu64, genome_tables[table].noun, id);
    else
        snprintf(text, GENE_NAME_SIZE, "%s %" PRIu64 " [%" PRIu64 ".%" PRIu64 "]",
                 genome_tables[table].noun, id, id >> 10, id & 1023);
    return text;
}

static void print_value(struct diff *diff, const json_t *value, int digits)
{
    char *text = NULL;
    if (json_is_string(value))
        fputs(json_string_value(value), diff->out);
    else if (json_is_real(value))
        fprintf(diff->out, "%.*g", digits, json_real_value(value));
    else if (value)
        text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4));
    fputs(text ? text : value ? "" : "unset", diff->out);
    free(text);
}

/* As few digits as tell two numbers apart. */
static int choose_digits(const json_t *before, const json_t *after)
{
    int digits = 4;
    char a[TEXT_NUMBER_SIZE] = "", b[TEXT_NUMBER_SIZE] = "";
    for (; json_is_real(before) && json_is_real(after) && digits < 17; digits++) {
        snprintf(a, sizeof a, "%.*g", digits, json_real_value(before));
        snprintf(b, sizeof b, "%.*g", digits, json_real_value(after));
        if (strcmp(a, b) != 0)
            break;
    }
    return digits;
}

/* ---- rows ---- */

static void print_change(struct diff *diff, const char *path, const json_t *before,
                         const json_t *after)
{
    int digits = choose_digits(before, after);
    fprintf(diff->out, diff->has_line ? "; %s " : "~ %s: %s ", diff->has_line ? path : diff->gene,
            path);
    diff->has_line = 1;
    print_value(diff, before, digits);
    fputs(" -> ", diff->out);
    print_value(diff, after, digits);
}

/* Writes the leaves that differ; NULL: there is none. */
static void compare(struct diff *diff, const char *path, const json_t *before, const json_t *after)
{
    char below[PATH_SIZE];
    const char *key;
    json_t *value;
    if (json_is_object(before) && json_is_object(after)) {
        json_object_foreach((json_t *)before, key, value)
        {
            snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
            compare(diff, below, value, json_object_get(after, key));
        }
        json_object_foreach((json_t *)after, key, value)
        {
            snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
            if (!json_object_get(before, key))
                compare(diff, below, NULL, value);
        }
    } else if (json_is_array(before) && json_array_size(before) == json_array_size(after) &&
               !json_is_string(json_array_get(before, 0))) {
        for (size_t i = 0; i < json_array_size(before); i++) {
            snprintf(below, sizeof below, "%s.%zu", path, i);
            compare(diff, below, json_array_get(before, i), json_array_get(after, i));
        }
    } else if (before != after && !json_equal(before, after)) {
        print_change(diff, path, before, after);
    }
}

/* A whole gene: "+ neuron 4: in 1, function sin". */
static void print_gene(struct diff *diff, int table, const json_t *gene, char mark)
{
    char name[GENE_NAME_SIZE];
    const char *key, *gap = ":";
    json_t *value;
    fprintf(diff->out, "%c %s", mark, gene_name(table, gene, name));
    json_object_foreach((json_t *)gene, key, value)
    {
        if (!strcmp(key, "id"))
            continue;
        fprintf(diff->out, "%s %s ", gap, key);
        print_value(diff, value, 4);
        gap = ",";
    }
    fputc('\n', diff->out);
}

static void compare_gene(struct diff *diff, int table, const json_t *before, const json_t *after)
{
    char name[GENE_NAME_SIZE];
    diff->gene = gene_name(table, after, name);
    diff->has_line = 0;
    compare(diff, "", before, after);
    fputs(diff->has_line ? "\n" : "", diff->out);
    diff->counts.changed += diff->has_line;
    diff->counts.same += !diff->has_line;
}

/* ---- tables ---- */

/* The row of a gene's id in a table, or -1. */
static int find(const json_t *rows, const json_t *gene)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (id_of(json_array_get(rows, i)) == id_of(gene))
            return (int)i;
    return -1;
}

/* The ids of rows that both have, in the order of one. */
static void print_order(struct diff *diff, const json_t *rows, const json_t *others)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (find(others, json_array_get(rows, i)) >= 0)
            fprintf(diff->out, " %" JSON_INTEGER_FORMAT, id_of(json_array_get(rows, i)));
}

static void compare_table(struct diff *diff, int table)
{
    const json_t *before = json_object_get(diff->before, genome_tables[table].name);
    const json_t *after = json_object_get(diff->after, genome_tables[table].name);
    int last = -1, is_moved = 0;
    for (size_t i = 0; i < json_array_size(before); i++)
        if (find(after, json_array_get(before, i)) < 0) {
            print_gene(diff, table, json_array_get(before, i), '-');
            diff->counts.removed++;
        }
    for (size_t i = 0; i < json_array_size(after); i++) {
        const json_t *gene = json_array_get(after, i);
        int row = find(before, gene);
        if (row < 0) {
            print_gene(diff, table, gene, '+');
            diff->counts.added++;
            continue;
        }
        compare_gene(diff, table, json_array_get(before, (size_t)row), gene);
        is_moved |= row < last;
        last = row;
    }
    if (!is_moved)
        return;
    fprintf(diff->out, "~ order of %s:", genome_tables[table].name);
    print_order(diff, before, after);
    fputs(" ->", diff->out);
    print_order(diff, after, before);
    fputc('\n', diff->out);
    diff->counts.is_moved = 1;
}

static json_t *read_tree(const struct genome *genome)
{
    struct creature creature;
    creature_init(&creature);
    creature.genome = *genome;
    char *text = creature_to_json(&creature);
    json_t *tree = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return tree;
}

int genome_diff(const struct genome *before, const struct genome *after, FILE *out,
                struct genome_diff *counts)
{
    static const char *const own[] = {"body", "root", "breeding"};
    struct diff diff = {.before = read_tree(before), .after = read_tree(after), .out = out};
    int status = diff.before && diff.after ? 0 : ERR_MEMORY;
    for (size_t i = 0; i < sizeof own / sizeof own[0] && !status; i++) {
        diff.gene = "genome";
        diff.has_line = 0;
        compare(&diff, own[i], json_object_get(diff.before, own[i]),
                json_object_get(diff.after, own[i]));
        fputs(diff.has_line ? "\n" : "", out);
        diff.counts.is_moved |= diff.has_line;
    }
    for (int i = 0; i < GENOME_TABLE_COUNT && !status; i++)
        compare_table(&diff, i);
    *counts = diff.counts;
    json_decref(diff.before);
    json_decref(diff.after);
    return status;
}
