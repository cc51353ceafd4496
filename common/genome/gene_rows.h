/* Rows of genes that every kind of body has, for the tables of the kinds. */
#ifndef COMMON_GENOME_GENE_ROWS_H
#define COMMON_GENOME_GENE_ROWS_H

#include "common/genome/body_kind.h"
#include "common/genome/genome.h"

#define GENE_BODY(member)       .offset = offsetof(struct body_gene, member)
#define GENE_CONNECTION(member) .offset = offsetof(struct connection_gene, member)
#define GENE_BETWEEN(low, high) .range = {low, high}
/* A row: what all have, then the member and whatever else this one has. */
#define GENE_ROW(its_name, its_words, its_type, its_flags, ...)                                    \
    {                                                                                              \
        .name = its_name, .words = its_words, .type = its_type, .flags = its_flags, __VA_ARGS__    \
    }
#define GENE_END                                                                                   \
    {                                                                                              \
        .name = NULL                                                                               \
    }

#define GENE_ROW_ID(offset_of)                                                                     \
    GENE_ROW("id", NULL, GENE_ID, GENE_REQUIRED | GENE_WRITTEN | GENE_LINK, offset_of)

/* Rows of a group that exists where its flag says so, and of the input that it has. */
#define GENE_ROW_THERE(its_name, its_group, late, member)                                          \
    GENE_ROW(its_name, its_group, GENE_FLAG, GENE_GATE | GENE_BRAIN | (late), .key = "",           \
             .group = its_group, GENE_BODY(member), GENE_BETWEEN(0, 1), .assumed = 1)
#define GENE_ROW_INPUT(its_group, late, member)                                                    \
    GENE_ROW(its_group " input", its_group, GENE_INPUT,                                            \
             GENE_REQUIRED | GENE_WRITTEN | GENE_BRAIN | (late), .key = "input",                   \
             .group = its_group, GENE_BODY(member), GENE_BETWEEN(0, 1))

/* Rows of a body gene: recursion, symmetry (up to last_symmetry), sensors and the effector of the
 * joint. */
#define GENE_ROWS_GROWTH(last_symmetry)                                                            \
    GENE_ROW("recursive_limit", "recursive limit", GENE_COUNT, 0, GENE_BODY(recursive_limit),      \
             GENE_BETWEEN(1, GENOME_RECURSION_MAX), .assumed = 1),                                 \
        GENE_ROW("is_symmetric", "symmetric", GENE_CHOICE, GENE_BOOLEAN, .key = "symmetric",       \
                 GENE_BODY(is_symmetric), GENE_BETWEEN(0, last_symmetry), .names = symmetry_names, \
                 .mutation = {.change = CHANGE_SYMMETRY}),                                         \
        GENE_ROW("sensors", NULL, GENE_SENSORS, GENE_BRAIN, GENE_BODY(sensors)),                   \
        GENE_ROW_THERE("has_effector", "effector", 0, has_effector),                               \
        GENE_ROW_INPUT("effector", 0, effector_input),                                             \
        GENE_ROW("effector_strength", "strength", GENE_REAL,                                       \
                 GENE_WRITTEN | GENE_ABOVE | GENE_BRAIN, .key = "strength", .group = "effector",   \
                 GENE_BODY(effector_strength), GENE_BETWEEN(0, 1), .assumed = 1)

/* Rows of what a part emits, at the end of a body gene. */
#define GENE_ROWS_EMITTER(number, its_group)                                                       \
    GENE_ROW_THERE("has_" its_group, its_group, GENE_LATE, emitters[number].is_there),             \
        GENE_ROW_INPUT(its_group, GENE_LATE, emitters[number].input)
#define GENE_ROWS_EMITTERS                                                                         \
    GENE_ROWS_EMITTER(EMITTER_SOUND, "sound"), GENE_ROWS_EMITTER(EMITTER_SCENT_1, "scent_1"),      \
        GENE_ROWS_EMITTER(EMITTER_SCENT_2, "scent_2")

/* The joint: one from the first to the last; `bits`, if it is not 0, names the allowed ones. */
#define GENE_ROW_JOINT(first, last, usual, bits)                                                   \
    GENE_ROW("joint", "joint", GENE_CHOICE, GENE_WRITTEN, GENE_BODY(joint),                        \
             GENE_BETWEEN(first, last), .names = joint_type_names, .choices = bits,                \
             .assumed = usual)

