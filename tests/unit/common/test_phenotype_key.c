/* The key of a motion: every number of a phenotype that the simulator reads changes it, what has no
 * influence does not, and creatures with equal keys move alike, bit for bit. */
#include "common/growth/phenotype_key.h"

#include <stddef.h>

#include "common/growth/body.h"
#include "common/growth/sphere_body.h"
#include "common/genetics/genetics.h"
#include "tests/unit/genome_fixture.h"
#include "tests/unit/grown_fixture.h"
#include "simulator/evaluate/evaluate.h"

/* Random creatures of each world, and children of each. */
enum { CREATURES = 60, CHILDREN = 4 };

static struct arena other_arena;
static struct phenotype phenotype;
static const struct trial first = {.purpose = TRIAL_FIRST};

static void setup(void)
{
    grown_set_up(BODY_RECTANGLES);
    arena_deinit(&other_arena);
    ck_assert_int_eq(arena_init(&other_arena, PHENOTYPE_KEY_ARENA_BYTES), 0);
}

/* The key of the phenotype as it is now. */
static struct phenotype_key key_now(void)
{
    struct phenotype_key key;
    arena_reset(&other_arena);
    ck_assert_int_eq(phenotype_key_make(&key, &phenotype, &params, &first, 1, &other_arena), 0);
    return key;
}

static struct phenotype_key key_of(const struct genome *of, uint64_t seed)
{
    struct phenotype_key key;
    ck_assert_int_eq(phenotype_key_grow(&key, of, &params, &first, seed, &other_arena), 0);
    return key;
}

static void grow(void)
{
    arena_reset(&arena);
    phenotype_express(&phenotype, &genome, &params, &arena);
    ck_assert_int_gt(phenotype.part_count, 1);
}

static int is_still(const struct phenotype_key *before)
{
    struct phenotype_key now = key_now();
    return phenotype_key_is_equal(before, &now);
}

/* ---- every field ---- */

struct field {
    const char *name;
    size_t offset, size;
    unsigned
        says; /* for which kinds of the row the motion depends on it: bits, 1 if there is one kind */
};
#define FIELD(type, name, says)                                                                    \
    {                                                                                              \
#type "." #name, offsetof(struct type, name), sizeof(((struct type *)0)->name), says       \
    }

/* Changes each field of a row by its last bit; says so in the key, or does not. The fields are all
 * there are, but for gaps: a new one has to say whether the motion depends on it. */
static void check_fields(void *row, size_t row_size, const struct field *fields, size_t count,
                         unsigned kind)
{
    struct phenotype_key before = key_now();
    size_t end = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char *bytes = (unsigned char *)row + fields[i].offset;
        ck_assert_msg(fields[i].offset >= end && fields[i].offset < end + 8,
                      "there is a field before %s", fields[i].name);
        end = fields[i].offset + fields[i].size;
        for (size_t at = 0; at < fields[i].size; at += fields[i].size % 8 ? 4 : 8) {
            bytes[at] ^= 1;
            ck_assert_msg(is_still(&before) == !(fields[i].says & kind), "%s, byte %zu",
                          fields[i].name, at);
            bytes[at] ^= 1;
        }
    }
    ck_assert_msg(row_size < end + 8, "there is a field behind %s", fields[count - 1].name);
}
#define CHECK_FIELDS(row, fields) CHECK_FIELDS_OF(row, fields, 1)
#define CHECK_FIELDS_OF(row, fields, kind)                                                         \
    check_fields(row, sizeof *(row), fields, sizeof(fields) / sizeof *(fields), kind)

