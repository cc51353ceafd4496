/* Rows of genes that every kind of body has, for the tables of the kinds. */
#ifndef COMMON_GENOME_GENE_ROWS_H
#define COMMON_GENOME_GENE_ROWS_H

#include "common/genome/body_kind.h"
#include "common/genome/genome.h"

#define GENE_BODY(member)       .offset = offsetof(struct body_gene, member)
#define GENE_CONNECTION(member) .offset = offsetof(struct connection_gene, member)
#define GENE_BETWEEN(low, high) .range = {low, high}
#define GENE_END                                                                                   \
    {                                                                                              \
        .name = NULL                                                                               \
    }

#define GENE_ROW_ID(offset_of)                                                                     \
    {                                                                                              \
        .name = "id", .type = GENE_ID, .flags = GENE_REQUIRED | GENE_WRITTEN | GENE_LINK,          \
        offset_of                                                                                  \
    }

/* Rows of a body gene: recursion, symmetry (up to last_symmetry), sensors and the effector of the
 * joint. */
#define GENE_ROWS_GROWTH(last_symmetry)                                                            \
    {.name = "recursive_limit",                                                                    \
     .words = "recursive limit",                                                                   \
     .type = GENE_COUNT,                                                                           \
     GENE_BODY(recursive_limit),                                                                   \
     GENE_BETWEEN(1, GENOME_RECURSION_MAX),                                                        \
     .assumed = 1},                                                                                \
        {.name = "is_symmetric",                                                                   \
         .key = "symmetric",                                                                       \
         .words = "symmetric",                                                                     \
         .type = GENE_CHOICE,                                                                      \
         .flags = GENE_BOOLEAN,                                                                    \
         GENE_BODY(is_symmetric),                                                                  \
         GENE_BETWEEN(0, last_symmetry),                                                           \
         .names = symmetry_names,                                                                  \
         .mutation = {.change = CHANGE_SYMMETRY}},                                                 \
        {.name = "sensors", .type = GENE_SENSORS, .flags = GENE_BRAIN, GENE_BODY(sensors)},        \
        {.name = "has_effector",                                                                   \
         .key = "",                                                                                \
         .words = "effector",                                                                      \
         .group = "effector",                                                                      \
         .type = GENE_FLAG,                                                                        \
         .flags = GENE_GATE | GENE_BRAIN,                                                          \
         GENE_BODY(has_effector),                                                                  \
         GENE_BETWEEN(0, 1),                                                                       \
         .assumed = 1},                                                                            \
        {.name = "effector input",                                                                 \
         .key = "input",                                                                           \
         .words = "effector",                                                                      \
         .group = "effector",                                                                      \
         .type = GENE_INPUT,                                                                       \
         .flags = GENE_REQUIRED | GENE_WRITTEN | GENE_BRAIN,                                       \
         GENE_BODY(effector_input),                                                                \
         GENE_BETWEEN(0, 1)},                                                                      \
    {                                                                                              \
        .name = "effector_strength", .key = "strength", .words = "strength", .group = "effector",  \
        .type = GENE_REAL, .flags = GENE_WRITTEN | GENE_ABOVE | GENE_BRAIN,                        \
        GENE_BODY(effector_strength), GENE_BETWEEN(0, 1), .assumed = 1                             \
    }

/* Rows of what a part emits, at the end of a body gene. */
#define GENE_ROWS_EMITTER(number, its_group)                                                       \
    {.name = "has_" its_group,                                                                     \
     .key = "",                                                                                    \
     .words = its_group,                                                                           \
     .group = its_group,                                                                           \
     .type = GENE_FLAG,                                                                            \
     .flags = GENE_GATE | GENE_BRAIN | GENE_LATE,                                                  \
     GENE_BODY(emitters[number].is_there),                                                         \
     GENE_BETWEEN(0, 1),                                                                           \
     .assumed = 1},                                                                                \
    {                                                                                              \
        .name = its_group " input", .key = "input", .words = its_group, .group = its_group,        \
        .type = GENE_INPUT, .flags = GENE_REQUIRED | GENE_WRITTEN | GENE_BRAIN | GENE_LATE,        \
        GENE_BODY(emitters[number].input), GENE_BETWEEN(0, 1)                                      \
    }
