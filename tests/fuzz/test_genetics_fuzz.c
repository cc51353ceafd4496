/* Genetics under random use: a pool of genomes that are made, mutated, crossed and grafted with
 * random settings, without selection. Every child must pass genome_check(), hold no garbage and
 * only genes of its parents or its own, come back equal from both forms of a creature file, and be
 * expressed within the bounds of the settings, with a brain that thinks finite thoughts.
 *
 *   test_genetics_fuzz                 the tests: a few thousand children, and planted faults
 *   test_genetics_fuzz N [SEED]        N children; `make fuzz-genetics` makes a million
 *
 * A failure names the child's number: the same seed fails there again. Children differ in size:
 * the pool takes in few of the largest, or drift would fill it with full tables, a hundred times
 * slower. */
#include <inttypes.h>
#include <stdarg.h>

#include "common/creature/creature.h"
#include "common/genetics/genetics.h"
#include "common/creature/genome_diff.h"
#include "simulator/mind/brain.h"
#include "simulator/evaluate/evaluate.h"
#include "common/growth/phenotype.h"
#include "common/growth/body.h"
#include "common/growth/sphere_body.h"
#include "tests/set_param.h"
#include "tests/suite.h"

enum {
    POOL = 128,
    SETTINGS_KEPT = 256, /* children made with the same settings */
    LARGE_GENES = 90,    /* of these one in LARGE_TAKEN comes into the pool */
    LARGE_TAKEN = 16,
    THINKS = 3,
    TESTED = 2000
};

enum operation { MAKE_RANDOM, MAKE_MUTANT, MAKE_CROSSOVER, MAKE_GRAFT, OPERATION_COUNT };
static const char *const operation_names[OPERATION_COUNT] = {"random", "asexual", "crossover",
                                                             "graft"};

struct fuzz {
    uint64_t seed, number; /* of the child: also its creature id */
    struct params params;
    struct genome pool[POOL];
    struct arena arena;
    char problem[512];
    /* what was seen, for the report */
    int64_t made[OPERATION_COUNT], mutations, expressed, not_expressed, parts, genes;
    int64_t of_kind[BODY_KIND_COUNT];
    int largest;
};

static int refuse(struct fuzz *fuzz, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(struct fuzz *fuzz, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fuzz->problem, sizeof(fuzz->problem), format, arguments);
    va_end(arguments);
    return -1;
}

static int count_genes(const struct genome *genome)
{
    return genome->body_count + genome->connection_count + genome->neuron_count;
}

/* ---- what must hold for every child; each returns 0, or -1 with fuzz->problem ---- */

static int check_genome(struct fuzz *fuzz, const struct genome *child)
{
    struct genome collected;
    struct error error;
    if (genome_check(child, &error))
        return refuse(fuzz, "%s", error.message);
    if (genome_copy(&collected, child))
        return refuse(fuzz, "out of memory");
    genome_collect_garbage(&collected);
    int is_equal = genome_is_equal(&collected, child);
    genome_deinit(&collected);
    return is_equal ? 0 : refuse(fuzz, "garbage is left");
}

/* A gene is the child's own, or one of a parent's. */
static int check_id(struct fuzz *fuzz, gene_id id, const struct genome *a, const struct genome *b,
                    int (*find)(const struct genome *genome, gene_id id))
{
    int is_own = id >> 10 == fuzz->number;
    int is_inherited = (a && find(a, id) >= 0) || (b && find(b, id) >= 0);
    if (is_own || is_inherited)
        return 0;
    return refuse(fuzz, "gene %" PRIu64 " is of no parent", id);
}

static int check_ids(struct fuzz *fuzz, const struct genome *child, const struct genome *a,
                     const struct genome *b)
{
    int i, status = 0;
    for (i = 0; !status && i < child->body_count; i++)
        status = check_id(fuzz, child->bodies[i].id, a, b, genome_find_body);
    for (i = 0; !status && i < child->connection_count; i++)
        status = check_id(fuzz, child->connections[i].id, a, b, genome_find_connection);
    for (i = 0; !status && i < child->neuron_count; i++)
        status = check_id(fuzz, child->neurons[i].id, a, b, genome_find_neuron);
    return status;
}

