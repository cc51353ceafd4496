/* Emissions of creatures, and their senses of one another: sounds and scents (simulator/world/). */
#include "simulator/evaluate/run.h"

/* The emission of a full signal in a second, and the amount in a cell that is smelt as 1/2. So
 * large, since amounts are whole numbers and cells that differ by less than 8 are even. */
#define SCENT_PER_S 1e9
#define SCENT_HALF  1e7
/* The object of a contest smells, by the first scent, and calls. */
#define OBJECT_SCENT 0
#define OBJECT_CALL  1

/* ---------------------------------------------------------------- one creature */

int64_t run_emit(struct run *run, struct scent *scent, double full, struct sound *sound)
{
    const struct phenotype *phenotype = &run->phenotype;
    int64_t sum = 0;
    for (int i = 0; i < phenotype->emitter_count; i++) {
        const struct emitter *emitter = &phenotype->emitters[i];
        double signal = det_min(det_max(run->signals[phenotype->effector_count + i], 0), 1);
        struct part_state state;
        dynamics_part_state(run->dynamics, emitter->part, &state);
        if (emitter->kind == EMITTER_SOUND) {
            sound_emit(sound, run->creature, state.at_m, signal);
            continue;
        }
        int64_t amount = (int64_t)(signal * full);
        scent_emit(scent, emitter->kind - EMITTER_SCENT_1, state.at_m, amount);
        sum += amount;
    }
    if (sound) {
        /* what impacts, also those at the limits of joints, took since the last call */
        const struct ledger *ledger = dynamics_ledger(run->dynamics);
        double all_j = ledger->loss_impact_j + ledger->loss_limit_j;
        double blow_j = det_max(all_j - run->blows_j, 0);
        run->blows_j = all_j;
        sound_emit(sound, run->creature, dynamics_centre_of_mass(run->dynamics),
                   blow_j / (blow_j + run->params->sound_blow_j));
    }
    return sum;
}

/* ---------------------------------------------------------------- all in a habitat */

/* In the plane along x and y; in space without ground all around, else along the ground. */
static struct vec3 find_size(const struct run *run)
{
    const struct params *p = run->params;
    int is_flat = body_physics[run->phenotype.kind]->is_flat != NULL;
    double side_m = 2 * p->scent_range_m;
    return (struct vec3){side_m, is_flat || !p->world_ground ? side_m : 0, is_flat ? 0 : side_m};
}

int habitat_make_emissions(struct habitat *h, struct arena *arena)
{
    const struct run *run = &h->runs[h->run_of[0]];
    const struct params *p = run->params;
    if (p->sensor_sound) {
        h->sound = arena_take(arena, 1, sizeof *h->sound);
        if (!h->sound)
            return ERR_MEMORY;
        *h->sound = (struct sound){.body_count = h->count,
                                   .tick_s = run->tick_s,
                                   .speed_m_s = p->sound_speed_m_s,
                                   .hold_s = p->sound_hold_s};
    }
    if (p->sensor_scent) {
        h->scent = arena_take(arena, 1, sizeof *h->scent);
        if (!h->scent)
            return ERR_MEMORY;
        *h->scent = (struct scent){.cell_m = p->scent_cell_m,
                                   .fade_ticks = (int64_t)det_max(p->scent_fade_s / run->tick_s, 1),
                                   .half = SCENT_HALF};
    }
    int rc = h->sound ? sound_create(h->sound, arena) : 0;
    return rc == 0 && h->scent ? scent_create(h->scent, find_size(run), arena) : rc;
}

void emissions_sense(const struct scent *scent, struct sound *sound, int body, struct vec3 place,
                     struct surroundings *around)
{
    around->scent = scent;
    if (!sound)
        return;
    struct noise noise = sound_hear(sound, body, place);
    around->seen[SIGHT_SOUND] = (struct seen){noise.strength > 0, noise.at, noise.strength};
}

static void object_emit(struct habitat *h, int object)
{
    struct vec3 at = h->centres[object];
    if (h->scent)
        scent_emit(h->scent, OBJECT_SCENT, at, (int64_t)(SCENT_PER_S * h->runs[object].tick_s));
    if (h->sound)
        sound_emit(h->sound, object, at, OBJECT_CALL);
}

void habitat_emit(struct habitat *h)
{
    for (int i = 0; i < h->count; i++) {
        struct run *run = &h->runs[i];
        if (!run->is_live)
            continue;
        run_emit(run, h->scent, SCENT_PER_S * run->tick_s, h->sound);
        if (i >= h->first_thing)
            object_emit(h, i);
    }
    if (h->scent)
        scent_tick(h->scent);
    if (h->sound)
        sound_tick(h->sound);
}