#define GENE_ROWS_EMITTERS                                                                         \
    GENE_ROWS_EMITTER(EMITTER_SOUND, "sound"), GENE_ROWS_EMITTER(EMITTER_SCENT_1, "scent_1"),      \
        GENE_ROWS_EMITTER(EMITTER_SCENT_2, "scent_2")

#define GENE_ROWS_ENDS                                                                             \
    GENE_ROW_ID(GENE_CONNECTION(id)),                                                              \
        {.name = "from",                                                                           \
         .words = "from",                                                                          \
         .type = GENE_ID,                                                                          \
         .flags = GENE_REQUIRED | GENE_WRITTEN | GENE_LINK,                                        \
         GENE_CONNECTION(from)},                                                                   \
    {                                                                                              \
        .name = "to", .words = "to", .type = GENE_ID,                                              \
        .flags = GENE_REQUIRED | GENE_WRITTEN | GENE_LINK, GENE_CONNECTION(to)                     \
    }

/* The head of the creature; GENE_HEAD where format 10 added it. */
#define GENE_ROW_HEAD(late)                                                                        \
    {                                                                                              \
        .name = "is_head", .key = "head", .words = "the head", .type = GENE_FLAG, .flags = late,   \
        GENE_BODY(is_head), GENE_BETWEEN(0, 1)                                                     \
    }

/* Rows of a connection gene that change the whole subtree it leads to. The functions narrow the
 * ranges of scale and flags; NULL: they do not. */
#define GENE_ROWS_SUBTREE(narrow_scale, narrow_flag)                                               \
    {.name = "scale",                                                                              \
     .words = "scale",                                                                             \
     .type = GENE_REAL,                                                                            \
     GENE_CONNECTION(scale),                                                                       \
     GENE_BETWEEN(GENOME_SCALE_MIN, GENOME_SCALE_MAX),                                             \
     .assumed = 1,                                                                                 \
     .narrow = narrow_scale,                                                                       \
     .mutation = {.change = CHANGE_SCALE, .least = GENOME_SCALE_MIN, .digits = 3}},                \
        {.name = "is_reflected",                                                                   \
         .key = "reflected",                                                                       \
         .words = "reflected",                                                                     \
         .type = GENE_FLAG,                                                                        \
         GENE_CONNECTION(is_reflected),                                                            \
         GENE_BETWEEN(0, 1),                                                                       \
         .narrow = narrow_flag,                                                                    \
         .mutation = {.change = CHANGE_FLAGS}},                                                    \
    {                                                                                              \
        .name = "is_terminal_only", .key = "terminal_only", .words = "terminal-only",              \
        .type = GENE_FLAG, GENE_CONNECTION(is_terminal_only), GENE_BETWEEN(0, 1),                  \
        .narrow = narrow_flag, .mutation = {                                                       \
            .change = CHANGE_FLAGS                                                                 \
        }                                                                                          \
    }

#define GENE_LIMITS_RAD                                                                            \
    {                                                                                              \
        .key = "limits_rad", .lower = "lower_rad", .upper = "upper_rad", .unit = "rad"             \
    }
#define GENE_LIMITS_M                                                                              \
    {                                                                                              \
        .key = "limits_m", .lower = "lower_m", .upper = "upper_m", .unit = "m"                     \
    }
#define GENE_LIMITS_2                                                                              \
    {                                                                                              \
        .key = "limits_2_rad", .lower = "lower_2_rad", .upper = "upper_2_rad", .unit = "rad"       \
    }

/* Limits that text does not say, rad. */
#define GENE_ASSUMED_LIMIT_RAD 1.0
/* Scales of changes of numbers near 0. */
#define GENE_LEAST_LIMIT_RAD 0.3
#define GENE_LEAST_ANGLE_RAD 0.5
#define GENE_LEAST_POSITION  0.5

