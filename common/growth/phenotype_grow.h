/* How bodies grow: what phenotype.c shares with the kinds of body, and what it asks of them.
 *
 * The walk over the genome's graph, recursion, symmetry and the brain are the same for all kinds
 * (phenotype.c); the kind tells the size of a part, its place and its joint: its row in the table
 * of kinds (common/genome/body_kind.h) has a struct body_growth, in phenotype_KIND.c. */
#ifndef COMMON_GROWTH_PHENOTYPE_GROW_H
#define COMMON_GROWTH_PHENOTYPE_GROW_H

#include "common/growth/phenotype.h"

/* The state of a part only while the creature grows. */
struct growth {
    int body_row;
    int connection_row; /* it was expressed through; -1 at the root */
    int first_neuron;   /* instance of its gene's first neuron, if it was made */
    double scale;       /* product of the scales on the path */
    int is_image;       /* it grew as the mirror image of what its connection's placement says */
};

/* A connection as it is expressed: rows instead of ids, symmetry resolved. */
struct branch {
    int from_row, to_row;
    int placement_row; /* the connection whose placement counts: itself, or the one it mirrors */
    int is_image;
    int has_twin; /* it grows an image besides */
};

struct grower {
    const struct genome *genome;
    const struct params *params;
    const struct body_growth *growth; /* of the kind */
    struct phenotype *phenotype;
    struct growth *growths; /* per part */
    void *own;              /* the kind's, from begin() on */
    int parts_max;
    int counts[GENOME_BODIES_MAX]; /* occurrences on the path, by body row */
    struct branch branches[GENOME_CONNECTIONS_MAX];
    int ranks[GENOME_NEURONS_MAX]; /* of a neuron among those of its owner */
    int central_count;
};

static inline const struct body_gene *gene_of(const struct grower *grower, int part)
{
    return &grower->genome->bodies[grower->growths[part].body_row];
}

static inline double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

struct key_hasher; /* of phenotype_key.h */
struct body_link;

struct body_growth {
    /* Takes room for what the kind knows of the parts while they grow. ERR_MEMORY: the arena is
     * full. */
    int (*begin)(struct grower *grower, struct arena *arena);
    /* Size, mass, place and sensors of a part whose gene, parent and scale are known. */
    void (*place)(struct grower *grower, int index);
    /* Whether there is room for a part that has its place; without it the part is not made. NULL:
     * there always is. */
    int (*has_room)(const struct grower *grower, int index);
    /* When all parts have grown: what joins them, the tables of phenotype_take_tables(), and the
     * counts and pointers of the phenotype that are the kind's to say. 0 or ERR_MEMORY. */
    int (*join)(struct grower *grower, struct arena *arena);
    /* The gene of the input that a drive's effector reads, and the part that reads it. */
    const struct input_gene *(*find_input)(const struct grower *grower, int drive, int *reader);
    /* Makes what has grown its mirror image, x to -x, to the bit. NULL: the kind has none. */
    void (*mirror)(struct phenotype *phenotype);
    /* The head where no gene says it; NULL: the root. */
    int (*find_head)(const struct phenotype *phenotype);
    /* Puts all that phenotype.detail holds into the key of a motion; NULL: it holds nothing. */
    void (*put_detail)(struct key_hasher *hasher, const struct phenotype *phenotype);
};

/* phenotype_key.c */
void key_put_int(struct key_hasher *hasher, int value);
void key_put_double(struct key_hasher *hasher, double value);
void key_put_ints(struct key_hasher *hasher, const int *values, size_t count);
void key_put_doubles(struct key_hasher *hasher, const double *values, size_t count);
/* Several numbers, one after the other. */
#define KEY_PUT_INTS(hasher, ...)                                                                  \
    key_put_ints(hasher, (const int[]){__VA_ARGS__},                                               \
                 sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
#define KEY_PUT_DOUBLES(hasher, ...)                                                               \
    key_put_doubles(hasher, (const double[]){__VA_ARGS__},                                         \
                    sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void key_put_vec3(struct key_hasher *hasher, struct vec3 value);
void key_put_turn(struct key_hasher *hasher, struct quaternion value);

/* The limits of a link that slides: how far goes by its scale, and not further than the longest
 * side of its part and the parent allows. */
void grow_slide_limits(const struct grower *grower, struct body_link *link, double longest_m);
/* The limits of a link's freedom k that turns, which a mirrored part has the other way round. */
void grow_turn_limits(struct body_link *link, int k, double lower, double upper);
/* The shape of a part, a ball or a box, at rest in it. */
void phenotype_make_shape(struct phenotype *phenotype, int part, struct vec3 half_m);
/* Room for the tables of these lengths; ERR_MEMORY: the arena is full. */
int phenotype_take_tables(struct phenotype *phenotype, struct arena *arena, int drive_count,
                          int effector_count, int shape_count);

#endif