static int check_form(struct fuzz *fuzz, const struct creature *creature, const void *bytes,
                      size_t length, const char *form)
{
    struct creature read;
    struct error error;
    if (creature_decode(&read, bytes, length, form, &error))
        return refuse(fuzz, "%s", error.message);
    int is_equal = genome_is_equal(&read.genome, &creature->genome) &&
                   genome_hash(&read.genome) == genome_hash(&creature->genome) &&
                   !strcmp(read.mutations, creature->mutations);
    creature_deinit(&read);
    return is_equal ? 0 : refuse(fuzz, "%s does not give the same genome back", form);
}

static int check_files(struct fuzz *fuzz, const struct genome *child, const char *words)
{
    struct creature creature;
    struct pack_writer writer;
    creature_init(&creature);
    creature.genome = *child;
    snprintf(creature.mutations, sizeof(creature.mutations), "%s", words);
    pack_writer_init(&writer);
    creature_encode(&creature, &writer);
    int status = check_form(fuzz, &creature, writer.buffer.data, writer.buffer.size, "binary");
    pack_writer_deinit(&writer);
    FREED char *json = status ? NULL : creature_to_json(&creature);
    if (json)
        status = check_form(fuzz, &creature, json, strlen(json), "JSON");
    else if (!status)
        status = refuse(fuzz, "no JSON");
    return status;
}

static int check_sphere(struct fuzz *fuzz, const struct phenotype *phenotype, int index)
{
    const struct params *params = &fuzz->params;
    const struct sphere *sphere = &sphere_body_of(phenotype)->spheres[index];
    if (!(sphere->radius_m >= params->spheres_radius_min_m &&
          sphere->radius_m <= params->spheres_radius_max_m))
        return refuse(fuzz, "sphere %d has radius %g m", index, sphere->radius_m);
    if (!(isfinite(sphere->centre.x) && isfinite(sphere->centre.y) && isfinite(sphere->centre.z) &&
          sphere->mass_kg > 0 && isfinite(sphere->mass_kg)))
        return refuse(fuzz, "sphere %d is nowhere", index);
    return 0;
}

static int check_bone(struct fuzz *fuzz, const struct sphere_body *body, int index)
{
    const struct params *params = &fuzz->params;
    const struct bone *bone = &body->bones[index];
    int is_grown = index < body->sphere_count - 1, i;
    if (bone->a < 0 || bone->a >= body->sphere_count || bone->b < 0 ||
        bone->b >= body->sphere_count || bone->a == bone->b || (is_grown && bone->b != index + 1))
        return refuse(fuzz, "bone %d joins %d and %d", index, bone->a, bone->b);
    for (i = 0; i < index; i++)
        if ((body->bones[i].a == bone->a && body->bones[i].b == bone->b) ||
            (body->bones[i].a == bone->b && body->bones[i].b == bone->a))
            return refuse(fuzz, "bones %d and %d join the same", i, index);
    if (!(bone->length_m >= params->spheres_bone_min_m * (1 - 1e-9) &&
          bone->length_m <= params->spheres_bone_max_m * (1 + 1e-9)))
        return refuse(fuzz, "bone %d has length %g m", index, bone->length_m);
    if (!(bone->shortest_m > 0 && bone->shortest_m <= bone->length_m &&
          bone->longest_m >= bone->length_m))
        return refuse(fuzz, "bone %d has the range %g .. %g m", index, bone->shortest_m,
                      bone->longest_m);
    return 0;
}

static int check_joint(struct fuzz *fuzz, const struct sphere_body *body, int index)
{
    const struct sphere_joint *joint = &body->joints[index];
    double length = joint->axis.x * joint->axis.x + joint->axis.y * joint->axis.y +
                    joint->axis.z * joint->axis.z;
    int k;
    if (joint->sphere == joint->base || joint->sphere == joint->end || joint->base == joint->end ||
        joint->reference == joint->sphere || joint->reference == joint->end ||
        joint->reference >= body->sphere_count)
        return refuse(fuzz, "joint %d is at %d between %d and %d", index, joint->sphere,
                      joint->base, joint->end);
    if (!(fabs(length - 1) < 1e-6))
        return refuse(fuzz, "joint %d has an axis of length %g", index, length);
    for (k = 0; k < 2; k++)
        if (!(joint->lower[k] <= 0 && joint->upper[k] >= 0))
            return refuse(fuzz, "joint %d has the limits %g .. %g", index, joint->lower[k],
                          joint->upper[k]);
    return 0;
}