/* Forms of limits: of joints that turn or slide, and of the second limits of those that turn about
 * several axes. */
extern const struct gene_limit_form gene_flat_limit_forms[2], gene_second_limit_form;
int gene_flat_limit_form(const void *gene);
double gene_assume_flat_limit(const void *gene);
struct gene_range gene_narrow_flat_limits(const void *gene);

/* Limits of joints that turn or slide, by the joint's type. */
#define GENE_ROW_FLAT_LIMITS                                                                       \
    {                                                                                              \
        .name = "limits", .words = "limit", .type = GENE_LIMITS, .flags = GENE_WRITTEN,            \
        GENE_BODY(lower), .forms = gene_flat_limit_forms, .form_count = 2,                         \
        .form = gene_flat_limit_form, .assume = gene_assume_flat_limit,                            \
        .narrow = gene_narrow_flat_limits, .mutation = {                                           \
            .change = CHANGE_LIMITS,                                                               \
            .least = GENE_LEAST_LIMIT_RAD,                                                         \
            .digits = 2                                                                            \
        }                                                                                          \
    }
/* Second limits, at a member of the body gene; the function says which joints have them. */
#define GENE_ROW_SECOND_LIMITS(member, narrow_function)                                            \
    {                                                                                              \
        .name = "limits_2", .words = "second limit", .type = GENE_LIMITS, .flags = GENE_WRITTEN,   \
        GENE_BODY(member), .forms = &gene_second_limit_form, .form_count = 1,                      \
        .assumed = GENE_ASSUMED_LIMIT_RAD, .narrow = narrow_function, .mutation = {                \
            .change = CHANGE_LIMITS,                                                               \
            .least = GENE_LEAST_LIMIT_RAD,                                                         \
            .digits = 2                                                                            \
        }                                                                                          \
    }
/* What the rows of bodies with sides and of what hangs on their faces have besides name and
 * place. */
#define GENE_SIDE                                                                                  \
    .unit = "m", .type = GENE_REAL, .flags = GENE_REQUIRED | GENE_WRITTEN,                         \
    GENE_BETWEEN(GENOME_SIDE_MIN_M, GENOME_SIDE_MAX_M),                                            \
    .mutation = {.change = CHANGE_SIZE,                                                            \
                 .digits = 3,                                                                      \
                 .lowest = offsetof(struct params, creature_side_min_m),                           \
                 .highest = offsetof(struct params, creature_side_max_m)}
/* Rows of a connection: a face of a body with `count` of them, and a place on a face. */
#define GENE_ROW_FACE(its_name, its_words, member, count, usual)                                   \
    {                                                                                              \
        .name = its_name, .words = its_words, .type = GENE_CHOICE, .flags = GENE_WRITTEN,          \
        GENE_CONNECTION(member), GENE_BETWEEN(0, (count)-1), .names = face_names,                  \
        .assumed = usual, .mutation = {                                                            \
            .change = CHANGE_PLACEMENT                                                             \
        }                                                                                          \
    }
#define GENE_ROW_POSITION(its_name, its_words, member)                                             \
    {                                                                                              \
        .name = its_name, .words = its_words, .type = GENE_REAL, GENE_CONNECTION(member),          \
        GENE_BETWEEN(-1, 1), .mutation = {                                                         \
            .change = CHANGE_PLACEMENT,                                                            \
            .least = GENE_LEAST_POSITION,                                                          \
            .is_signed = 1,                                                                        \
            .digits = 2                                                                            \
        }                                                                                          \
    }
#define GENE_ANGLE(most)                                                                           \
    .unit = "rad", .type = GENE_REAL, GENE_BETWEEN(-(most), most),                                 \
    .mutation = {                                                                                  \
        .change = CHANGE_PLACEMENT, .least = GENE_LEAST_ANGLE_RAD, .is_signed = 1, .digits = 2}

#endif