#define GENE_ROW_END(end)                                                                          \
    GENE_ROW(#end, #end, GENE_ID, GENE_REQUIRED | GENE_WRITTEN | GENE_LINK, GENE_CONNECTION(end))
#define GENE_ROWS_ENDS GENE_ROW_ID(GENE_CONNECTION(id)), GENE_ROW_END(from), GENE_ROW_END(to)

/* The head of the creature; GENE_HEAD where format 10 added it. */
#define GENE_ROW_HEAD(late)                                                                        \
    GENE_ROW("is_head", "the head", GENE_FLAG, late, .key = "head", GENE_BODY(is_head),            \
             GENE_BETWEEN(0, 1))

/* Rows of a connection gene that change the whole subtree it leads to. The function says where a
 * connection has none; NULL: all have. */
#define GENE_ROWS_SUBTREE(absence)                                                                 \
    GENE_ROW("scale", "scale", GENE_REAL, 0, GENE_CONNECTION(scale),                               \
             GENE_BETWEEN(GENOME_SCALE_MIN, GENOME_SCALE_MAX), .assumed = 1, .is_absent = absence, \
             .absent = {1, 1},                                                                     \
             .mutation = {.change = CHANGE_SCALE, .least = GENOME_SCALE_MIN, .digits = 3}),        \
        GENE_ROW_SUBTREE_FLAG("is_reflected", "reflected", "reflected", is_reflected, absence),    \
        GENE_ROW_SUBTREE_FLAG("is_terminal_only", "terminal_only", "terminal-only",                \
                              is_terminal_only, absence)
#define GENE_ROW_SUBTREE_FLAG(its_name, its_key, its_words, member, absence)                       \
    GENE_ROW(its_name, its_words, GENE_FLAG, 0, .key = its_key, GENE_CONNECTION(member),           \
             GENE_BETWEEN(0, 1), .is_absent = absence, .mutation = {.change = CHANGE_FLAGS})

/* Limits that text does not say, rad. */
#define GENE_ASSUMED_LIMIT_RAD 1.0
/* Scales of changes of numbers near 0. */
#define GENE_LEAST_LIMIT_RAD 0.3
#define GENE_LEAST_ANGLE_RAD 0.5
#define GENE_LEAST_POSITION  0.5

/* Forms of limits: of joints that turn, then of those that slide; and of the second limits of those
 * that turn about several axes. */
extern const struct gene_limit_form gene_flat_limit_forms[2], gene_second_limit_form;
int gene_flat_limit_form(const void *gene);
double gene_assume_flat_limit(const void *gene);
struct gene_range gene_narrow_flat_limits(const void *gene);
/* As many inputs as genome_drive_count() says. */
struct gene_range gene_narrow_drives(const void *gene);

#define GENE_CHANGE_LIMITS                                                                         \
    .mutation = {.change = CHANGE_LIMITS, .least = GENE_LEAST_LIMIT_RAD, .digits = 2}
/* Limits of joints that turn or slide, by the joint's type. */
#define GENE_ROW_FLAT_LIMITS                                                                       \
    GENE_ROW("limits", "limit", GENE_LIMITS, GENE_WRITTEN, GENE_BODY(lower),                       \
             .forms = gene_flat_limit_forms, .form_count = 2, .form = gene_flat_limit_form,        \
             .assume = gene_assume_flat_limit, .narrow = gene_narrow_flat_limits,                  \
             GENE_CHANGE_LIMITS)
/* Second limits, at a member of the body gene; the function says which joints have them. */
#define GENE_ROW_SECOND_LIMITS(member, narrow_function)                                            \
    GENE_ROW("limits_2", "second limit", GENE_LIMITS, GENE_WRITTEN, GENE_BODY(member),             \
             .forms = &gene_second_limit_form, .form_count = 1, .assumed = GENE_ASSUMED_LIMIT_RAD, \
             .narrow = narrow_function, GENE_CHANGE_LIMITS)
/* A side of a body. */
#define GENE_ROW_SIDE(its_name, its_words, member)                                                 \
    GENE_ROW(its_name, its_words, GENE_REAL, GENE_REQUIRED | GENE_WRITTEN, .unit = "m",            \
             GENE_BODY(member), GENE_BETWEEN(GENOME_SIDE_MIN_M, GENOME_SIDE_MAX_M),                \
             GENE_CHANGE_LENGTH(CHANGE_SIZE, creature_side_min_m, creature_side_max_m))
/* A length that mutates between two parameters. */
#define GENE_CHANGE_LENGTH(of, least_m, most_m)                                                    \
    .mutation = {.change = of,                                                                     \
                 .digits = 3,                                                                      \
                 .lowest = offsetof(struct params, least_m),                                       \
                 .highest = offsetof(struct params, most_m)}
/* Rows of a connection: a face of a body with `count` of them, and a place on a face. */
#define GENE_ROW_FACE(its_name, its_words, member, count, usual)                                   \
    GENE_ROW(its_name, its_words, GENE_CHOICE, GENE_WRITTEN, GENE_CONNECTION(member),              \
             GENE_BETWEEN(0, (count)-1), .names = face_names, .assumed = usual,                    \
             .mutation = {.change = CHANGE_PLACEMENT})
#define GENE_ROW_POSITION(its_name, its_words, member)                                             \
    GENE_ROW(its_name, its_words, GENE_REAL, 0, GENE_CONNECTION(member), GENE_BETWEEN(-1, 1),      \
             .mutation = {.change = CHANGE_PLACEMENT,                                              \
                          .least = GENE_LEAST_POSITION,                                            \
                          .is_signed = 1,                                                          \
                          .digits = 2})
/* An angle; what changes is of that kind of mutation. */
#define GENE_CHANGE_ANGLE(of)                                                                      \
    .unit = "rad",                                                                                 \
    .mutation = {.change = of, .least = GENE_LEAST_ANGLE_RAD, .is_signed = 1, .digits = 2}
#define GENE_ROW_ANGLE(its_name, its_words, member, most)                                          \
    GENE_ROW(its_name, its_words, GENE_REAL, 0, GENE_CONNECTION(member),                           \
             GENE_BETWEEN(-(most), most), GENE_CHANGE_ANGLE(CHANGE_PLACEMENT))

#endif