static const struct field part_fields[] = {
    FIELD(part, body, 0),
    FIELD(part, via, 0),
    FIELD(part, parent, 1),
    FIELD(part, depth, 0),
    FIELD(part, mirror, 1),
    FIELD(part, link, 1),
    FIELD(part, width_m, 1),
    FIELD(part, height_m, 1),
    FIELD(part, mass_kg, 1),
    FIELD(part, centre, 1),
    FIELD(part, angle_rad, 1),
    FIELD(part, turn, 0),
    FIELD(part, anchor, 0),
    FIELD(part, local, 1),
    FIELD(part, local_angle_rad, 1),
    FIELD(part, sensors, 0),
    FIELD(part, cross_section_m, 1),
    FIELD(part, shape, 1),
    FIELD(part, is_reversed, 1),
};
/* A stretch is of bodies in the plane; in space drives have the strength. */
enum { PLANE = 1, SPACE = 2, BOTH = PLANE | SPACE };
static const struct field link_fields[] = {
    FIELD(body_link, parent, BOTH),      FIELD(body_link, kind, BOTH),
    FIELD(body_link, joint.x, BOTH),     FIELD(body_link, joint.y, BOTH),
    FIELD(body_link, joint.z, SPACE),    FIELD(body_link, frame, SPACE),
    FIELD(body_link, axis.x, PLANE),     FIELD(body_link, axis.y, PLANE),
    FIELD(body_link, axis.z, 0),         FIELD(body_link, half_m, 0),
    FIELD(body_link, mass_kg, BOTH),     FIELD(body_link, centre.x, BOTH),
    FIELD(body_link, centre.y, BOTH),    FIELD(body_link, centre.z, SPACE),
    FIELD(body_link, inertia.xx, SPACE), FIELD(body_link, inertia.xy, SPACE),
    FIELD(body_link, inertia.xz, SPACE), FIELD(body_link, inertia.yy, SPACE),
    FIELD(body_link, inertia.yz, SPACE), FIELD(body_link, inertia.zz, BOTH),
    FIELD(body_link, lower[0], BOTH),    FIELD(body_link, lower[1], SPACE),
    FIELD(body_link, lower[2], SPACE),   FIELD(body_link, lower[3], 0),
    FIELD(body_link, lower[4], 0),       FIELD(body_link, lower[5], 0),
    FIELD(body_link, upper[0], BOTH),    FIELD(body_link, upper[1], SPACE),
    FIELD(body_link, upper[2], SPACE),   FIELD(body_link, upper[3], 0),
    FIELD(body_link, upper[4], 0),       FIELD(body_link, upper[5], 0),
    FIELD(body_link, cone_rad, SPACE),   FIELD(body_link, strength, PLANE),
    FIELD(body_link, part, BOTH),        FIELD(body_link, parent_part, BOTH),
    FIELD(body_link, gene_joint, SPACE), FIELD(body_link, first_drive, SPACE),
    FIELD(body_link, sign, SPACE),       FIELD(body_link, scale, BOTH),
};
static const struct field drive_fields[] = {
    FIELD(drive, part, 1),       FIELD(drive, axis, 1),  FIELD(drive, is_linear, 1),
    FIELD(drive, is_stretch, 0), /* the link says it */
    FIELD(drive, lower, 1),      FIELD(drive, upper, 1), FIELD(drive, strength, 1),
    FIELD(drive, rest, 1),       FIELD(drive, unit, 1),  FIELD(drive, least, 1),
    FIELD(drive, most, 1),       FIELD(drive, way, 0),
};
static const struct field shape_fields[] = {
    FIELD(shape, kind, 1), FIELD(shape, part, 1), FIELD(shape, other, 1),  FIELD(shape, drive, 1),
    FIELD(shape, at_m, 1), FIELD(shape, turn, 1), FIELD(shape, half_m, 1), FIELD(shape, other_m, 0),
};
static const struct field neuron_fields[] = {
    FIELD(neuron, gene, 0),    FIELD(neuron, part, 0),      FIELD(neuron, function, 1),
    FIELD(neuron, initial, 1), FIELD(neuron, lag_turns, 0),
};
enum { OF_NEURON = 1, OF_SENSOR = 2, OF_CONSTANT = 4 };
static const struct field wire_fields[] = {
    FIELD(wire, kind, OF_NEURON | OF_SENSOR | OF_CONSTANT),
    FIELD(wire, index, OF_NEURON | OF_SENSOR),
    FIELD(wire, sensor, OF_SENSOR),
    FIELD(wire, value, OF_CONSTANT),
    FIELD(wire, weight, OF_NEURON | OF_SENSOR),
};
static const struct field sphere_fields[] = {
    FIELD(sphere, radius_m, 1), FIELD(sphere, mass_kg, 1),    FIELD(sphere, inertia_kg_m2, 1),
    FIELD(sphere, friction, 1), FIELD(sphere, elasticity, 1), FIELD(sphere, centre, 1),
};
static const struct field bone_fields[] = {
    FIELD(bone, a, 1),         FIELD(bone, b, 1),          FIELD(bone, length_m, 1),
    FIELD(bone, is_muscle, 1), FIELD(bone, shortest_m, 1), FIELD(bone, longest_m, 1),
    FIELD(bone, rate_m_s, 1),  FIELD(bone, strength_n, 1),
};
static const struct field joint_fields[] = {
    FIELD(sphere_joint, sphere, 1),       FIELD(sphere_joint, base, 1),
    FIELD(sphere_joint, end, 1),          FIELD(sphere_joint, reference, 1),
    FIELD(sphere_joint, kind, 1),         FIELD(sphere_joint, axis, 1),
    FIELD(sphere_joint, lower, 1),        FIELD(sphere_joint, upper, 1),
    FIELD(sphere_joint, strength_n_m, 1), FIELD(sphere_joint, rate_rad_s, 1),
};
static const struct field sphere_drive_fields[] = {
    FIELD(sphere_drive, kind, 1), FIELD(sphere_drive, index, 1), FIELD(sphere_drive, axis, 1),
    FIELD(sphere_drive, rest, 1), FIELD(sphere_drive, unit, 1),  FIELD(sphere_drive, low, 1),
    FIELD(sphere_drive, high, 1),
};

