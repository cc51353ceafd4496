/* The phenotype: what a genotype grows into. Parts, the drives between them, the shapes that they
 * have, and the wiring of a brain, for every kind of body. Expression is a pure function of genome
 * and parameters.
 *
 * Frames. A part's own frame has its origin at the rectangle's centre, x along its width. In a
 * mirrored part (mirror = -1) the genes' y axis is reversed: face `top` of the genes is the face at
 * -y of the part's frame, and positive gene angles turn clockwise. In a reversed part both axes of
 * the genes are the other way round besides, so that a body and its mirror image have opposite
 * angles, to the bit. Angles are world angles at birth, counter-clockwise, never wrapped; the root
 * is at (0, 0) with angle 0. */
#ifndef COMMON_GROWTH_PHENOTYPE_H
#define COMMON_GROWTH_PHENOTYPE_H

#include "common/system/arena.h"
#include "common/math/vec3.h"
#include "common/genome/genome.h"
#include "common/judge/measures.h"
#include "common/params/params.h"

enum { PHENOTYPE_PARTS_MAX = 64 }; /* the upper bound of creature.parts_max */

struct body; /* body.h */

/* Creatures are made of rectangles; scenes also have disks, width_m = height_m = the diameter, and
 * half-planes, which belong to a fixed root: solid below the line through `local` along their x
 * axis. */
enum part_shape { PART_BOX, PART_DISK, PART_PLANE };

/* A rectangle. parts[0] is the root; parents come before their children. */
struct part {
    gene_id body;   /* the body gene it was made of */
    gene_id via;    /* the connection it was expressed through; 0 at the root */
    int parent;     /* part, or -1 */
    int depth;      /* 0 at the root */
    int mirror;     /* +1 or -1 */
    int link;       /* the piece that moves as one it belongs to: of rectangles, of links */
    double width_m; /* developed size */
    double height_m;
    double mass_kg;
    struct vec3 centre; /* world, at birth */
    double angle_rad;   /* world, at birth, in the plane */
    /* from the own axes to the world's, at birth; no turn for a part that is round in all
     * directions */
    struct quaternion turn;
    struct vec3 anchor;     /* world, at birth: where it hangs on its parent */
    struct vec2 local;      /* centre in its link's frame (origin at the link's joint, see below) */
    double local_angle_rad; /* angle in its link's frame */
    uint64_t sensors;       /* set of SENSOR_BIT() */
    double cross_section_m; /* the shortest side */
    enum part_shape shape;
    int is_reversed; /* its own frame is turned by half against that of its genes */
};

/* One input of a compiled-to-be neuron or effector, resolved to instances. */
enum wire_kind { WIRE_CONSTANT, WIRE_NEURON, WIRE_SENSOR };
struct wire {
    int kind;
    int index;    /* neuron instance, or part of the sensor */
    int sensor;   /* enum sensor, for WIRE_SENSOR */
    double value; /* for WIRE_CONSTANT: the weighted constant */
    double weight;
};

struct neuron {
    gene_id gene;
    int part;     /* owner, or -1 for the central set */
    int function; /* enum neuron_function */
    double initial;
    double lag_turns; /* by which it begins later than its gene says; `initial` has it already */
    struct wire inputs[NEURON_INPUTS_MAX];
};

/* A scalar degree of freedom: an angle, rad, or an extension or length, m. Dynamics know its value,
 * rate and effort (dynamics_drive_state()), and an effector may move it. */
struct drive {
    int part;            /* whose joint to the parent it belongs to, or to which its rod leads */
    int axis;            /* which freedom of its joint, from 0 */
    int is_linear;       /* in m and N; else in rad and N m */
    int is_stretch;      /* of the part itself: a logarithm and N m */
    double lower, upper; /* limits of the value */
    double strength;     /* the greatest effort of its effector; 0: no effector moves it */
    /* An effector's signal, clamped to least .. most, asks for the target rest + unit * signal; in
     * torque mode the target is a share of the strength. */
    double rest, unit, least, most;
    /* World, at birth, a unit: what a joint at one place turns about or slides along; else 0. It is
     * for pictures: no motion depends on it. */
    struct vec3 way;
};

/* Moves drives[drive]. */
struct effector {
    int drive;
    struct wire input;
};

/* The emitters of a part. */
struct emitter {
    int part, kind; /* enum emitter_kind */
    struct wire input;
};

