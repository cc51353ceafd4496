/* See phenotype_key.h.
 *
 * Two rolling hashes of 64 bits over the same words, from two starts, so that a pair of words that
 * meets in one does not meet in the other. A creature has some 400 words: 3 us.
 *
 * The brain is a graph whose inputs have an order, seen from effectors that have one: neurons get
 * numbers as they are reached, breadth first, and go in by number. Two brains with equal words are
 * the same graph, and the simulator's order of evaluation follows from the graph alone. */
#include "common/growth/phenotype_key.h"

#include <string.h>

#include "common/growth/phenotype_grow.h"
#include "common/growth/body.h"
#include "common/error.h"
#include "common/genome/body_kind.h"
#include "common/math/hash.h"

struct key_hasher {
    uint64_t words[2];
};

static void put(struct key_hasher *hasher, uint64_t word)
{
    hasher->words[0] = hash_u64(hasher->words[0], word);
    hasher->words[1] = hash_u64(hasher->words[1], word);
}

void key_put_int(struct key_hasher *hasher, int value)
{
    put(hasher, (uint64_t)value);
}

/* Unlike hash_double(): 0 and -0 are two. */
void key_put_double(struct key_hasher *hasher, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(hasher, bits);
}

void key_put_ints(struct key_hasher *hasher, const int *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key_put_int(hasher, values[i]);
}

void key_put_doubles(struct key_hasher *hasher, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key_put_double(hasher, values[i]);
}

static void put_vec2(struct key_hasher *hasher, struct vec2 value)
{
    KEY_PUT_DOUBLES(hasher, value.x, value.y);
}

void key_put_vec3(struct key_hasher *hasher, struct vec3 value)
{
    KEY_PUT_DOUBLES(hasher, value.x, value.y, value.z);
}

void key_put_turn(struct key_hasher *hasher, struct quaternion value)
{
    key_put_double(hasher, value.w);
    key_put_vec3(hasher, (struct vec3){value.x, value.y, value.z});
}

/* ---- bodies ---- */

/* Sensors go in with the wires that read them; gene, connection and depth say nothing; the anchor
 * is the joint of a link; the turn is that of the angle, or in what the kind adds. */
static void put_part(struct key_hasher *hasher, const struct part *part)
{
    KEY_PUT_INTS(hasher, part->parent, part->mirror, part->link, (int)part->shape);
    KEY_PUT_DOUBLES(hasher, part->width_m, part->height_m, part->mass_kg);
    key_put_vec3(hasher, part->centre);
    key_put_double(hasher, part->angle_rad);
    put_vec2(hasher, part->local);
    KEY_PUT_DOUBLES(hasher, part->local_angle_rad, part->cross_section_m);
    /* only those of a body that is mirrored as a whole; others have the keys of older versions */
    if (part->is_reversed)
        key_put_int(hasher, part->is_reversed);
}

static void put_drive(struct key_hasher *hasher, const struct drive *drive)
{
    KEY_PUT_INTS(hasher, drive->part, drive->axis, drive->is_linear);
    KEY_PUT_DOUBLES(hasher, drive->lower, drive->upper, drive->strength, drive->rest, drive->unit,
                    drive->least, drive->most);
}

static void put_shape(struct key_hasher *hasher, const struct shape *shape)
{
    KEY_PUT_INTS(hasher, (int)shape->kind, shape->part, shape->other, shape->drive);
    key_put_vec3(hasher, shape->at_m);
    key_put_turn(hasher, shape->turn);
    key_put_vec3(hasher, shape->half_m);
}

static int has_effector(const struct phenotype *phenotype, int drive)
{
    for (int i = 0; i < phenotype->effector_count; i++)
        if (phenotype->effectors[i].drive == drive)
            return 1;
    return 0;
}

/* The numbers that joints in the plane had when keys were first made. */
static int flat_joint(enum link_joint kind)
{
    switch (kind) {
    case LINK_PLANAR:
    case LINK_REVOLUTE:
        return 0;
    case LINK_LINEAR:
        return 1;
    case LINK_STRETCH:
        return 2;
    case LINK_RIGID:
        return 3;
    default:
        return (int)kind;
    }
}

/* Puts a link of a body in the plane. */
static void put_flat_link(struct key_hasher *hasher, const struct phenotype *phenotype, int index)
{
    const struct body_link *link = &phenotype->body->links[index];
    KEY_PUT_INTS(hasher, link->parent, link->part, link->parent_part, flat_joint(link->kind),
                 has_effector(phenotype, index), (int)link->sign[0]);
    put_vec2(hasher, vec3_flat(link->joint));
    put_vec2(hasher, vec3_flat(link->axis));
    key_put_double(hasher, link->mass_kg);
    put_vec2(hasher, vec3_flat(link->centre));
    KEY_PUT_DOUBLES(hasher, link->inertia.zz, link->lower[0], link->upper[0], link->scale,
                    link->strength);
}

/* Closures, fixed roots and parts that pass one another are not looked at: only scenes have
 * them. */
