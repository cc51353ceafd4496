/* Scent and sound of a preserve: sounds and scents of creatures, their cost, and their state
 * between two epochs.
 *
 * Scent is energy: an emitter takes it from the reserve, the grid holds it as a store of the
 * ledger, and faded energy is heat. A full signal emits preserve.scent_w; a share that the reserve
 * cannot pay is not emitted. A sound is work: it is paid as that of muscles is. Listeners of the
 * sound are the living by number. */
#include "simulator/preserve/preserve_world.h"

#include <stdlib.h>

/* Of what a full signal emits in a second, the share in a cell that is smelt as 1/2: as in
 * contests. */
#define HALF_SHARE 0.01

/* ---------------------------------------------------------------- made and kept */

static struct scent describe_scent(const struct params *params)
{
    double ticks = params->scent_fade_s * params->simulation_brain_hz;
    return (struct scent){
        .middle_m = {params->preserve_width_m / 2, params->preserve_height_m / 2, 0},
        .cell_m = params->scent_cell_m,
        .fade_ticks = (int64_t)det_max(ticks, 1),
        .half = HALF_SHARE * 1e6 * params->preserve_scent_w};
}

static struct vec3 size_of(const struct params *params)
{
    return (struct vec3){params->preserve_width_m, params->preserve_height_m, 0};
}

static int make_scent(struct scent *scent, const struct params *params, struct arena *arena)
{
    *scent = describe_scent(params);
    return scent_create(scent, size_of(params), arena);
}

int preserve_count_scents(const struct params *params)
{
    struct scent scent = describe_scent(params);
    if (!params->sensor_scent || scent_measure(&scent, size_of(params)) != 0)
        return 0;
    return SCENT_CHANNELS * scent.cell_count;
}

int preserve_found_scent(struct preserve_state *state, const struct params *params,
                         struct arena *arena)
{
    struct scent scent;
    if (!params->sensor_scent)
        return 0;
    int rc = make_scent(&scent, params, arena);
    if (rc != 0)
        return rc;
    state->scent_count = SCENT_CHANNELS * scent.cell_count;
    state->scents = calloc((size_t)state->scent_count, sizeof state->scents[0]);
    return state->scents ? 0 : ERR_MEMORY;
}

/* The cells are the state's. The present amounts count as emitted. */
static int open_scent(struct preserve *p)
{
    struct preserve_state *s = p->state;
    struct scent *scent = &p->scent;
    int rc = p->params->sensor_scent ? make_scent(scent, p->params, &p->memory->bodies) : 0;
    if (rc != 0)
        return error_set(p->error, rc, "scent: %s", error_text(rc));
    if (s->scent_count != SCENT_CHANNELS * scent->cell_count)
        return error_set(p->error, ERR_RANGE, "a state of %d cells of scent in a world of %d",
                         s->scent_count, SCENT_CHANNELS * scent->cell_count);
    for (int i = 0; i < SCENT_CHANNELS && s->scent_count > 0; i++) {
        scent->amounts[i] = s->scents + i * scent->cell_count;
        scent->emitted[i] = scent_total(scent, i);
    }
    return 0;
}

static int open_sound(struct preserve *p)
{
    struct preserve_state *s = p->state;
    const struct params *params = p->params;
    if (!params->sensor_sound)
        return 0;
    p->sound = (struct sound){.body_count = PRESERVE_LIVING_MAX,
                              .tick_s = p->tick_s,
                              .tick = s->tick,
                              .speed_m_s = params->sound_speed_m_s,
                              .hold_s = params->sound_hold_s};
    if (sound_create(&p->sound, &p->memory->bodies) != 0)
        return error_memory(p->error);
    for (int i = 0; i < s->living_count; i++) {
        const struct creature_state *c = &s->living[i];
        p->sound.ears[i] = c->ear;
        for (int k = 0; k < c->heard_count; k++) {
            int64_t tick = c->heard[k].tick;
            if (tick < s->tick || tick >= s->tick + p->sound.ring_ticks)
                return error_set(p->error, ERR_RANGE, "creature %llu hears at tick %lld",
                                 (unsigned long long)c->descent.id, (long long)tick);
            *sound_arrival(&p->sound, i, tick) = c->heard[k].noise;
        }
    }
    return 0;
}

int preserve_open_emissions(struct preserve *p)
{
    int rc = open_scent(p);
    return rc ? rc : open_sound(p);
}

int preserve_save_sounds(struct preserve *p)
{
    for (int i = 0; p->params->sensor_sound && i < p->state->living_count; i++) {
        struct creature_state *c = &p->state->living[i];
        struct heard *rows = realloc(c->heard, (size_t)p->sound.ring_ticks * sizeof c->heard[0]);
        if (!rows)
            return error_memory(p->error);
        c->heard = rows;
        c->heard_count = 0;
        c->ear = p->sound.ears[i];
        for (int64_t k = 0; k < p->sound.ring_ticks; k++) {
            int64_t tick = p->sound.tick + k;
            struct heard heard = {tick, *sound_arrival(&p->sound, i, tick)};
            if (heard.noise.strength > 0)
                c->heard[c->heard_count++] = heard;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- a tick */

/* The cost of its calls in this tick, J. */
static double sound_work_j(const struct preserve *p, const struct run *run)
{
    double signals = 0;
    for (int i = 0; i < run->phenotype.emitter_count; i++)
        if (run->phenotype.emitters[i].kind == EMITTER_SOUND)
            signals += det_min(det_max(run->signals[run->phenotype.effector_count + i], 0), 1);
    return signals * p->params->preserve_sound_w * p->tick_s;
}

void preserve_emit(struct preserve *p, int i)
{
    struct dweller *d = p->dwellers[i];
    struct creature_state *c = &p->state->living[i];
    int emitters = d->run.phenotype.emitter_count;
    double full_uj = 1e6 * p->params->preserve_scent_w * p->tick_s;
    if (emitters > 0)
        full_uj = det_min(full_uj, (double)(c->reserve / emitters));
    d->run.creature = i;
    microjoules emitted = run_emit(&d->run, p->params->sensor_scent ? &p->scent : NULL, full_uj,
                                   p->params->sensor_sound ? &p->sound : NULL);
    ENSURE(emitted >= 0 && emitted <= c->reserve, "%lld uJ of %lld are emitted", (long long)emitted,
           (long long)c->reserve);
    c->reserve -= emitted;
    d->work_j += sound_work_j(p, &d->run);
}

/* Faded energy is heat. */
void preserve_spread(struct preserve *p)
{
    microjoules before = 0, after = 0;
    if (p->params->sensor_sound)
        sound_tick(&p->sound);
    if (!p->params->sensor_scent)
        return;
    for (int i = 0; i < SCENT_CHANNELS; i++)
        before += p->scent.decayed[i];
    scent_tick(&p->scent);
    for (int i = 0; i < SCENT_CHANNELS; i++)
        after += p->scent.decayed[i];
    p->state->ledger.heat += after - before;
}