static const struct field box_fields[] = {
    FIELD(body_box, link, 1),   FIELD(body_box, centre, 1), FIELD(body_box, turn, 1),
    FIELD(body_box, size_m, 1), FIELD(body_box, is_dry, 0), /* never in creatures */
};
TEST(every_field_of_rectangles)
{
    fixture_make(&genome);
    grow();
    for (int i = 0; i < phenotype.part_count; i++)
        CHECK_FIELDS(&phenotype.parts[i], part_fields);
    for (int i = 0; i < phenotype.body->link_count; i++)
        CHECK_FIELDS_OF(&phenotype.body->links[i], link_fields, PLANE);
    for (int i = 0; i < phenotype.drive_count; i++)
        CHECK_FIELDS(&phenotype.drives[i], drive_fields);
    for (int i = 0; i < phenotype.shape_count; i++)
        CHECK_FIELDS(&phenotype.shapes[i], shape_fields);
    ck_assert_uint_lt(sizeof(struct effector),
                      offsetof(struct effector, input) + sizeof(struct wire) + 8);
    /* a kind, seven tables and their lengths, first drive, pieces, head, what scenes have, the
     * mass */
    if (sizeof(void *) == 8)
        ck_assert_uint_eq(sizeof phenotype, 136);
    struct phenotype_key before = key_now();
    phenotype.body->links[1].sign[0] *= -1; /* a whole number */
    ck_assert(!is_still(&before));
    phenotype.body->links[1].sign[0] *= -1;
    phenotype.effectors[0].drive++;
    ck_assert(!is_still(&before));
    phenotype.effectors[0].drive--;
    int *const counts[] = {&phenotype.part_count,     &phenotype.body->link_count,
                           &phenotype.effector_count, &phenotype.drive_count,
                           &phenotype.shape_count,    &phenotype.first_drive,
                           &phenotype.piece_count,    &phenotype.head};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        --*counts[i];
        ck_assert(!is_still(&before));
        ++*counts[i];
    }
    ck_assert(is_still(&before));
    phenotype.kind = BODY_BOXES;
    ck_assert(!is_still(&before));
    phenotype.kind = BODY_RECTANGLES;
    struct emitter emitter = {.part = 0, .kind = EMITTER_SOUND};
    phenotype.emitters = &emitter;
    phenotype.emitter_count = 1;
    const struct emitter changes[4] = {emitter,
                                       {.part = 1, .kind = EMITTER_SOUND},
                                       {.part = 1, .kind = EMITTER_SCENT_1},
                                       {.part = 1, .kind = EMITTER_SCENT_1, .input.value = 1}};
    struct phenotype_key keys[4];
    for (int i = 0; i < 4; i++) {
        emitter = changes[i];
        keys[i] = key_now();
        ck_assert(!phenotype_key_is_equal(&before, &keys[i]));
        for (int k = 0; k < i; k++)
            ck_assert(!phenotype_key_is_equal(&keys[k], &keys[i]));
    }
}

