/* What the two expressions share while a creature grows; private to phenotype*.c.
 *
 * The walk over the genome's graph, recursion, symmetry and the brain are the same for both kinds
 * (phenotype.c); how large a part is, where it lies and what joins it to its parent is asked of the kind:
 * rectangles are in phenotype.c, spheres in phenotype_spheres.c. */
#ifndef SIMULATOR_PHENOTYPE_GROW_H
#define SIMULATOR_PHENOTYPE_GROW_H

#include "common/body/phenotype.h"
#include "common/body/sphere_body.h"

/* What is known of a part only while the creature grows. */
struct growth {
    int body_row;
    int connection_row; /* it was expressed through; -1 at the root */
    int quarters;       /* world angle = quarters pi/2 + rest_rad */
    double rest_rad;
    struct vec2 axis; /* the part's x axis in the world: cosine and sine of its angle */
    struct vec2 out;  /* straight out of the parent: the axis of a linear joint */
    double scale;     /* product of the scales on the path */
    int first_neuron; /* instance of its gene's first neuron, if it was made */
    /* of spheres: ahead (the direction of the bone to it), up and sideways; left-handed in mirror images */
    struct vec3 ahead, up, side;
};

/* A connection as it is expressed: rows instead of ids, symmetry resolved. */
struct branch {
    int from_row, to_row;
    int placement_row; /* the connection whose placement counts: itself, or the one it mirrors */
    int is_image;
};

struct grower {
    const struct genome *genome;
    const struct params *params;
    struct phenotype *phenotype;
    struct growth *growths; /* per part */
    int parts_max;
    int counts[GENOME_BODIES_MAX]; /* occurrences on the path, by body row */
    struct branch branches[GENOME_CONNECTIONS_MAX];
    int ranks[GENOME_NEURONS_MAX]; /* of a neuron among those of its owner */
    int central_count;
    struct sphere_body *spheres; /* while spheres grow */
};

/* Resolves an input as read by a part (-1: by the central set). */
struct wire phenotype_make_wire(const struct grower *grower, int reader,
                                const struct input_gene *input);

/* Room for the tables of these lengths; ERR_MEMORY: the arena is full. */
int phenotype_take_tables(struct phenotype *phenotype, struct arena *arena, int drive_count,
                          int effector_count, int shape_count);

/* Of spheres: tables for the parts (ERR_MEMORY: the arena is full); size and place of a part whose gene,
 * parent and scale are known; bones, joints, drives and shapes when all parts have grown; and, when the neurons
 * are there, the effectors. */
int phenotype_take_spheres(struct grower *grower, struct arena *arena);
void phenotype_place_sphere(struct grower *grower, int index);
int phenotype_join_spheres(struct grower *grower, struct arena *arena);
void phenotype_wire_spheres(struct grower *grower);

#endif
