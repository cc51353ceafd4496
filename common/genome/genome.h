/* The genotype: a directed graph of body genes, connections and neuron genes, possibly cyclic.
 *
 * Stored flat: three tables that refer to one another by gene id. Ids are never reused in a run (a
 * new gene's id is made of the id of the creature it first appears in), so that genes of relatives
 * align. A genome that genome_check() accepts can be expressed, mutated, mated and written without
 * further checks. Typical sizes: 2 to 8 body genes, 2 to 12 connections, 5 to 40 neurons.
 *
 * One genetics, several expressions: a genome of kind BODY_RECTANGLES grows into rectangles that
 * hang on one another by joints (common/growth/phenotype.c), one of kind BODY_SPHERES into spheres
 * in three dimensions that bones hold apart (common/growth/phenotype_spheres.c), one of kind
 * BODY_BOXES into boxes in three dimensions with joints of up to three freedoms
 * (common/growth/phenotype_boxes.c). Tables, ids, recursion, symmetry, scale, terminal-only
 * connections, sensors, neurons, wiring, mating and files are the same for all. Which other fields
 * a gene of a kind has stands in the kind's table (gene.h, body_kind.h). */
#ifndef COMMON_GENOME_GENOME_H
#define COMMON_GENOME_GENOME_H

#include <stdint.h>

#include "common/error.h"
#include "common/math/neuron.h"
#include "common/genome/sensor.h"

typedef uint64_t gene_id; /* 0 = none */

enum {
    GENOME_BODIES_MAX = 32,
    GENOME_CONNECTIONS_MAX = 96,
    GENOME_NEURONS_MAX = 256,
    GENOME_RECURSION_MAX = 16,
    GENOME_DRIVES_MAX = 2,   /* of a joint, besides its effector's first input */
    GENOME_FREEDOMS_MAX = 3, /* of a joint that an effector moves */
};

/* Ranges that genome_check() enforces; parameters may be stricter when genes are made. */
#define GENOME_SIDE_MIN_M    0.01
#define GENOME_SIDE_MAX_M    10.0
#define GENOME_LIMIT_MAX_RAD (4.0 * 3.14159265358979323846) /* two full turns to either side */
#define GENOME_LIMIT_MAX_M   10.0                           /* of linear joints, either way */
#define GENOME_AXIS_LIMIT_RAD                                                                      \
    3.14159265358979323846 /* of joints that turn about axes of their own; saddles: half as much */
#define GENOME_ANGLE_MAX_RAD (2.0 * 3.14159265358979323846) /* of a connection, either way */
#define GENOME_WEIGHT_MAX    100.0              /* of weights and of constants, either sign */
#define GENOME_STRETCH_MAX   0.6931471805599453 /* twice as long, half as high */
#define GENOME_SCALE_MIN     0.1
#define GENOME_SCALE_MAX     10.0

/* Ranges of spheres and bones. */
#define GENOME_RADIUS_MIN_M     0.005
#define GENOME_RADIUS_MAX_M     5.0
#define GENOME_FRICTION_MAX     10.0
#define GENOME_BONE_MIN_M       0.01
#define GENOME_BONE_MAX_M       10.0
#define GENOME_MUSCLE_SHARE_MIN 0.1 /* of a muscle's length, as shares of the length at birth */
#define GENOME_MUSCLE_SHARE_MAX 3.0
#define GENOME_MUSCLE_RATE_1_S  100.0 /* greatest rate of a muscle, lengths at birth per second */

/* Rectangles have rigid, rotary and linear joints. A linear joint slides the part straight out of
 * its parent and back in, without turning it. Spheres have those from free to saddle: the bone to
 * the parent moves against the parent's own bone freely, within a cone, about one axis or about
 * two. Boxes have rigid and linear joints and those from revolute on. Their x leads out of the
 * parent, z is the axis of bending: revolute turns about z, twist about x, universal about z and
 * then y, bend-twist about z and then x, twist-bend about x and then z, spherical about all. Files
 * keep the order. */