/* The shapes of a body, for pictures and for the touch of others. A box of no depth is a rectangle.
 * A rod leads from one part to another, and nothing touches it; those of a phenotype lead from
 * centre to centre. */
enum shape_kind { SHAPE_BOX, SHAPE_BALL, SHAPE_ROD };
struct shape {
    enum shape_kind kind;
    int part;
    int other;        /* of a rod: its other end; else -1 */
    int drive;        /* of a rod: what changes its length; of a box: what stretches it; else -1 */
    struct vec3 at_m; /* in the part's frame, as the turn */
    struct quaternion turn;
    /* box: half its sides; ball: its radius, thrice; rod: x, half its length at birth */
    struct vec3 half_m;
    struct vec3
        other_m; /* of a rod: where its other end is in the frame of that part; for pictures */
};

/* How two parts meet. Usually those of one piece, and of two that a joint joins, pass through one
 * another, and others collide. PAIR_PASS: they pass in any case; PAIR_MEET: they collide in any
 * case but that of one piece. From PAIR_HALF on (boxes that a joint joins): they collide, but of
 * one of them only half is there, see box_half.h. */
enum { PAIR_USUAL, PAIR_PASS, PAIR_MEET, PAIR_HALF };

/* How parts a and b of so many meet; what is no part, below 0, meets all as usual. */
static inline unsigned char pair_meeting(const unsigned char *meetings, int count, int a, int b)
{
    return b >= 0 && meetings ? meetings[a * count + b] : PAIR_USUAL;
}

struct phenotype {
    int kind; /* BODY_* */
    struct part *parts;
    struct drive
        *drives; /* of rectangles: by link; the root's is no joint, and no effector moves it */
    struct shape *shapes; /* shapes[i] is that of parts[i]; then rods */
    struct neuron *neurons;
    struct effector *effectors; /* in order of their drives */
    struct emitter *emitters;   /* those that are switched on; by part, then kind */
    int part_count, drive_count, shape_count, neuron_count, effector_count, emitter_count;
    int first_drive;
    int piece_count; /* number of rigid pieces */
    /* the first part of a gene that is the head; where no gene is, of boxes the one that lies
     * farthest ahead at birth of those alone of their gene, of other kinds the root */
    int head;
    /* parts x parts: how two meet, PAIR_USUAL but where it says otherwise; NULL: everywhere */
    const unsigned char *meetings;
    const void *detail; /* what the kind has besides; only its own files read it */
    /* The body that dynamics move; boxes[i] is parts[i]. NULL: the kind has it in its detail. */
    struct body *body;
    int root_rates; /* how many rates of the root come before that of drive 0 */
    double mass_kg;
};

/* Grows the genome. Everything is taken from the arena. Order: depth first, connections in table
 * order; ordinary connections while the child gene occurs fewer than its recursive limit times on
 * the path from the root; terminal-only connections where no ordinary one could be followed. Parts
 * beyond parts_max or depth_max are not made. Returns a verdict: VERDICT_OK, VERDICT_NOT_EXPRESSED
 * (fewer parts than parts_min) or VERDICT_MEMORY. Overlap is not judged here. */
int phenotype_express(struct phenotype *phenotype, const struct genome *genome,
                      const struct params *params, struct arena *arena);
/* Grows the mirror image of the genome, x to -x, to the bit: all parts are reversed. Kinds in space
 * have none: they grow as by phenotype_express(). */
int phenotype_express_mirrored(struct phenotype *phenotype, const struct genome *genome,
                               const struct params *params, struct arena *arena);

/* A brain's signals are numbered so: those of effectors, then those of emitters. */
static inline int phenotype_signal_count(const struct phenotype *phenotype)
{
    return phenotype->effector_count + phenotype->emitter_count;
}
static inline const struct wire *phenotype_signal_wire(const struct phenotype *phenotype, int index)
{
    return index < phenotype->effector_count
               ? &phenotype->effectors[index].input
               : &phenotype->emitters[index - phenotype->effector_count].input;
}

/* Parts, links, drives and wires that do not fit one another are a bug. */
void phenotype_check(const struct phenotype *phenotype);

/* The first drive of a part's joint to its parent, or of its stretch; or -1. */
int phenotype_find_drive(const struct phenotype *phenotype, int part, int is_stretch);

/* 1 if parts a and b never collide: parent and child, or in the same link. */
int phenotype_is_neighbour(const struct phenotype *phenotype, int a, int b);
/* 1 if the part cannot move. */
int phenotype_is_fixed(const struct phenotype *phenotype, int part);

#endif
