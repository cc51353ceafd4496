/* See phenotype_key.h.
 *
 * Two rolling hashes of 64 bits over the same words, from two starts, so that a pair of words that meets in one does
 * not meet in the other. A creature has some 400 words: 3 us.
 *
 * The brain is a graph whose inputs have an order, seen from effectors that have one: neurons get numbers as they
 * are reached, breadth first, and go in by number. Two brains with equal words are the same graph, and the simulator's
 * order of evaluation follows from the graph alone. */
#include "common/body/phenotype_key.h"

#include <string.h>

#include "common/body/sphere_body.h"
#include "common/error.h"
#include "common/hash.h"

struct hasher {
    uint64_t words[2];
};

static void put(struct hasher *hasher, uint64_t word)
{
    hasher->words[0] = hash_u64(hasher->words[0], word);
    hasher->words[1] = hash_u64(hasher->words[1], word);
}

static void put_int(struct hasher *hasher, int value)
{
    put(hasher, (uint64_t)value);
}

/* Unlike hash_double(): 0 and -0 are two. */
static void put_double(struct hasher *hasher, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(hasher, bits);
}

static void put_vec2(struct hasher *hasher, struct vec2 value)
{
    put_double(hasher, value.x);
    put_double(hasher, value.y);
}

static void put_vec3(struct hasher *hasher, struct vec3 value)
{
    put_double(hasher, value.x);
    put_double(hasher, value.y);
    put_double(hasher, value.z);
}

/* ---- bodies ---- */

/* Sensors go in with the wires that read them; gene, connection and depth say nothing; the anchor is the joint of a link. */
static void put_part(struct hasher *hasher, const struct part *part)
{
    put_int(hasher, part->parent);
    put_int(hasher, part->mirror);
    put_int(hasher, part->link);
    put_int(hasher, (int)part->shape);
    put_double(hasher, part->width_m);
    put_double(hasher, part->height_m);
    put_double(hasher, part->mass_kg);
    put_vec3(hasher, part->centre);
    put_double(hasher, part->angle_rad);
    put_vec2(hasher, part->local);
    put_double(hasher, part->local_angle_rad);
    put_double(hasher, part->cross_section_m);
}

static void put_drive(struct hasher *hasher, const struct drive *drive)
{
    put_int(hasher, drive->part);
    put_int(hasher, drive->axis);
    put_int(hasher, drive->is_linear);
    put_double(hasher, drive->lower);
    put_double(hasher, drive->upper);
    put_double(hasher, drive->strength);
    put_double(hasher, drive->rest);
    put_double(hasher, drive->unit);
    put_double(hasher, drive->least);
    put_double(hasher, drive->most);
}

static void put_shape(struct hasher *hasher, const struct shape *shape)
{
    put_int(hasher, (int)shape->kind);
    put_int(hasher, shape->part);
    put_int(hasher, shape->other);
    put_int(hasher, shape->drive);
    put_vec3(hasher, shape->at_m);
    put_double(hasher, shape->turn.w);
    put_vec3(hasher, (struct vec3){shape->turn.x, shape->turn.y, shape->turn.z});
    put_vec3(hasher, shape->half_m);
}

static void put_link(struct hasher *hasher, const struct link *link)
{
    put_int(hasher, link->parent);
    put_int(hasher, link->part);
    put_int(hasher, link->parent_part);
    put_int(hasher, link->joint_kind);
    put_int(hasher, link->has_effector);
    put_int(hasher, link->mirror);
    put_vec2(hasher, link->joint);
    put_vec2(hasher, link->axis);
    put_double(hasher, link->mass_kg);
    put_vec2(hasher, link->centre);
    put_double(hasher, link->inertia_kg_m2);
    put_double(hasher, link->lower);
    put_double(hasher, link->upper);
    put_double(hasher, link->scale);
    put_double(hasher, link->strength);
}

static void put_sphere(struct hasher *hasher, const struct sphere *sphere)
{
    put_double(hasher, sphere->radius_m);
    put_double(hasher, sphere->mass_kg);
    put_double(hasher, sphere->inertia_kg_m2);
    put_double(hasher, sphere->friction);
    put_double(hasher, sphere->elasticity);
    put_vec3(hasher, sphere->centre);
}

static void put_bone(struct hasher *hasher, const struct bone *bone)
{
    put_int(hasher, bone->a);
    put_int(hasher, bone->b);
    put_int(hasher, bone->is_muscle);
    put_double(hasher, bone->length_m);
    put_double(hasher, bone->shortest_m);
    put_double(hasher, bone->longest_m);
    put_double(hasher, bone->rate_m_s);
    put_double(hasher, bone->strength_n);
}

static void put_sphere_joint(struct hasher *hasher, const struct sphere_joint *joint)
{
    put_int(hasher, joint->sphere);
    put_int(hasher, joint->base);
    put_int(hasher, joint->end);
    put_int(hasher, joint->reference);
    put_int(hasher, joint->kind);
    put_vec3(hasher, joint->axis);
    for (int i = 0; i < 2; i++) {
        put_double(hasher, joint->lower[i]);
        put_double(hasher, joint->upper[i]);
    }
    put_double(hasher, joint->strength_n_m);
    put_double(hasher, joint->rate_rad_s);
}

