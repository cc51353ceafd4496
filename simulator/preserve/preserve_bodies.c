/* Bodies that come into a preserve and go: their growth, their motion as numbers, the forest. */
#include "simulator/preserve/preserve_world.h"

#include <stdlib.h>

#include "simulator/body/present_shape.h"

/* A newborn is this far from walls and others. */
#define ROOM_M 0.02

int preserve_grow(struct run *run, struct evaluation *result, const struct params *params,
                  const struct genome *genome, struct arena *arena)
{
    *result = (struct evaluation){.verdict = VERDICT_OK};
    *run = (struct run){.params = params,
                        .seed = 1,
                        .arena = arena,
                        .result = result,
                        .pace_least_m_s = HUGE_VAL,
                        .met_s = -HUGE_VAL,
                        .is_live = 1};
    int verdict = run_make(run, genome, arena);
    if (verdict != VERDICT_OK)
        return verdict;
    run_measure_body(run);
    return run_part_newborn(run);
}

double preserve_area(const struct phenotype *phenotype)
{
    double area_m2 = 0;
    for (int i = 0; i < phenotype->part_count; i++)
        area_m2 += phenotype->parts[i].width_m * phenotype->parts[i].height_m;
    return area_m2;
}

double preserve_area_of(const struct genome *genome, const struct params *params,
                        struct preserve_memory *memory)
{
    struct run run;
    struct evaluation result;
    arena_reset(&memory->probe);
    int verdict = preserve_grow(&run, &result, params, genome, &memory->probe);
    return verdict == VERDICT_OK ? preserve_area(&run.phenotype) : 0;
}

static int find_first_part(const struct phenotype *phenotype, gene_id body)
{
    for (int i = 0; i < phenotype->part_count; i++)
        if (phenotype->parts[i].body == body)
            return i;
    return -1;
}

int preserve_find_mouths(const struct phenotype *phenotype, const struct genome *genome,
                         struct preserve_mouth mouths[GENOME_BODIES_MAX])
{
    int count = 0;
    for (int i = 0; i < genome->body_count; i++) {
        const struct body_gene *gene = &genome->bodies[i];
        int part = gene->mouth ? find_first_part(phenotype, gene->id) : -1;
        if (part < 0)
            continue;
        const struct part *its = &phenotype->parts[part];
        mouths[count++] = (struct preserve_mouth){.part = part,
                                                  .kind = gene->mouth,
                                                  .width_m = det_min(its->width_m, its->height_m),
                                                  .touched = -1,
                                                  .is_eating = -1};
    }
    return count;
}

void preserve_give_mouth(struct genome *genome, int kind)
{
    if (!genome_has_mouth(genome, MOUTH_PLANTS) && !genome_has_mouth(genome, MOUTH_FLESH))
        genome->bodies[genome_find_body(genome, genome->root)].mouth = (uint8_t)kind;
}

void preserve_find_place(struct dweller *d)
{
    struct part_state part;
    d->centre = dynamics_centre_of_mass(d->run.dynamics);
    for (int i = 0; i < d->mouth_count; i++) {
        dynamics_part_state(d->run.dynamics, d->mouths[i].part, &part);
        d->mouths[i].at = (struct vec3){part.at_m.x, part.at_m.y, 0};
    }
}

/* ---------------------------------------------------------------- motion as numbers */

static int count_numbers(const struct run *run)
{
    return 2 * run->dynamics->dof + run->phenotype.effector_count + 3 * run->phenotype.part_count +
           brain_memory_size(run->brain);
}

static void copy_number(double *own, double **number, int is_saved)
{
    *(is_saved ? *number : own) = *(is_saved ? own : *number);
    ++*number;
}

/* Copies the motion into numbers, or numbers into the motion. */
static void copy_numbers(struct run *run, double *numbers, int is_saved)
{
    double q[2 + 2 * PHENOTYPE_PARTS_MAX], qd[2 + 2 * PHENOTYPE_PARTS_MAX];
    for (int i = 0; i < run->dynamics->dof; i++) {
        q[i] = run->dynamics->q[i];
        qd[i] = run->dynamics->qd[i];
        copy_number(&q[i], &numbers, is_saved);
        copy_number(&qd[i], &numbers, is_saved);
    }
    if (!is_saved)
        dynamics_set_state(run->dynamics, q, qd);
    for (int i = 0; i < run->phenotype.effector_count; i++)
        copy_number(&run->filtered[i], &numbers, is_saved);
    for (int i = 0; i < run->phenotype.part_count; i++) {
        copy_number(&run->senses.before[i].x, &numbers, is_saved);
        copy_number(&run->senses.before[i].y, &numbers, is_saved);
        copy_number(&run->senses.before[i].z, &numbers, is_saved);
    }
    if (is_saved)
        brain_save_memory(run->brain, numbers);
    else
        brain_load_memory(run->brain, numbers);
}

int preserve_save_motion(struct preserve *p)
{
    for (int i = 0; i < p->state->living_count; i++) {
        struct creature_state *c = &p->state->living[i];
        int count = count_numbers(&p->dwellers[i]->run);
        double *numbers = realloc(c->numbers, (size_t)count * sizeof *numbers);
        if (!numbers)
            return error_memory(p->error);
        c->numbers = numbers;
        c->number_count = count;
        copy_numbers(&p->dwellers[i]->run, numbers, 1);
        c->x_m = p->dwellers[i]->centre.x;
        c->y_m = p->dwellers[i]->centre.y;
    }
    return 0;
}

