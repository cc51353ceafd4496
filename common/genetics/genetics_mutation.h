/* Shared by the files of mutations: steps of a mutation under way, and a row of the table of kinds
 * of mutation. */
#ifndef COMMON_GENETICS_GENETICS_MUTATION_H
#define COMMON_GENETICS_GENETICS_MUTATION_H

#include "common/genome/body_kind.h"
#include "common/genetics/genetics_random.h"

/* What it changes: of the body nothing does with mutation.body off, of the plan, which parts there
 * are and how they hang together, with mutation.plan = keep. */
enum mutation_of { OF_BRAIN, OF_BODY, OF_PLAN };

struct mutation_kind {
    size_t rate_offset; /* of its rate in struct params */
    enum mutation_of of;
    int (*count_sites)(const struct genome *genome);
    int (*is_on)(const struct params *params); /* NULL: always */
    void (*apply)(struct maker *maker);        /* NULL: it changes any field that mutates so: */
    enum gene_change change;
};
#define MUTATION_WHERE(on, rate, name, changes, sites, of_what)                                    \
    {                                                                                              \
        offsetof(struct params, rate), of_what, sites, on, name, changes                           \
    }
#define MUTATION_KIND(rate, name, sites, of_what)                                                  \
    MUTATION_WHERE(NULL, rate, name, CHANGE_NONE, sites, of_what)
#define MUTATION_FIELD(rate, changes, sites, of_what)                                              \
    MUTATION_WHERE(NULL, rate, NULL, changes, sites, of_what)

/* Those that all bodies share. */
extern const struct mutation_kind mutation_kinds[];
extern const int mutation_kind_count;
int mutation_count_bodies(const struct genome *genome);
int mutation_count_connections(const struct genome *genome);

void mutation_say(struct maker *maker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct body_gene *mutation_pick_body(struct maker *maker, int *row);
struct connection_gene *mutation_pick_connection(struct maker *maker, int *row);
/* The row of the table that mutates so and that the gene uses; NULL: there is none. */
const struct gene_field *mutation_find_used(const struct gene_field *table, enum gene_change change,
                                            const void *gene);
/* How many bodies have a field of the genome's kind that mutates so, in a joint in use; and one of
 * them. */
int mutation_count_held(const struct genome *genome, enum gene_change change);
struct body_gene *mutation_pick_held(struct maker *maker, enum gene_change change, int *row);

/* A number may become this: within its range, and within what the settings bound. */
void mutation_bound_number(const struct params *params, const struct gene_field *table,
                           const struct gene_field *field, const void *gene, double *low,
                           double *high);
/* The value plus a sum of random numbers on the value's scale, within low .. high. */
double mutation_change(struct maker *maker, double value, double least_scale, int is_signed,
                       double low, double high);
/* Changes a number or choice of a body or a connection; or a random one of those that mutate so. */
void mutation_change_field(struct maker *maker, enum genome_table table, int row,
                           const struct gene_field *field);
void mutation_change_any(struct maker *maker, enum gene_change change);
/* One of the fields that mutate so; NULL: the table has none. */
const struct gene_field *mutation_pick_field(struct maker *maker, const struct gene_field *table,
                                             enum gene_change change);
/* Changes the value of a constant, or the weight of anything else, whose scale is `unit`; or what
 * an input reads. `what` names the input. */
void mutation_change_input(struct maker *maker, struct input_gene *input, double unit,
                           const char *what);
void mutation_redraw_input(struct maker *maker, gene_id owner, struct input_gene *input,
                           const char *what);
void mutation_gain_effector(struct maker *maker, int row);
/* A real parameter by its offset. */
double mutation_param(const struct params *params, size_t offset);
/* A body's name in words: "body". */
const char *mutation_body_noun(const struct maker *maker);
/* "bone 3", of a body or a connection, in a buffer of the caller. */
const char *mutation_name_row(const struct genome *genome, enum genome_table table, int row,
                              char text[32]);

#endif