static int check_spheres(struct fuzz *fuzz, const struct phenotype *phenotype)
{
    const struct sphere_body *body = sphere_body_of(phenotype);
    int i, status = 0;
    if (body->sphere_count != phenotype->part_count || body->bone_count < body->sphere_count - 1 ||
        body->bone_count > SPHERE_BONES_MAX || body->joint_count > SPHERE_JOINTS_MAX ||
        body->drive_count != phenotype->effector_count)
        return refuse(fuzz, "%d spheres, %d bones, %d joints, %d drives", body->sphere_count,
                      body->bone_count, body->joint_count, body->drive_count);
    for (i = 0; !status && i < body->sphere_count; i++)
        status = check_sphere(fuzz, phenotype, i);
    for (i = 0; !status && i < body->bone_count; i++)
        status = check_bone(fuzz, body, i);
    for (i = 0; !status && i < body->joint_count; i++)
        status = check_joint(fuzz, body, i);
    for (i = 0; !status && i < body->drive_count; i++)
        if (body->drives[i].index < 0 || !isfinite(body->drives[i].unit) ||
            body->drives[i].low > body->drives[i].rest ||
            body->drives[i].high < body->drives[i].rest)
            status = refuse(fuzz, "drive %d", i);
    return status;
}

static int check_box_link(struct fuzz *fuzz, const struct phenotype *phenotype, int index)
{
    const struct body_link *own = &phenotype->body->links[index];
    int k;
    if (index == 0 ? own->parent != -1 : own->parent < 0 || own->parent >= index)
        return refuse(fuzz, "link %d hangs on link %d", index, own->parent);
    if (!(fabs(quaternion_square(own->frame) - 1) < 1e-12 && isfinite(own->joint.x) &&
          isfinite(own->joint.y) && isfinite(own->joint.z) && own->mass_kg > 0 &&
          own->inertia.xx > 0 && own->inertia.yy > 0 && own->inertia.zz > 0))
        return refuse(fuzz, "link %d is nowhere", index);
    for (k = 0; k < body_freedoms(own); k++) {
        const struct drive *drive = &phenotype->drives[own->first_drive + k];

        if (drive->axis != k || !(drive->lower <= 0 && drive->upper >= 0) || drive->unit == 0 ||
            !(drive->least <= 0 && drive->most >= 0))
            return refuse(fuzz, "drive %d of link %d", k, index);
    }
    return 0;
}

static int check_boxes(struct fuzz *fuzz, const struct phenotype *phenotype)
{
    int i, status = 0, freedoms = 0;
    for (i = 0; !status && i < phenotype->body->link_count; i++) {
        status = check_box_link(fuzz, phenotype, i);
        freedoms += body_freedoms(&phenotype->body->links[i]);
    }
    if (!status &&
        (phenotype->body->box_count != phenotype->part_count || freedoms != phenotype->drive_count))
        status = refuse(fuzz, "%d boxes and %d freedoms", phenotype->body->box_count, freedoms);
    return status;
}

static int check_part(struct fuzz *fuzz, const struct phenotype *phenotype, int index)
{
    const struct params *params = &fuzz->params;
    const struct part *part = &phenotype->parts[index];
    /* the shorter side may be widened for the aspect, never beyond the longer */
    double low = params->creature_side_min_m * (1 - 1e-12);
    double high = params->creature_side_max_m * (1 + 1e-12);
    int is_root = index == 0;

    if (phenotype->kind != BODY_SPHERES && !(part->width_m >= low && part->width_m <= high &&
                                             part->height_m >= low && part->height_m <= high))
        return refuse(fuzz, "part %d has sides %g x %g m", index, part->width_m, part->height_m);
    if (!(isfinite(part->centre.x) && isfinite(part->centre.y) && isfinite(part->angle_rad) &&
          isfinite(part->anchor.x) && isfinite(part->anchor.y) && part->mass_kg > 0 &&
          isfinite(part->mass_kg)))
        return refuse(fuzz, "part %d is nowhere", index);
    if (is_root ? part->parent != -1 : part->parent < 0 || part->parent >= index)
        return refuse(fuzz, "part %d hangs on part %d", index, part->parent);
    if (part->depth >= params->creature_depth_max ||
        (!is_root && part->depth != phenotype->parts[part->parent].depth + 1))
        return refuse(fuzz, "part %d has depth %d", index, part->depth);
    if (phenotype->kind == BODY_SPHERES)
        return 0;
    if (part->link < 0 || part->link >= phenotype->piece_count)
        return refuse(fuzz, "part %d is in link %d", index, part->link);
    return 0;
}