enum joint_type {
    JOINT_RIGID,
    JOINT_ROTARY,
    JOINT_LINEAR,
    JOINT_FREE,
    JOINT_BALL,
    JOINT_HINGE,
    JOINT_SADDLE,
    JOINT_REVOLUTE,
    JOINT_TWIST,
    JOINT_UNIVERSAL,
    JOINT_BEND_TWIST,
    JOINT_TWIST_BEND,
    JOINT_SPHERICAL,
    JOINT_TYPE_COUNT
};
#define JOINT_BIT(type) (1u << (type))
struct joint_type_info {
    double limit_max; /* of each limit, either way: rad or m */
    int freedoms;     /* that an effector moves, each by an input of its own */
    int driven_axes; /* inputs of the drive that it may have besides the effector; 0: it has none */
};
extern const struct joint_type_info joint_types[JOINT_TYPE_COUNT];
/* "rigid", "rotary", "linear", "free", "ball", "hinge", "saddle", "revolute", "twist", "universal",
 * ... */
extern const char *const joint_type_names[JOINT_TYPE_COUNT];

/* How several connections of a parent to a symmetric gene make pairs of mirror images: spheres and
 * boxes may be mirrored to the other side (in the plane of ahead and up; the usual one), ahead to
 * back, or up to down. Rectangles have the first alone, which there exchanges right and left. */
enum symmetry { SYMMETRY_NONE, SYMMETRY_SIDES, SYMMETRY_ENDS, SYMMETRY_LEVELS, SYMMETRY_COUNT };
extern const char *const symmetry_names[SYMMETRY_COUNT]; /* "none", "sides", "ends", "levels" */

/* A connection of spheres that grows nothing but joins what has grown by one more bone: from each
 * part of its gene `from` to a part of its gene `to`: the nearest one on the path to the root, the
 * next one of the same parent (from the last to the first), its own mirror image, or the one that
 * lies nearest. It is not made where there is no such part, nor between two that a bone joins
 * already. */
enum brace {
    BRACE_NONE, /* it grows a part */
    BRACE_ANCESTOR,
    BRACE_SIBLING,
    BRACE_TWIN,
    BRACE_NEAREST,
    BRACE_COUNT
};
extern const char *const brace_names[BRACE_COUNT]; /* "none", "ancestor", ... */

/* The food of a body gene's mouth in a preserve (docs/preserve.md). The mouth is in the first part
 * that grows of the gene, and as wide as that part's shorter side. Elsewhere mouths do nothing. */
enum mouth { MOUTH_NONE, MOUTH_PLANTS, MOUTH_FLESH, MOUTH_COUNT };
extern const char *const mouth_names[MOUTH_COUNT]; /* "none", "plants", "flesh" */

/* How a creature breeds, where that is inherited (breeding.choice): as first parent. */
enum breeding_gene {
    BREEDING_UNSET,
    BREEDING_ASEXUAL,
    BREEDING_CROSSOVER,
    BREEDING_GRAFT,
    BREEDING_GENE_COUNT
};
extern const char *const breeding_gene_names[BREEDING_GENE_COUNT]; /* "unset", "asexual", ... */

/* Where an input of a neuron or an effector comes from. */
enum input_kind { INPUT_CONSTANT, INPUT_NEURON, INPUT_SENSOR, INPUT_KIND_COUNT };

/* Whose neuron or sensor it is, seen from the part that reads. A reader in the central set has no
 * own, parent or child part: it uses SCOPE_PART, the first expressed part of a body gene (parts in
 * the order of expression). A reference that finds nothing when expressed reads 0. */
enum input_scope {
    SCOPE_OWN,     /* the reader's own part */
    SCOPE_PARENT,  /* the part the reader's part hangs on */
    SCOPE_CHILD,   /* the first child part expressed through connection `via` */
    SCOPE_CENTRAL, /* the central set (neurons only) */
    SCOPE_PART,    /* the first part made of body gene `via`; only for readers in the central set */
    SCOPE_COUNT
};
extern const char *const input_scope_names[SCOPE_COUNT]; /* own parent child central part */

struct input_gene {
    uint8_t kind;   /* enum input_kind */
    uint8_t scope;  /* enum input_scope; SCOPE_OWN for constants */
    uint8_t sensor; /* enum sensor, for INPUT_SENSOR; else 0 */
    gene_id source; /* neuron gene, for INPUT_NEURON; else 0 */
    gene_id via;    /* connection (SCOPE_CHILD) or body gene (SCOPE_PART); else 0 */
    double value;   /* the constant, for INPUT_CONSTANT; else 0 */
    double weight;  /* multiplies the source; within +-GENOME_WEIGHT_MAX */
};

