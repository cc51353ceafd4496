/* See gait.h. */
#include "simulator/evaluate/gait.h"

/* Less far a joint does not swing, rad or m. */
#define LEAST_SWING 0.02
/* A foot bears this share of the load, and is off the ground for this share of the time. */
#define FOOT_LOAD_SHARE 0.05
#define FOOT_LIFT_SHARE (1.0 / 6)
/* A part that bears less of the load is not counted as a bearer. */
#define BEARER_LOAD_SHARE 0.02

int gait_create(struct gait *gait, const struct phenotype *phenotype, struct arena *arena)
{
    gait->feet = arena_take(arena, (size_t)phenotype->part_count, sizeof gait->feet[0]);
    gait->swings = arena_take(arena, (size_t)phenotype->drive_count, sizeof gait->swings[0]);
    gait->ticks = 0;
    return gait->feet && gait->swings ? 0 : ERR_MEMORY;
}

static void watch_feet(struct gait *gait, struct dynamics *dynamics, int creature)
{
    const struct contact_point *points;
    int count = dynamics_contacts(dynamics, &points);
    for (int i = 0; i < count; i++) {
        const struct contact_point *point = &points[i];
        if (point->creature != creature || point->other_creature >= 0 ||
            point->normal_impulse_n_s <= 0)
            continue;
        struct gait_foot *foot = &gait->feet[point->part];
        foot->load_n_s += point->normal_impulse_n_s;
        foot->ticks += foot->last_at != gait->ticks;
        foot->last_at = gait->ticks;
    }
}

static void watch_swing(struct gait_swing *swing, double value)
{
    swing->low = value < swing->low ? value : swing->low;
    swing->high = value > swing->high ? value : swing->high;
    double third = (swing->high - swing->low) / 3;
    if (3 * third < LEAST_SWING)
        return;
    if (value <= swing->low + third) {
        swing->is_low = 1;
    } else if (value >= swing->high - third && swing->is_low) {
        swing->is_low = 0;
        swing->count++;
    }
}

void gait_watch(struct gait *gait, const struct phenotype *phenotype, struct dynamics *dynamics,
                int creature)
{
    gait->ticks++;
    watch_feet(gait, dynamics, creature);
    for (int i = phenotype->first_drive; i < phenotype->drive_count; i++) {
        struct gait_swing *swing = &gait->swings[i];
        struct drive_state state;
        if (phenotype->drives[i].strength <= 0)
            continue;
        dynamics_drive_state(dynamics, i, &state);
        if (gait->ticks == 1)
            swing->low = swing->high = state.value;
        watch_swing(swing, state.value);
    }
}

/* The count in the middle of those of the drives that swing; 0: none does. */
static int middle_count(const struct gait *gait, const struct phenotype *phenotype)
{
    int swinging = 0;
    for (int i = 0; i < phenotype->drive_count; i++)
        swinging += gait->swings[i].count > 0;
    for (int i = 0; i < phenotype->drive_count; i++) {
        int count = gait->swings[i].count, less = 0, equal = 0;
        for (int k = 0; k < phenotype->drive_count; k++) {
            less += gait->swings[k].count > 0 && gait->swings[k].count < count;
            equal += gait->swings[k].count == count;
        }
        if (count > 0 && less <= swinging / 2 && swinging / 2 < less + equal)
            return count;
    }
    return 0;
}

/* The belly is the trunk, whichever part the root is: each part with two joints or more, rigid ones
 * counted, to its parent and its children. A part with one joint is the last segment of a limb. Of
 * a body of one part or two the heaviest part, the first of equals, is the trunk. */
static void find_belly(const struct phenotype *phenotype, int *is_belly)
{
    int joints[PHENOTYPE_PARTS_MAX] = {0}, heaviest = 0, has_trunk = 0;
    for (int i = 1; i < phenotype->part_count; i++) {
        joints[i]++;
        joints[phenotype->parts[i].parent]++;
        if (phenotype->parts[i].mass_kg > phenotype->parts[heaviest].mass_kg)
            heaviest = i;
    }
    for (int i = 0; i < phenotype->part_count; i++) {
        is_belly[i] = joints[i] > 1;
        has_trunk |= is_belly[i];
    }
    if (!has_trunk)
        is_belly[heaviest] = 1;
}