static void put_body(struct key_hasher *hasher, const struct phenotype *phenotype)
{
    const struct body_growth *growth = body_kinds[phenotype->kind].growth;
    int flat_links = growth->put_detail ? 0 : phenotype->body->link_count;
    KEY_PUT_INTS(hasher, phenotype->kind, phenotype->part_count);
    for (int i = 0; i < phenotype->part_count; i++)
        put_part(hasher, &phenotype->parts[i]);
    key_put_int(hasher, phenotype->drive_count);
    for (int i = 0; i < phenotype->drive_count; i++)
        put_drive(hasher, &phenotype->drives[i]);
    key_put_int(hasher, phenotype->shape_count);
    for (int i = 0; i < phenotype->shape_count; i++)
        put_shape(hasher, &phenotype->shapes[i]);
    key_put_int(hasher, flat_links);
    for (int i = 0; i < flat_links; i++)
        put_flat_link(hasher, phenotype, i);
    KEY_PUT_INTS(hasher, phenotype->first_drive, phenotype->piece_count, phenotype->head);
    key_put_double(hasher, phenotype->mass_kg);
    key_put_int(hasher, growth->put_detail != NULL);
    if (growth->put_detail)
        growth->put_detail(hasher, phenotype);
}

/* ---- brains ---- */

/* The neurons reached so far, in their order, and the place of each in it, from 1. */
struct reached {
    int *neurons, *places;
    int count;
};

static void put_wire(struct key_hasher *hasher, const struct wire *wire, struct reached *reached)
{
    key_put_int(hasher, wire->kind);
    if (wire->kind == WIRE_CONSTANT) {
        key_put_double(hasher, wire->value);
        return;
    }
    key_put_double(hasher, wire->weight);
    if (wire->kind == WIRE_SENSOR) {
        KEY_PUT_INTS(hasher, wire->index, wire->sensor);
        return;
    }
    if (!reached->places[wire->index]) {
        reached->neurons[reached->count++] = wire->index;
        reached->places[wire->index] = reached->count;
    }
    key_put_int(hasher, reached->places[wire->index]);
}

static int put_brain(struct key_hasher *hasher, const struct phenotype *phenotype,
                     struct arena *arena)
{
    size_t neurons = (size_t)phenotype->neuron_count;
    struct reached reached = {.neurons = arena_take(arena, neurons, sizeof(int)),
                              .places = arena_take(arena, neurons, sizeof(int))};
    if (!reached.neurons || !reached.places)
        return ERR_MEMORY;
    key_put_int(hasher, phenotype->effector_count);
    for (int i = 0; i < phenotype->effector_count; i++) {
        key_put_int(hasher, phenotype->effectors[i].drive);
        put_wire(hasher, &phenotype->effectors[i].input, &reached);
    }
    /* without emitters it is the key of versions that had none */
    for (int i = 0; i < phenotype->emitter_count; i++) {
        KEY_PUT_INTS(hasher, phenotype->emitters[i].part, phenotype->emitters[i].kind);
        put_wire(hasher, &phenotype->emitters[i].input, &reached);
    }
    for (int i = 0; i < reached.count; i++) {
        const struct neuron *neuron = &phenotype->neurons[reached.neurons[i]];
        key_put_int(hasher, neuron->function);
        key_put_double(hasher, neuron->initial);
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            put_wire(hasher, &neuron->inputs[k], &reached);
    }
    return 0;
}

/* ---- the whole ---- */

/* The places of moving lights are drawn from the seed, and the starts of perturbed runs. */
int phenotype_key_has_seed(const struct params *params, const struct trial *trial)
{
    return params->light_kind == LIGHT_MOVING || trial->perturbation != 0;
}

static void put_trial(struct key_hasher *hasher, const struct params *params,
                      const struct trial *trial, uint64_t seed)
{
    KEY_PUT_INTS(hasher, trial->perturbation, trial->halvings, trial->has_other_solver);
    if (phenotype_key_has_seed(params, trial))
        put(hasher, seed);
}

int phenotype_key_make(struct phenotype_key *key, const struct phenotype *phenotype,
                       const struct params *params, const struct trial *trial, uint64_t seed,
                       struct arena *arena)
{
    struct key_hasher hasher = {{HASH_START, ~HASH_START}};
    put_trial(&hasher, params, trial, seed);
    put_body(&hasher, phenotype);
    int status = put_brain(&hasher, phenotype, arena);
    memcpy(key->words, hasher.words, sizeof key->words);
    return status;
}

int phenotype_key_grow(struct phenotype_key *key, const struct genome *genome,
                       const struct params *params, const struct trial *trial, uint64_t seed,
                       struct arena *arena)
{
    struct phenotype phenotype;
    arena_reset(arena);
    phenotype_express(&phenotype, genome, params, arena);
    if (!phenotype.parts)
        return ERR_MEMORY;
    return phenotype_key_make(key, &phenotype, params, trial, seed, arena);
}

int phenotype_key_is_equal(const struct phenotype_key *a, const struct phenotype_key *b)
{
    return a->words[0] == b->words[0] && a->words[1] == b->words[1];
}