struct neuron_gene {
    gene_id id;
    gene_id owner;    /* the body gene it lives in and is copied with; 0 = the central set */
    uint8_t function; /* enum neuron_function */
    double initial;   /* oscillators: initial phase, a fraction of a turn in [0, 1); else 0 */
    /* oscillators: by how much copies begin later, turns in [0, 1); else 0: those in mirrored
     * parts, and those in a row of parts of one gene, each after the one before it */
    double lag_image, lag_row;
    struct input_gene inputs[NEURON_INPUTS_MAX]; /* the function's first input_count are used */
};

/* Something that a part gives off; all zero where it does not. */
struct emitter_gene {
    uint8_t is_there;
    struct input_gene input;
};

/* A rectangle that gets longer and thinner; all zero where it is rigid, and in other kinds. */
struct stretch_gene {
    double limit;            /* of the logarithm of the width over that at birth, either way */
    struct input_gene input; /* of the effector: -1 .. 1 asks for all the way */
};

/* The further fields of a sphere; all zero in other kinds. */
struct sphere_gene {
    double radius_m;
    double friction;    /* times creature.friction */
    uint8_t is_rolling; /* turns about its centre, as a wheel; else its bones hold it, as a foot */
    double axis_rad; /* of hinges and saddles: the first axis, turned about the bone from sideways;
                              * the second is at right angles to it */
    double lower_2, upper_2; /* rad, of saddles: about the second axis */
};

/* The further fields of a box; all zero in other kinds. */
struct box_gene {
    double depth_m; /* along the part's own z */
    /* rad, of joints with two axes: about the second one; spherical joints: lower_2 is 0 and
     * upper_2 the cone's half angle, while lower and upper limit the twist; else 0 */
    double lower_2, upper_2;
};

struct body_gene {
    gene_id id;
    double width_m, height_m; /* along the part's own x and y; 0 in spheres */
    uint8_t joint;            /* enum joint_type: the joint to the parent (unused at the root) */
    /* joint limits from the pose at birth, lower <= 0 <= upper: angles in rad; of linear joints
     * extensions in m, at scale 1; of balls lower is 0 and upper the cone's half angle; of free
     * joints both are 0 */
    double lower, upper;
    uint8_t recursive_limit; /* how often the gene may occur on one path from the root, >= 1 */
    uint8_t is_symmetric;    /* enum symmetry */
    uint8_t is_round;        /* a disk or ball, as wide as the first side: of things, never of
                              * creatures, whose genomes do not keep it */
    uint64_t sensors;        /* set of SENSOR_BIT() */
    uint8_t has_effector;    /* a joint effector (ignored at rigid joints) */
    /* of the joint's first freedom; boxes: those of further ones are in drives */
    struct input_gene effector_input;
    /* share of the greatest strength the joint may have, (0, 1]; spheres: the effector moves the
     * muscles among the bone and the braces of a part */
    double effector_strength;
    /* of joints that are driven about their own axes, besides or instead of by the effector: share
     * of the greatest torque, (0, 1], 0: not driven */
    double drive_strength;
    struct input_gene drives[GENOME_DRIVES_MAX]; /* genome_drive_count() of them are used */
    struct emitter_gene emitters[EMITTER_COUNT];
    struct stretch_gene stretch;
    uint8_t mouth;   /* enum mouth */
    uint8_t is_head; /* the creature's head is the first part of such a gene: see phenotype.h */
    struct sphere_gene sphere;
    struct box_gene box;
};

/* The bone that a connection makes; all zero in other kinds. A signal times gain asks a muscle for
 * its length at birth plus so much of the larger of its two ways, within shortest and longest: from
 * -1 to 1 it goes all the way. A brace is moved by the effector of the part it comes from, others
 * by their child's. */
struct bone_gene {
    /* between the centres, at scale 1; 0 of braces: as far apart as they have grown */
    double length_m;
    double tilt_rad;          /* of the child sideways, after angle_rad, within a quarter turn */
    double gain;              /* -1 .. 1; 0: no muscle */
    double shortest, longest; /* of muscles, else 0: shares of the length at birth, <= 1 <= */
    double rate_1_s;          /* of muscles, else 0: greatest rate, lengths at birth per second */
};