static int check_wire(struct fuzz *fuzz, const struct phenotype *phenotype, const struct wire *wire)
{
    int count = wire->kind == WIRE_NEURON   ? phenotype->neuron_count
                : wire->kind == WIRE_SENSOR ? phenotype->part_count
                                            : wire->index + 1;
    if (wire->index < 0 || wire->index >= count || wire->sensor < 0 || wire->sensor >= SENSOR_COUNT)
        return refuse(fuzz, "a wire leads to %d of %d", wire->index, count);
    if (!isfinite(wire->weight) || !isfinite(wire->value))
        return refuse(fuzz, "a wire has weight %g", wire->weight);
    return 0;
}

static int check_wires(struct fuzz *fuzz, const struct phenotype *phenotype)
{
    int i, k, status = 0;
    for (i = 0; !status && i < phenotype->neuron_count; i++) {
        const struct neuron *neuron = &phenotype->neurons[i];

        for (k = 0; !status && k < neuron_functions[neuron->function].input_count; k++)
            status = check_wire(fuzz, phenotype, &neuron->inputs[k]);
    }
    for (i = 0; !status && i < phenotype->effector_count; i++)
        status = check_wire(fuzz, phenotype, &phenotype->effectors[i].input);
    return status;
}

static int check_brain(struct fuzz *fuzz, const struct phenotype *phenotype, struct rng *rng)
{
    int sensor_count = phenotype->part_count * SENSOR_COUNT, think, i;
    struct brain *brain = brain_create(phenotype, &fuzz->arena);
    double *values = arena_take(&fuzz->arena, (size_t)sensor_count, sizeof(*values));
    double *signals = arena_take(&fuzz->arena, (size_t)phenotype->effector_count, sizeof(*signals));
    if (!brain || !values || !signals)
        return refuse(fuzz, "the brain needs too much memory");
    for (think = 0; think < THINKS; think++) {
        for (i = 0; i < sensor_count; i++)
            values[i] = rng_uniform(rng, -2, 2);
        brain_think(brain, values, signals, 1.0 / 120);
        for (i = 0; i < phenotype->effector_count; i++)
            if (!isfinite(signals[i]))
                return refuse(fuzz, "effector %d gets %g", i, signals[i]);
    }
    return 0;
}

/* What was expressed keeps to the settings and can think. */
static int check_expressed(struct fuzz *fuzz, const struct phenotype *phenotype, struct rng *rng)
{
    const struct params *params = &fuzz->params;
    int i, status = 0;
    if (phenotype->part_count < params->creature_parts_min ||
        phenotype->part_count > params->creature_parts_max ||
        phenotype->neuron_count > params->creature_neurons_max)
        return refuse(fuzz, "%d parts and %d neurons", phenotype->part_count,
                      phenotype->neuron_count);
    for (i = 0; !status && i < phenotype->part_count; i++)
        status = check_part(fuzz, phenotype, i);
    if (!status && phenotype->kind == BODY_SPHERES)
        status = check_spheres(fuzz, phenotype);
    if (!status && phenotype->kind == BODY_BOXES)
        status = check_boxes(fuzz, phenotype);
    if (!status)
        status = check_wires(fuzz, phenotype);
    return status ? status : check_brain(fuzz, phenotype, rng);
}

static int check_phenotype(struct fuzz *fuzz, const struct genome *child, struct rng *rng)
{
    const struct params *params = &fuzz->params;
    struct phenotype phenotype;
    arena_reset(&fuzz->arena);
    int verdict = phenotype_express(&phenotype, child, params, &fuzz->arena);
    if (verdict == VERDICT_NOT_EXPRESSED) {
        fuzz->not_expressed++;
        return params->creature_parts_min > 1 ? 0 : refuse(fuzz, "it is not expressed");
    }
    if (verdict != VERDICT_OK)
        return refuse(fuzz, "expression gives %s", verdict_name(verdict));
    fuzz->expressed++;
    fuzz->of_kind[phenotype.kind]++;
    fuzz->parts += phenotype.part_count;
    return check_expressed(fuzz, &phenotype, rng);
}

