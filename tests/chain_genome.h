/* A small genome: a chain of equal rectangles on rotary joints, for tests that only send genomes
 * about. */
#ifndef TESTS_CHAIN_GENOME_H
#define TESTS_CHAIN_GENOME_H

#include "common/genome/genome.h"

/* Initializes the genome. Body genes have the ids 1 .. parts, connections the next parts - 1. */
static inline void chain_genome_make(struct genome *genome, gene_id parts)
{
    genome_init(genome);
    genome->root = 1;
    for (gene_id id = 1; id <= parts; id++)
        *(struct body_gene *)genome_add(genome, GENOME_BODIES) =
            (struct body_gene){.id = id,
                               .width_m = 0.4,
                               .height_m = 0.1,
                               .joint = JOINT_ROTARY,
                               .lower = -1,
                               .upper = 1,
                               .recursive_limit = 1};
    for (gene_id id = 1; id < parts; id++)
        *(struct connection_gene *)genome_add(genome, GENOME_CONNECTIONS) =
            (struct connection_gene){
                .id = parts + id, .from = id, .to = id + 1, .child_face = FACE_LEFT, .scale = 1};
}

#endif