/* Where a box hangs, besides faces, first positions and angle; all zero in other kinds. */
struct mount_gene {
    double parent_position_2,
        child_position_2; /* -1 .. 1 along the second direction of the faces */
    double roll_rad; /* turn of the child about the normal of the parent's face, before angle_rad */
    double tilt_rad; /* of the child sideways, after angle_rad, within a quarter turn */
};

struct connection_gene {
    gene_id id;
    gene_id from, to;       /* body genes */
    uint8_t parent_face;    /* enum face: where on the parent's outline */
    double parent_position; /* along that face, -1 .. 1, counter-clockwise positive */
    uint8_t child_face;     /* where on the child's outline */
    double child_position;
    double angle_rad;     /* turn of the child from straight out of the parent's face; of a bone,
                               * upwards from the direction of the parent's bone */
    double scale;         /* of the whole subtree */
    uint8_t is_reflected; /* the subtree is mirrored about its own axis of attachment */
    uint8_t is_terminal_only; /* followed only when the parent gene's recursion is exhausted */
    uint8_t brace;         /* enum brace: not BRACE_NONE joins what has grown, and grows nothing */
    struct bone_gene bone; /* of spheres; then faces and positions are 0 */
    struct mount_gene mount;
};

/* The tables, for what treats all three alike; a row begins with its id. */
enum genome_table { GENOME_BODIES, GENOME_CONNECTIONS, GENOME_NEURONS, GENOME_TABLE_COUNT };
struct genome_table_info {
    const char *name, *noun; /* of the table and of a row: "bodies", "body" */
    int most;                /* rows */
    size_t size;             /* of a row, bytes */
};
extern const struct genome_table_info genome_tables[GENOME_TABLE_COUNT];

/* Owns its tables; copy with genome_copy(). The order of rows is meaningful (it is the order of
 * expression and of evaluation) and is kept by files. */
struct genome {
    gene_id root;     /* a body gene */
    uint8_t breeding; /* enum breeding_gene */
    uint8_t kind;     /* enum body_kind */
    union {
        struct {
            struct body_gene *bodies;
            struct connection_gene *connections;
            struct neuron_gene *neurons;
        };
        void *rows[GENOME_TABLE_COUNT];
    };
    union {
        struct {
            int body_count, connection_count, neuron_count;
        };
        int counts[GENOME_TABLE_COUNT];
    };
    int rooms[GENOME_TABLE_COUNT]; /* allocated rows */
};

void genome_init(struct genome *genome); /* empty: not yet valid */
void genome_deinit(struct genome *genome);
/* `copy` is initialised by the call. Returns 0 or ERR_MEMORY (copy then empty). */
int genome_copy(struct genome *copy, const struct genome *genome);
/* Same content in the same order (doubles compared by value, except that NaN never occurs). */
int genome_is_equal(const struct genome *a, const struct genome *b);
/* Order-dependent digest of the whole content. */
uint64_t genome_hash(const struct genome *genome);

/* Append a zeroed row and return it, or NULL when the table is at its maximum or memory is out. The
 * pointer is good until the next append to the same table. */
void *genome_add(struct genome *genome, enum genome_table table);
/* The reason why no row could be added: ERR_LIMIT or ERR_MEMORY. */
int genome_refusal(const struct genome *genome, enum genome_table table);
/* Removes one row, keeping the order of the others. References to it become dangling. */
void genome_remove(struct genome *genome, enum genome_table table, int row);

/* 1 if a body gene has such a mouth. */
int genome_has_mouth(const struct genome *genome, int mouth);

/* 1 if copies of the neuron lag. */
static inline int genome_has_lags(const struct neuron_gene *neuron)
{
    return neuron->lag_image != 0 || neuron->lag_row != 0;
}

static inline int genome_is_oscillator(int function)
{
    return function == NEURON_OSCILLATE_WAVE || function == NEURON_OSCILLATE_SAW;
}

/* Greatest limit, either way, of a joint of that type: rad or m. */
double genome_limit_max(int joint);
/* The extension, m, that does to a part what turning by 1 rad does: half its longest side. Default
 * limits and changes of a joint's type go by it. */