/* The words of the difference say something if, and only if, there is one. */
static int check_diff(struct fuzz *fuzz, const struct genome *child, const struct genome *a)
{
    char *text = NULL;
    size_t size = 0;
    struct genome_diff counts;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return refuse(fuzz, "out of memory");
    int status = genome_diff(a, child, out, &counts);
    fclose(out);
    free(text);
    return !status && (size == 0) == genome_is_equal(a, child) ? 0 : refuse(fuzz, "diff is wrong");
}

static int check_child(struct fuzz *fuzz, const struct genome *child, const struct genome *a,
                       const struct genome *b, const char *words, struct rng *rng)
{
    int status = check_genome(fuzz, child);
    if (!status)
        status = check_ids(fuzz, child, a, b);
    if (!status)
        status = check_files(fuzz, child, words);
    if (!status)
        status = check_phenotype(fuzz, child, rng);
    if (!status && a && fuzz->number % 8 == 0)
        status = check_diff(fuzz, child, a);
    return status;
}

/* ---- settings ---- */

/* Every row of these sections from its whole range, or near its default; until they fit
 * together. */
static void draw_settings(struct fuzz *fuzz, struct rng *rng)
{
    static const char *const sections[] = {"breeding", "mutation", "initial", "creature"};
    static const char *const functions[] = {"all", "-oscillate-wave",
                                            "-oscillate-wave -oscillate-saw",
                                            "sum sin oscillate-saw if memory", "smooth"};
    struct error error;
    int i, k, is_wild;
    do {
        params_set_defaults(&fuzz->params);
        is_wild = rng_chance(rng, 0.3);
        snprintf(fuzz->params.initial_functions, sizeof(fuzz->params.initial_functions), "%s",
                 functions[rng_chance(rng, 0.3) ? rng_below(rng, 5) : 0]);
        for (i = 0; i < param_count; i++) {
            const struct param_info *info = &param_table[i];
            char *field = (char *)&fuzz->params + info->offset;
            int is_drawn = 0;

            for (k = 0; k < 4; k++)
                is_drawn |= !strcmp(info->section, sections[k]);
            if (!is_drawn || !rng_chance(rng, is_wild ? 0.3 : 0.1))
                continue;
            if (info->type == PARAM_REAL) {
                double value = rng_uniform(rng, info->min, info->max);
                double low = rng_chance(rng, 0.2) ? info->min : value;

                *(double *)field = rng_chance(rng, 0.5) ? low : fmin(info->max, 1);
            } else if (info->type == PARAM_INT) {
                *(int64_t *)field = (int64_t)info->min +
                                    rng_below(rng, (uint32_t)(fmin(info->max - info->min, 64)) + 1);
            } else if (info->type == PARAM_BOOL || info->type == PARAM_CHOICE) {
                *(int *)field = (int)rng_below(rng, 2);
            }
        }
    } while (params_check(&fuzz->params, &error));
}

/* ---- children ---- */

/* Makes the child, of parents a and b where the operation has them. 0 or -1. */
static int make_child(struct fuzz *fuzz, enum operation operation, const struct genome *a,
                      const struct genome *b, struct rng *rng, struct genome *child, char *words,
                      int size)
{
    struct gene_counter ids = {.creature = fuzz->number};
    int count = rng_chance(rng, 0.05) ? (int)rng_below(rng, 65)
                                      : genetics_mutation_count(&fuzz->params, operation > 1, rng);
    int status;
    words[0] = '\0';
    if (operation == MAKE_RANDOM) {
        status = genetics_random(child, &fuzz->params, rng, &ids);
        count = 0;
    } else if (operation == MAKE_MUTANT) {
        status = genome_copy(child, a);
    } else if (operation == MAKE_CROSSOVER) {
        status = genetics_crossover(child, a, b, &fuzz->params, rng, &ids);
    } else {
        status = genetics_graft(child, a, b, &fuzz->params, rng, &ids);
    }
    if (!status && count > 0)
        status = genetics_mutate(child, count, &fuzz->params, rng, &ids, words, size);
    fuzz->mutations += count;
    return status ? refuse(fuzz, "status %d", status) : 0;
}

/* The child takes the place of a random one; large ones seldom. */
static void take_in(struct fuzz *fuzz, struct genome *child, struct rng *rng)
{
    struct genome *place = &fuzz->pool[rng_below(rng, POOL)];
    if (count_genes(child) > LARGE_GENES && rng_below(rng, LARGE_TAKEN) > 0) {
        genome_deinit(child);
        return;
    }
    genome_deinit(place);
    *place = *child;
}