static void put_sphere_drive(struct hasher *hasher, const struct sphere_drive *drive)
{
    put_int(hasher, drive->kind);
    put_int(hasher, drive->index);
    put_int(hasher, drive->axis);
    put_double(hasher, drive->rest);
    put_double(hasher, drive->unit);
    put_double(hasher, drive->low);
    put_double(hasher, drive->high);
}

static void put_spheres(struct hasher *hasher, const struct sphere_body *body)
{
    put_int(hasher, body->sphere_count);
    for (int i = 0; i < body->sphere_count; i++)
        put_sphere(hasher, &body->spheres[i]);
    put_int(hasher, body->bone_count);
    for (int i = 0; i < body->bone_count; i++)
        put_bone(hasher, &body->bones[i]);
    put_int(hasher, body->joint_count);
    for (int i = 0; i < body->joint_count; i++)
        put_sphere_joint(hasher, &body->joints[i]);
    put_int(hasher, body->drive_count);
    for (int i = 0; i < body->drive_count; i++)
        put_sphere_drive(hasher, &body->drives[i]);
}

/* What scenes alone have is not looked at: closures, fixed roots, parts that pass one another. */
static void put_body(struct hasher *hasher, const struct phenotype *phenotype)
{
    put_int(hasher, phenotype->kind);
    put_int(hasher, phenotype->part_count);
    for (int i = 0; i < phenotype->part_count; i++)
        put_part(hasher, &phenotype->parts[i]);
    put_int(hasher, phenotype->drive_count);
    for (int i = 0; i < phenotype->drive_count; i++)
        put_drive(hasher, &phenotype->drives[i]);
    put_int(hasher, phenotype->shape_count);
    for (int i = 0; i < phenotype->shape_count; i++)
        put_shape(hasher, &phenotype->shapes[i]);
    put_int(hasher, phenotype->link_count);
    for (int i = 0; i < phenotype->link_count; i++)
        put_link(hasher, &phenotype->links[i]);
    put_int(hasher, phenotype->first_drive);
    put_int(hasher, phenotype->piece_count);
    put_int(hasher, phenotype->head);
    put_double(hasher, phenotype->mass_kg);
    put_int(hasher, phenotype->spheres != NULL);
    if (phenotype->spheres)
        put_spheres(hasher, phenotype->spheres);
}

/* ---- brains ---- */

/* The neurons reached so far, in their order, and the place of each in it, from 1. */
struct reached {
    int *neurons, *places;
    int count;
};

static void put_wire(struct hasher *hasher, const struct wire *wire, struct reached *reached)
{
    put_int(hasher, wire->kind);
    if (wire->kind == WIRE_CONSTANT) {
        put_double(hasher, wire->value);
        return;
    }
    put_double(hasher, wire->weight);
    if (wire->kind == WIRE_SENSOR) {
        put_int(hasher, wire->index);
        put_int(hasher, wire->sensor);
        return;
    }
    if (!reached->places[wire->index]) {
        reached->neurons[reached->count++] = wire->index;
        reached->places[wire->index] = reached->count;
    }
    put_int(hasher, reached->places[wire->index]);
}

static int put_brain(struct hasher *hasher, const struct phenotype *phenotype, struct arena *arena)
{
    size_t neurons = (size_t)phenotype->neuron_count;
    struct reached reached = {.neurons = arena_take(arena, neurons, sizeof(int)),
                              .places = arena_take(arena, neurons, sizeof(int))};
    if (!reached.neurons || !reached.places)
        return ERR_MEMORY;
    put_int(hasher, phenotype->effector_count);
    for (int i = 0; i < phenotype->effector_count; i++) {
        put_int(hasher, phenotype->effectors[i].drive);
        put_wire(hasher, &phenotype->effectors[i].input, &reached);
    }
    for (int i = 0; i < reached.count; i++) {
        const struct neuron *neuron = &phenotype->neurons[reached.neurons[i]];
        put_int(hasher, neuron->function);
        put_double(hasher, neuron->initial);
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            put_wire(hasher, &neuron->inputs[k], &reached);
    }
    return 0;
}

/* ---- the whole ---- */

/* The places of moving lights are drawn from the seed, and the starts of perturbed runs. */
static void put_trial(struct hasher *hasher, const struct params *params, const struct trial *trial,
                      uint64_t seed)
{
    put_int(hasher, trial->perturbation);
    put_int(hasher, trial->halvings);
    put_int(hasher, trial->has_other_solver);
    if (params->light_kind == LIGHT_MOVING || trial->perturbation != 0)
        put(hasher, seed);
}

int phenotype_key_make(struct phenotype_key *key, const struct phenotype *phenotype,
                       const struct params *params, const struct trial *trial, uint64_t seed,
                       struct arena *arena)
{
    struct hasher hasher = {{HASH_START, ~HASH_START}};
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