TEST(every_field_of_spheres)
{
    fixture_make_spheres(&genome);
    grow();
    const struct sphere_body *body = phenotype.detail;
    ck_assert_int_gt(body->bone_count, 3);
    ck_assert_int_gt(body->joint_count, 1);
    ck_assert_int_gt(body->drive_count, 1);
    for (int i = 0; i < body->sphere_count; i++)
        CHECK_FIELDS(&body->spheres[i], sphere_fields);
    for (int i = 0; i < body->bone_count; i++)
        CHECK_FIELDS(&body->bones[i], bone_fields);
    for (int i = 0; i < body->joint_count; i++)
        CHECK_FIELDS(&body->joints[i], joint_fields);
    for (int i = 0; i < body->drive_count; i++)
        CHECK_FIELDS(&body->drives[i], sphere_drive_fields);
    for (int i = 0; i < phenotype.drive_count; i++)
        CHECK_FIELDS(&phenotype.drives[i], drive_fields);
    for (int i = 0; i < phenotype.shape_count; i++)
        CHECK_FIELDS(&phenotype.shapes[i], shape_fields);
    /* four tables and their lengths */
    ck_assert_uint_eq(sizeof *body, 4 * sizeof(void *) + 4 * sizeof(int));
}

TEST(every_field_of_boxes)
{
    fixture_make_boxes(&genome);
    params.boxes_overlap_max_m = 0; /* images of some parts meet */
    grow();
    const struct body *space = phenotype.body;
    ck_assert_int_eq(space->box_count, phenotype.part_count);
    ck_assert_int_gt(space->link_count, 4);
    for (int i = 0; i < space->box_count; i++)
        CHECK_FIELDS((struct body_box *)&space->boxes[i], box_fields);
    for (int i = 0; i < space->link_count; i++)
        CHECK_FIELDS_OF(&space->links[i], link_fields, SPACE);
    for (int i = 0; i < phenotype.drive_count; i++)
        CHECK_FIELDS(&phenotype.drives[i], drive_fields);
    for (int i = 0; i < phenotype.part_count; i++)
        CHECK_FIELDS(&phenotype.parts[i], part_fields);
    if (sizeof(void *) == 8)
        ck_assert_uint_eq(sizeof *space, 3 * (sizeof(void *) + 8));
}

/* ---- brains ---- */

/* In the middle of a brain: a neuron that reads one, a sensor and a constant. */
TEST(every_field_of_neurons)
{
    fixture_make(&genome);
    grow();
    ck_assert_int_gt(phenotype.neuron_count, 4);
    struct wire *input = &phenotype.effectors[0].input;
    *input = (struct wire){.kind = WIRE_NEURON, .index = 2, .weight = 0.5};
    phenotype.effector_count = 1;
    struct neuron *neuron = &phenotype.neurons[2];
    neuron->function = NEURON_SUM;
    neuron->inputs[0] = (struct wire){.kind = WIRE_NEURON, .index = 2, .weight = 0.25};
    neuron->inputs[1] = (struct wire){.kind = WIRE_SENSOR, .index = 1, .sensor = 2, .weight = -1};
    neuron->inputs[2] = (struct wire){.kind = WIRE_CONSTANT, .value = 3};
    check_fields(neuron, offsetof(struct neuron, inputs), neuron_fields, 5, 1);
    ck_assert_uint_lt(sizeof *neuron, offsetof(struct neuron, inputs) + sizeof neuron->inputs + 8);
    CHECK_FIELDS_OF(&neuron->inputs[0], wire_fields, OF_NEURON);
    CHECK_FIELDS_OF(&neuron->inputs[1], wire_fields, OF_SENSOR);
    CHECK_FIELDS_OF(&neuron->inputs[2], wire_fields, OF_CONSTANT);
    CHECK_FIELDS_OF(input, wire_fields, OF_NEURON);
    /* values without a reader */
    struct phenotype_key before = key_now();
    phenotype.neurons[1].function ^= 1;
    phenotype.neuron_count--;
    ck_assert(is_still(&before));
}