static int is_felt(const struct wire *wire, int part)
{
    return wire->kind == WIRE_SENSOR && wire->index == part;
}

/* Of a last segment: it steps. */
static int is_foot(const struct gait *gait, int part, double load_n_s)
{
    const struct gait_foot *foot = &gait->feet[part];
    double lifted = 1 - (double)foot->ticks / (double)gait->ticks;
    return foot->load_n_s >= FOOT_LOAD_SHARE * load_n_s && lifted >= FOOT_LIFT_SHARE;
}

/* A part is of use that bears, whose joint swings, or that the brain feels, and the head. */
static int is_of_use(const struct gait *gait, const struct phenotype *phenotype, int part,
                     double load_n_s)
{
    const struct gait_foot *foot = &gait->feet[part];
    if (part == phenotype->head || (load_n_s > 0 && foot->load_n_s >= BEARER_LOAD_SHARE * load_n_s))
        return 1;
    for (int i = phenotype->first_drive; i < phenotype->drive_count; i++)
        if (phenotype->drives[i].part == part && gait->swings[i].count > 0)
            return 1;
    for (int i = 0; i < phenotype->effector_count; i++)
        if (is_felt(&phenotype->effectors[i].input, part))
            return 1;
    for (int i = 0; i < phenotype->neuron_count; i++)
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            if (is_felt(&phenotype->neurons[i].inputs[k], part))
                return 1;
    return 0;
}

/* The share of parts that are of no use, and carry none that are. */
static double idle_share(const struct gait *gait, const struct phenotype *phenotype,
                         double load_n_s)
{
    int is_used[PHENOTYPE_PARTS_MAX] = {1}, idle = 0;
    for (int i = phenotype->part_count - 1; i > 0; i--) {
        is_used[i] |= is_of_use(gait, phenotype, i, load_n_s);
        is_used[phenotype->parts[i].parent] |= is_used[i];
        idle += !is_used[i];
    }
    return (double)idle / (double)phenotype->part_count;
}

void gait_measure(const struct gait *gait, const struct phenotype *phenotype, struct measures *m)
{
    double load_n_s = 0, belly_n_s = 0;
    int is_belly[PHENOTYPE_PARTS_MAX];
    int swings = middle_count(gait, phenotype);
    find_belly(phenotype, is_belly);
    for (int i = 0; i < phenotype->part_count; i++) {
        load_n_s += gait->feet[i].load_n_s;
        belly_n_s += is_belly[i] ? gait->feet[i].load_n_s : 0;
    }
    m->belly_share = load_n_s > 0 ? belly_n_s / load_n_s : 0;
    m->feet = 0;
    for (int i = 0; i < phenotype->part_count && load_n_s > 0; i++)
        m->feet += !is_belly[i] && is_foot(gait, i, load_n_s);
    m->idle_share = idle_share(gait, phenotype, load_n_s);
    m->stride_hz = m->time_s > 0 ? swings / m->time_s : 0;
    m->stride_m = swings > 0 ? m->distance_m / swings : 0;
}

int gait_count_pairs(const struct phenotype *phenotype)
{
    unsigned char has_image[PHENOTYPE_PARTS_MAX] = {0};
    int count = 0;
    for (int i = 0; i < phenotype->part_count; i++)
        for (int k = i + 1; k < phenotype->part_count && !has_image[i]; k++) {
            const struct part *a = &phenotype->parts[i], *b = &phenotype->parts[k];
            if (has_image[k] || a->mirror != -b->mirror || a->depth != b->depth ||
                a->width_m != b->width_m || a->height_m != b->height_m || a->mass_kg != b->mass_kg)
                continue;
            has_image[i] = has_image[k] = 1;
            count++;
        }
    return count;
}