/* Child number fuzz->number. 0, or -1 with fuzz->problem. */
static int step(struct fuzz *fuzz)
{
    static const double shares[OPERATION_COUNT] = {0.1, 0.3, 0.3, 0.3};
    struct genome child;
    char words[CREATURE_MUTATIONS_SIZE];
    enum operation operation;
    struct rng rng = test_rng(fuzz->seed, 0, fuzz->number);
    if (fuzz->number % SETTINGS_KEPT == 1)
        draw_settings(fuzz, &rng);
    fuzz->params.creature_body = (int)(fuzz->number % BODY_KIND_COUNT);
    operation = fuzz->number <= POOL ? MAKE_RANDOM : (enum operation)rng_pick(&rng, shares, 4);
    const struct genome *a = operation == MAKE_RANDOM ? NULL : &fuzz->pool[rng_below(&rng, POOL)];
    const struct genome *b = operation < MAKE_CROSSOVER ? NULL : &fuzz->pool[rng_below(&rng, POOL)];
    if (make_child(fuzz, operation, a, b, &rng, &child, words, (int)sizeof(words)))
        return -1;
    fuzz->made[operation]++;
    fuzz->genes += count_genes(&child);
    if (count_genes(&child) > fuzz->largest)
        fuzz->largest = count_genes(&child);
    if (check_child(fuzz, &child, a, b, words, &rng)) {
        char problem[sizeof(fuzz->problem)];

        snprintf(problem, sizeof(problem), "%s", fuzz->problem);
        genome_deinit(&child);
        return refuse(fuzz, "child %" PRIu64 " of seed %" PRIu64 " (%s; %.200s): %.200s",
                      fuzz->number, fuzz->seed, operation_names[operation], words, problem);
    }
    if (fuzz->number <= POOL)
        fuzz->pool[fuzz->number - 1] = child;
    else
        take_in(fuzz, &child, &rng);
    return 0;
}

static void fuzz_init(struct fuzz *fuzz, uint64_t seed)
{
    memset(fuzz, 0, sizeof(*fuzz));
    fuzz->seed = seed;
    ENSURE(!arena_init(&fuzz->arena, EVALUATE_ARENA_BYTES), "out of memory");
}

static void fuzz_deinit(struct fuzz *fuzz)
{
    for (int i = 0; i < POOL; i++)
        genome_deinit(&fuzz->pool[i]);
    arena_deinit(&fuzz->arena);
}

static int run(struct fuzz *fuzz, uint64_t count)
{
    int status = 0;
    for (fuzz->number = 1; !status && fuzz->number <= count; fuzz->number++)
        status = step(fuzz);
    return status;
}

