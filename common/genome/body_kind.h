/* Kinds of body: what a genome may grow into. A kind is a row here (its genes, and how it grows), a
 * row of the genetics (common/genetics/genetics_kind.h) and a row of the physics
 * (simulator/body/physics.h); no other code asks which kind a genome is of. See docs/developing.md,
 * "Kind of body". */
#ifndef COMMON_GENOME_BODY_KIND_H
#define COMMON_GENOME_BODY_KIND_H

#include "common/genome/gene.h"
#include "common/genome/genome.h"
#include "common/params/params.h"

struct body_growth; /* common/growth/phenotype_grow.h */

struct body_kind_info {
    const char *name;                                     /* "rectangles", as in creature.body */
    const char *body_noun, *connection_noun, *brace_noun; /* in sentences: "body", "connection" */
    const struct gene_field *body;                        /* of struct body_gene */
    const struct gene_field *connection;                  /* of struct connection_gene */
    uint64_t sensors; /* set of SENSOR_BIT(): those that its parts may have */
    const struct body_growth *growth;
    /* set of SOLVER_BIT(): the solvers of such bodies. Where parameters name another one, the first
     * of enum solver moves them. */
    uint32_t solvers;
    int can_contend;    /* such bodies may have a contest (common/judge/contest.h) */
    int is_flat;        /* they move in the plane z = 0 only */
    int has_relief;     /* they have contacts with a ground that has waves */
    int can_stretch;    /* their parts may stretch */
    int format_version; /* the first version of creature files that has the kind */
};

/* By enum body_kind, whose order files keep. */
extern const struct body_kind_info body_kinds[];
extern const int body_kind_count;

/* The fields of the table's rows, which are no neurons. */
static inline const struct gene_field *body_kind_genes(int kind, enum genome_table table)
{
    return table == GENOME_BODIES ? body_kinds[kind].body : body_kinds[kind].connection;
}

/* Features that bodies of a kind cannot have: a ground with waves, parts that stretch. 0 or
 * ERR_RANGE. */
int body_kind_check_params(int kind, const struct params *params, struct error *error);

/* The rows of the table; for the table and the kinds' own files. */
extern const struct body_growth growth_rectangles, growth_spheres, growth_boxes;
extern const struct gene_field rectangle_body_genes[], rectangle_connection_genes[];
extern const struct gene_field sphere_body_genes[], sphere_connection_genes[];
extern const struct gene_field box_body_genes[], box_connection_genes[];

#endif