/* ---------------------------------------------------------------- coming in */

/* Turned, with its centre of mass at its place, whatever it was before. */
static void put(struct run *run, const struct creature_state *c)
{
    double q[2 + 2 * PHENOTYPE_PARTS_MAX];
    for (int i = 0; i < run->dynamics->dof; i++)
        q[i] = run->dynamics->q[i];
    q[2] = c->turn_rad;
    dynamics_set_state(run->dynamics, q, run->dynamics->qd);
    struct vec3 centre = dynamics_centre_of_mass(run->dynamics);
    dynamics_shift(run->dynamics, vec3_sub((struct vec3){c->x_m, c->y_m, 0}, centre));
}

/* A part as it is at birth. */
static struct box box_of(const struct run *run, int part)
{
    const struct part *its = &run->phenotype.parts[part];
    return present_box(run->dynamics, part, its->width_m / 2, its->height_m / 2);
}

static int do_touch(const struct run *a, const struct run *b)
{
    for (int i = 0; i < a->phenotype.part_count; i++) {
        struct box one = box_of(a, i);
        for (int k = 0; k < b->phenotype.part_count; k++) {
            struct box other = box_of(b, k);
            if (collide_separation(&one, &other) <= ROOM_M)
                return 1;
        }
    }
    return 0;
}

int preserve_has_room(const struct preserve *p, struct run *run, const struct creature_state *egg)
{
    struct vec3 low, high, other_low, other_high;
    put(run, egg);
    dynamics_bounds(run->dynamics, &low, &high);
    if (low.x < ROOM_M || low.y < ROOM_M || high.x > p->params->preserve_width_m - ROOM_M ||
        high.y > p->params->preserve_height_m - ROOM_M)
        return 0;
    for (int i = 0; i < p->state->living_count; i++) {
        const struct run *other = &p->dwellers[i]->run;
        dynamics_bounds(other->dynamics, &other_low, &other_high);
        if (low.x > other_high.x + ROOM_M || high.x < other_low.x - ROOM_M ||
            low.y > other_high.y + ROOM_M || high.y < other_low.y - ROOM_M)
            continue;
        if (do_touch(run, other))
            return 0;
    }
    return 1;
}

static void measure(struct preserve *p, struct dweller *d, const struct genome *genome)
{
    const struct params *params = p->params;
    d->area_m2 = preserve_area(&d->run.phenotype);
    d->radius_m = run_size(&d->run) / 2;
    d->mouth_count = preserve_find_mouths(&d->run.phenotype, genome, d->mouths);
    d->rest_w =
        params->preserve_mouth_w * d->mouth_count + params->preserve_rest_w_m2 * d->area_m2 +
        PRESERVE_NEURON_W * (brain_neuron_count(d->run.brain) + d->run.phenotype.emitter_count);
    preserve_find_place(d);
    d->food_at = d->centre;
}

int preserve_enter(struct preserve *p, int i)
{
    struct creature_state *c = &p->state->living[i];
    struct dweller *d = p->dwellers[i] = arena_take(&p->memory->bodies, 1, sizeof *d);
    if (!d)
        return VERDICT_MEMORY;
    int verdict = preserve_grow(&d->run, &d->result, p->params, &c->genome, &p->memory->bodies);
    if (verdict != VERDICT_OK)
        return verdict;
    if (c->number_count > 0 && c->number_count != count_numbers(&d->run))
        return VERDICT_NOT_EXPRESSED;
    if (c->number_count == 0)
        put(&d->run, c);
    run_begin(&d->run);
    if (c->number_count > 0) {
        copy_numbers(&d->run, c->numbers, 0);
        dynamics_reset_ledger(d->run.dynamics);
        dynamics_momentum(d->run.dynamics, &d->run.momentum, &d->run.angular_momentum);
        d->run.centre = d->run.last = dynamics_centre_of_mass(d->run.dynamics);
    }
    measure(p, d, &c->genome);
    p->is_changed = 1;
    return VERDICT_OK;
}

int preserve_plant_forest(struct preserve *p)
{
    int count = p->state->living_count;
    struct arena *arena = &p->memory->meeting;
    struct dynamics *all[PRESERVE_LIVING_MAX];
    arena_reset(arena);
    p->part_counts = arena_take(arena, (size_t)count, sizeof p->part_counts[0]);
    p->may_rest = arena_take(arena, (size_t)count, sizeof p->may_rest[0]);
    p->order = arena_take(arena, (size_t)count, sizeof p->order[0]);
    p->views = arena_take(arena, (size_t)count, sizeof p->views[0]);
    p->centres = arena_take(arena, (size_t)count, sizeof p->centres[0]);
    p->families = arena_take(arena, (size_t)count, sizeof p->families[0]);
    if (!p->part_counts || !p->may_rest || !p->order || !p->views || !p->centres || !p->families)
        return error_set(p->error, ERR_MEMORY, "%d creatures do not fit into memory", count);
    for (int i = 0; i < count; i++) {
        all[i] = p->dwellers[i]->run.dynamics;
        p->part_counts[i] = p->dwellers[i]->run.phenotype.part_count;
        p->order[i] = i;
        p->families[i] = p->state->living[i].descent.family;
    }
    p->is_changed = 0;
    return count > 0 ? forest_create(&p->forest, all, NULL, count, arena, p->error) : 0;
}