double genome_reach_m(const struct body_gene *body);

/* How many of the drives' inputs are used: of a joint that is driven about its own axes as many as
 * it has (hinges one, saddles two); of an effector that moves several freedoms one less than
 * these. */
int genome_drive_count(const struct body_gene *body);
/* How many inputs the effector has: one for each freedom that it moves, at least one; 0: there is
 * no effector. */
int genome_effector_count(const struct body_gene *body);
/* The inputs by which a body gene acts, counted from 0: of its effector, if it has one, of its
 * joint's drives, of its emitters, and of its stretch. NULL beyond the last. */
struct input_gene *genome_body_input(struct body_gene *body, int index);
const struct input_gene *genome_body_input_const(const struct body_gene *body, int index);

/* A row, and its id. */
void *genome_row(const struct genome *genome, enum genome_table table, int row);
gene_id genome_row_id(const struct genome *genome, enum genome_table table, int row);
/* Row numbers by id, or -1. */
int genome_find(const struct genome *genome, enum genome_table table, gene_id id);
int genome_find_body(const struct genome *genome, gene_id id);
int genome_find_connection(const struct genome *genome, gene_id id);
int genome_find_neuron(const struct genome *genome, gene_id id);

/* Checks everything a reader of the genome relies on: a root; non-zero ids, unique in their table
 * and at most INT64_MAX; counts, ranges, finite numbers; zeros wherever a field is not used (inputs
 * beyond the function's input_count, the effector's fields without an effector, `initial` of what
 * is no oscillator), so that equal genomes have equal rows; references to rows that exist and are
 * reachable by their scope (an OWN neuron lives in the reader's body gene, a CHILD one in the body
 * gene at the end of `via`, which starts at the reader's gene; a PARENT one in some gene with a
 * connection to the reader's; sensors only where the gene has them, for PARENT: at least one
 * possible parent has them). Returns 0, or an ERR_* with a message that names the row (counted from
 * 0), for example "body 3 (id 17): width_m 0 is not within 0.01 .. 10". */
int genome_check(const struct genome *genome, struct error *error);
/* Of that the rules of references alone: 1 if a reader (a body gene's id; 0: in the central set) may
 * have an input of that kind, scope, sensor, source and via. */
int genome_may_read(const struct genome *genome, gene_id reader, const struct input_gene *input);

/* What it saw of one thing from afar it sees of the other, and the other way round: sensors and the
 * inputs that read them change places. The same exchange again gives the same genome back. */
void genome_exchange_sights(struct genome *genome, enum sight_kind one, enum sight_kind other);
/* The set of the sensors that a part has and a neuron or an effector reads. */
uint64_t genome_sensors_read(const struct genome *genome);
/* Exchanges them where something reads sensors of `from` and nothing reads those of `to`: a
 * creature that was bred to see `to` stays as it is, as does one that sees neither. Returns whether
 * it was exchanged. */
int genome_see_instead(struct genome *genome, enum sight_kind from, enum sight_kind to);

/* The bodies that row `top` reaches along connections that are no braces: is_reached per row. */
void genome_mark_reached(const struct genome *genome, int top, char is_reached[GENOME_BODIES_MAX]);
/* Removes body genes that the root does not reach, with their connections and neurons; there is a
 * body gene. References to them become dangling. */
void genome_prune(struct genome *genome);
/* Removes body genes that the root does not reach, connections with them, and neurons that feed no
 * effector of what is left; turns references that genome_check() would refuse into the constant 0
 * with weight 0, zeroes unused fields, and lets the first body gene be the root if the root is
 * gone. A genome whose rows are in range and that has a body gene passes genome_check() afterwards;
 * a second call changes nothing. */
void genome_collect_garbage(struct genome *genome);

/* Says what of a genome the parameters switch off, and what switches it on: "these parameters
 * switch off some genes (on: -s creature.stretch_max=0.5 -s sensor.light=yes)". A sensor counts if
 * a part has it and a neuron or an effector reads it. Returns 0, and an empty text, if everything
 * is on. */
#define GENE_SWITCH_TEXT_SIZE 1024
int gene_switches_explain(const struct genome *genome, const struct params *params,
                          char text[GENE_SWITCH_TEXT_SIZE]);

#endif