static int run_by_hand(int argc, char **argv)
{
    static struct fuzz fuzz;
    uint64_t count = strtoull(argv[1], NULL, 10);
    fuzz_init(&fuzz, argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
    int status = run(&fuzz, count);
    printf("%s%s", fuzz.problem, status ? "\n" : "");
    printf("%" PRId64 " random, %" PRId64 " asexual, %" PRId64 " crossover, %" PRId64
           " graft; %" PRId64 " mutations\n",
           fuzz.made[0], fuzz.made[1], fuzz.made[2], fuzz.made[3], fuzz.mutations);
    printf("%" PRId64 " expressed with %.2f parts in the mean, %" PRId64
           " with fewer than creature.parts_min; %.1f genes in the mean, %d at most\n",
           fuzz.expressed, (double)fuzz.parts / (double)fuzz.expressed, fuzz.not_expressed,
           (double)fuzz.genes / (double)count, fuzz.largest);
    fuzz_deinit(&fuzz);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- tests ---- */

TEST_LOOP(children_are_sound, 0, 2)
{
    static struct fuzz fuzz;
    fuzz_init(&fuzz, 203 + (uint64_t)_i);
    ck_assert_msg(!run(&fuzz, TESTED), "%s", fuzz.problem);
    for (int i = 0; i < OPERATION_COUNT; i++)
        ck_assert_int_gt(fuzz.made[i], TESTED / 20);
    ck_assert_int_gt(fuzz.expressed, TESTED / 2);
    for (int kind = 0; kind < BODY_KIND_COUNT; kind++)
        ck_assert_int_gt(fuzz.of_kind[kind], TESTED / 15);
    ck_assert_int_gt(fuzz.mutations, TESTED / 4);
    ck_assert_int_gt(fuzz.largest, LARGE_GENES / 2);
    fuzz_deinit(&fuzz);
}

/* A random genome with all that faults are planted in; its creature id becomes fuzz->number. */
static void make_subject(struct fuzz *fuzz, struct genome *child, struct rng *rng)
{
    fuzz_init(fuzz, 1);
    params_set_defaults(&fuzz->params);
    fuzz->params.initial_bodies_min = 3;
    for (fuzz->number = 1;; fuzz->number++) {
        struct gene_counter ids = {.creature = fuzz->number};

        rng_init(rng, 1, RNG_TEST, 0, fuzz->number);
        ck_assert_int_eq(genetics_random(child, &fuzz->params, rng, &ids), 0);
        if (child->neuron_count >= 2 && child->body_count >= 3)
            return;
        genome_deinit(child);
    }
}

/* Faults of genomes, and words of the check that must find each. */
static const char *plant(int fault, const struct fuzz *fuzz, struct genome *child)
{
    switch (fault) {
    case 0:
        child->bodies[1].width_m = 0;
        return "width_m";
    case 1:
        child->connections[0].to = 987654321;
        return "connection 0";
    case 2:
        child->neurons[0].inputs[0].weight = NAN;
        return "weight nan";
    case 3:
        ((struct neuron_gene *)genome_add(child, GENOME_NEURONS))->id = fuzz->number << 10 | 1000;
        return "garbage is left";
    case 4:
        child->connections[0].id = 987654321;
        return "gene 987654321 is of no parent";
    case 5:
        child->breeding = BREEDING_GENE_COUNT;
        return "breeding";
    case 6:
        child->connections[1].id = child->connections[0].id;
        return "connection 1";
    default:
        child->neurons[0].inputs[0].source = 987654321;
        return "neuron 0";
    }
}
enum { FAULT_COUNT = 8 };

TEST_LOOP(planted_faults_are_found, 0, FAULT_COUNT)
{
    static struct fuzz fuzz;
    SCOPED(genome) child;
    struct rng rng;

    make_subject(&fuzz, &child, &rng);
    ck_assert_msg(!check_child(&fuzz, &child, NULL, NULL, "", &rng), "%s", fuzz.problem);
    const char *words = plant(_i, &fuzz, &child);
    ck_assert_int_eq(check_child(&fuzz, &child, NULL, NULL, "", &rng), -1);
    ck_assert_msg(strstr(fuzz.problem, words) != NULL, "'%s' without '%s'", fuzz.problem, words);
    fuzz_deinit(&fuzz);
}

/* What is expressed by some settings does not keep to others. */
TEST(phenotypes_out_of_bounds_are_found)
{
    static const struct {
        const char *assignment, *words;
    } bounds[] = {
        {"creature.parts_max=1", "parts and"},    {"creature.parts_min=64", "parts and"},
        {"creature.neurons_max=0", "neurons"},    {"creature.side_max_m=0.05", "has sides"},
        {"creature.side_min_m=0.9", "has sides"}, {"creature.depth_max=1", "has depth 1"}};
    static struct fuzz fuzz;
    struct phenotype phenotype;
    SCOPED(genome) child;
    struct error error;
    struct rng rng;

    make_subject(&fuzz, &child, &rng);
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        params_set_defaults(&fuzz.params);
        arena_reset(&fuzz.arena);
        ck_assert_int_eq(phenotype_express(&phenotype, &child, &fuzz.params, &fuzz.arena),
                         VERDICT_OK);
        ck_assert_msg(!check_expressed(&fuzz, &phenotype, &rng), "%s", fuzz.problem);
        ck_assert_int_eq(set_param(&fuzz.params, bounds[i].assignment, &error), 0);
        ck_assert_int_eq(check_expressed(&fuzz, &phenotype, &rng), -1);
        ck_assert_msg(strstr(fuzz.problem, bounds[i].words) != NULL, "%s: '%s'",
                      bounds[i].assignment, fuzz.problem);
    }
    fuzz_deinit(&fuzz);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return run_by_hand(argc, argv);
    return run_defined_tests("genetics_fuzz", 300, NULL, NULL);
}