/* A brain with its instances in another order has the same key. One whose wires are exchanged has
 * another. */
TEST(order_of_neurons)
{
    fixture_make(&genome);
    grow();
    phenotype.effector_count = 1;
    phenotype.effectors[0].input = (struct wire){.kind = WIRE_NEURON, .index = 0, .weight = 1};
    for (int i = 0; i < 3; i++) {
        struct neuron *neuron = &phenotype.neurons[i];
        *neuron = (struct neuron){.function = i == 2 ? NEURON_MAX : NEURON_SUM};
        neuron->inputs[0] = (struct wire){.kind = WIRE_NEURON, .index = (i + 1) % 3, .weight = 1};
        neuron->inputs[1] = (struct wire){.kind = WIRE_NEURON, .index = (i + 2) % 3, .weight = 1};
    }
    struct phenotype_key before = key_now();
    struct neuron second = phenotype.neurons[1];
    phenotype.neurons[1] = phenotype.neurons[2];
    phenotype.neurons[2] = second;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            struct wire *wire = &phenotype.neurons[i].inputs[k];
            wire->index = wire->index == 0 ? 0 : 3 - wire->index;
        }
    ck_assert(is_still(&before));
    struct wire wire = phenotype.neurons[0].inputs[0];
    phenotype.neurons[0].inputs[0] = phenotype.neurons[0].inputs[1];
    phenotype.neurons[0].inputs[1] = wire;
    ck_assert(!is_still(&before));
}

/* ---- genomes ---- */

static void rename_input(struct input_gene *input)
{
    input->source += input->source ? 5000 : 0;
    input->via += input->via ? 5000 : 0;
}

/* Other ids, and a neuron without a reader: another genome, the same motion. */
TEST_LOOP(ids_and_dead_neurons, 0, 2)
{
    genome_deinit(&genome);
    if (_i == 0)
        fixture_make(&genome);
    else
        fixture_make_spheres(&genome);
    struct phenotype_key before = key_of(&genome, 1);
    genome.root += 5000;
    for (int i = 0; i < genome.body_count; i++) {
        struct input_gene *input;
        genome.bodies[i].id += 5000;
        for (int k = 0; (input = genome_body_input(&genome.bodies[i], k)) != NULL; k++)
            rename_input(input);
    }
    for (int i = 0; i < genome.connection_count; i++) {
        genome.connections[i].id += 5000;
        genome.connections[i].from += 5000;
        genome.connections[i].to += 5000;
    }
    for (int i = 0; i < genome.neuron_count; i++) {
        genome.neurons[i].id += 5000;
        genome.neurons[i].owner += genome.neurons[i].owner ? 5000 : 0;
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            rename_input(&genome.neurons[i].inputs[k]);
    }
    struct neuron_gene *dead = genome_add(&genome, GENOME_NEURONS);
    dead->id = 9999;
    dead->function = NEURON_OSCILLATE_WAVE;
    ck_ok(genome_check(&genome, &error));
    struct phenotype_key after = key_of(&genome, 2);
    ck_assert(phenotype_key_is_equal(&before, &after));
}

