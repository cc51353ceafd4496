/* Kinds of body: what a genome may grow into. A kind is a row here (its genes), a row of the genetics
 * (controller/genetics/genetics_kind.h) and a row of the physics; nothing else asks which kind a genome is of. */
#ifndef COMMON_BODY_KIND_H
#define COMMON_BODY_KIND_H

#include "common/genome/gene.h"
#include "common/params/params.h"

struct body_kind_info {
    const char *name;                                     /* "rectangles", as in creature.body */
    const char *body_noun, *connection_noun, *brace_noun; /* in sentences: "body", "connection" */
    const struct gene_field *body;                        /* of struct body_gene */
    const struct gene_field *connection;                  /* of struct connection_gene */
    uint32_t sensors;                                     /* that its parts may have */
    int format_version; /* of creature files: the first that has the kind */
};

extern const struct body_kind_info body_kinds[BODY_KIND_COUNT];

/* The tables of the kinds: genes_rectangles.c, genes_spheres.c. */
extern const struct gene_field rectangle_body_genes[], rectangle_connection_genes[];
extern const struct gene_field sphere_body_genes[], sphere_connection_genes[];

#endif