TEST(seeds_and_trials)
{
    fixture_make(&genome);
    struct phenotype_key key = key_of(&genome, 1), other = key_of(&genome, 2);
    ck_assert(phenotype_key_is_equal(&key, &other));
    set("light.kind=still");
    other = key_of(&genome, 2);
    ck_assert(phenotype_key_is_equal(&key, &other));
    set("light.kind=moving");
    key = key_of(&genome, 1), other = key_of(&genome, 2);
    ck_assert(!phenotype_key_is_equal(&key, &other));
    set("light.kind=none");
    struct phenotype_key keys[6];
    static const struct trial trials[6] = {{TRIAL_FIRST, 0, 0, 0, 0}, {TRIAL_FIRST, 0, 1, 0, 0},
                                           {TRIAL_FIRST, 0, 0, 1, 0}, {TRIAL_FIRST, 1, 0, 0, 0},
                                           {TRIAL_FIRST, 2, 0, 0, 0}, {TRIAL_FIRST, 1, 0, 0, 0}};
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(phenotype_key_grow(&keys[i], &genome, &params, &trials[i], i == 5 ? 2 : 1,
                                            &other_arena),
                         0);
        for (int k = 0; k < i; k++)
            ck_assert(!phenotype_key_is_equal(&keys[i], &keys[k]));
    }
    /* what it is looked at for does not matter */
    ck_assert_int_eq(phenotype_key_grow(&keys[1], &genome, &params,
                                        &(struct trial){.purpose = TRIAL_CHAMPION}, 7,
                                        &other_arena),
                     0);
    ck_assert(phenotype_key_is_equal(&keys[0], &keys[1]));
}

/* ---- motion ---- */

static void evaluate_with(const struct genome *of, uint64_t seed, struct evaluation *evaluation)
{
    evaluate(of, &params, seed, &arena, NULL, NULL, evaluation);
}

/* Parents and their mutants, in several worlds: where the keys are equal, so are digest, verdict,
 * work and measures, whatever the seeds; such pairs are not rare. */
TEST_LOOP(equal_keys_move_alike, 0, 5)
{
    static const char *const worlds[][2] = {
        {"world.preset=land", "creature.body=rectangles"},
        {"world.preset=water", "creature.body=rectangles"},
        {"world.preset=land", "creature.body=spheres"},
        {"light.kind=still", "sensor.light=yes"},
        {"world.preset=land", "creature.body=boxes"},
    };
    set(worlds[_i][0], worlds[_i][1], "simulation.duration_s=1");
    int equal = 0, other_genomes = 0;
    for (uint64_t id = 1; id <= CREATURES; id++) {
        struct gene_counter ids = {id, 0};
        struct evaluation own, childs;
        genome_deinit(&genome);
        struct rng rng = test_rng(5, (uint32_t)_i, id);
        ck_assert_int_eq(genetics_random(&genome, &params, &rng, &ids), 0);
        struct phenotype_key key = key_of(&genome, id);
        evaluate_with(&genome, id, &own);
        for (int child = 0; child < CHILDREN; child++) {
            SCOPED(genome) mutant;
            char text[200];
            ck_assert_int_eq(genome_copy(&mutant, &genome), 0);
            ck_assert_int_eq(
                genetics_mutate(&mutant, 1 + child / 2, &params, &rng, &ids, text, sizeof text), 0);
            struct phenotype_key mutants = key_of(&mutant, 1000 + id);
            if (phenotype_key_is_equal(&key, &mutants)) {
                evaluate_with(&mutant, 1000 + id, &childs);
                ck_assert_msg(own.digest == childs.digest && own.verdict == childs.verdict &&
                                  own.work == childs.work &&
                                  own.pace_least_m_s == childs.pace_least_m_s,
                              "creature %d and its child by \"%s\"", (int)id, text);
                int measure = measures_find_difference(&own.measures, &childs.measures);
                ck_assert_msg(measure < 0, "creature %d and its child by \"%s\": %s", (int)id, text,
                              measure_table[measure < 0 ? 0 : measure].name);
                equal++;
                other_genomes += !genome_is_equal(&genome, &mutant);
            }
        }
    }
    printf("phenotype key: %s, %s: %d of %d mutants have their parent's key\n", worlds[_i][0],
           worlds[_i][1], equal, CREATURES * CHILDREN);
    ck_assert_int_gt(other_genomes, CREATURES * CHILDREN / 50);
}

SUITE("phenotype_key", 120, setup, grown_tear_down)
