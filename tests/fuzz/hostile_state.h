/* States of a preserve as a stranger would write them: good ones, some of whose numbers are extreme,
 * and whose sums are right all the same. What the decoder accepts must live or be refused with words,
 * and its end must be a state that the decoder accepts. */
#ifndef TESTS_FUZZ_HOSTILE_STATE_H
#define TESTS_FUZZ_HOSTILE_STATE_H

#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"
#include "simulator/preserve/preserve_epoch.h"
#include "tests/set_param.h"

static struct preserve_memory hostile_memory;
static struct params hostile_params;
static struct preserve_state hostile_good; /* made once, at first use */

static const struct preserve_state *hostile_make_good(void)
{
    static const char *const settings[] = {"world.preset=water",  "preserve.founders=6",
                                           "preserve.width_m=12", "preserve.height_m=8",
                                           "preserve.hatch_s=1",  "sensor.scent=yes",
                                           "sensor.sound=yes",    "simulation.brain_hz=20",
                                           "preserve.most=12",    "preserve.day_s=60"};
    static const char *const names[] = {"fish"};
    struct error error = {0};
    struct creature creature;
    if (hostile_good.plant_count > 0)
        return &hostile_good;
    params_set_defaults(&hostile_params);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        ENSURE(set_param(&hostile_params, settings[i], &error) == 0, "%s", error.message);
    preserve_apply(&hostile_params);
    ENSURE(preserve_memory_init(&hostile_memory) == 0 &&
               creature_read(&creature, "examples/creatures/fish.json", &error) == 0,
           "%s", error.message);
    const struct genome *genomes[] = {&creature.genome};
    const struct preserve_founders founders = {genomes, names, 1};
    ENSURE(
        preserve_found(&hostile_good, &hostile_params, 5, 0, &founders, &hostile_memory, &error) ==
                0 &&
            preserve_run(&hostile_good, &hostile_params, 100, NULL, &hostile_memory, &error) == 0,
        "%s", error.message);
    ENSURE(hostile_good.living_count > 2, "%d live", hostile_good.living_count);
    struct creature_state *egg = preserve_state_add_egg(&hostile_good);
    ENSURE(genome_copy(&egg->genome, &creature.genome) == 0, "out of memory");
    *preserve_state_add_carcass(&hostile_good) = (struct carcass){0, 3, 3, 0.2};
    creature_deinit(&creature);
    hostile_memory.work_max = 2e8;
    return &hostile_good;
}

static void hostile_encode(const struct preserve_state *state, struct pack_writer *writer)
{
    pack_writer_init(writer);
    preserve_state_encode(state, writer);
    ENSURE(!writer->has_failed, "out of memory");
}

/* Lives through some ticks of bytes that may be a state. */
static void hostile_live(const void *bytes, size_t length, int ticks)
{
    struct error error = {0};
    struct preserve_state state, again;
    struct pack_writer writer;
    hostile_make_good();
    int rc = preserve_state_decode(&state, bytes, length, &error);
    ENSURE((error.message[0] != '\0') == (rc != 0), "%d: \"%s\"", rc, error.message);
    if (rc != 0)
        return;
    rc = preserve_run(&state, &hostile_params, ticks, NULL, &hostile_memory, &error);
    ENSURE((error.message[0] != '\0') == (rc != 0), "%d: \"%s\"", rc, error.message);
    if (rc == 0) {
        int64_t facts[EPOCH_FACT_COUNT];
        preserve_epoch_facts(&state, facts);
        for (int i = 0; i < EPOCH_FACT_COUNT; i++)
            ENSURE(facts[i] >= 0, "%s %lld", epoch_fact_names[i], (long long)facts[i]);
        hostile_encode(&state, &writer);
        rc = preserve_state_decode(&again, writer.buffer.data, writer.buffer.size, &error);
        ENSURE(rc == 0, "its own state: %s", error.message);
        preserve_state_deinit(&again);
        pack_writer_deinit(&writer);
    }
    preserve_state_deinit(&state);
}

static const int64_t hostile_wholes[] = {0,
                                         1,
                                         -1,
                                         1000,
                                         1000000,
                                         INT32_MAX,
                                         INT64_C(1) << 40,
                                         INT64_C(1) << 47,
                                         INT64_C(1) << 48,
                                         INT64_C(1) << 52,
                                         INT64_C(1) << 53,
                                         MICROJOULES_MAX,
                                         MICROJOULES_MAX - 1,
                                         MICROJOULES_MAX / 2,
                                         ENERGY_SUM_MAX,
                                         ENERGY_SUM_MAX - 1,
                                         INT64_MAX,
                                         INT64_MAX / 2,
                                         -(INT64_C(1) << 48)};
static const double hostile_reals[] = {0,    -0.0, 1,     -1,     1e4,    -1e4, 1e12,    -1e12,
                                       1e-9, 0.5,  1e308, 5e-324, 1e-300, 30,   3.14159, 1e6};

static int64_t hostile_whole(unsigned at)
{
    return hostile_wholes[at % (sizeof hostile_wholes / sizeof hostile_wholes[0])];
}

static double hostile_real(unsigned at)
{
    return hostile_reals[at % (sizeof hostile_reals / sizeof hostile_reals[0])];
}

static void hostile_change_creature(struct creature_state *c, unsigned field, unsigned value)
{
    int64_t *const wholes[] = {&c->reserve,   &c->body,      &c->body_whole, &c->bitten,
                               &c->starved,   &c->born_tick, &c->met_tick,   &c->gained[0],
                               &c->gained[1], &c->gained[2]};
    uint64_t *const ids[] = {&c->descent.id, &c->descent.mother, &c->descent.father, &c->met};
    int *const ints[] = {&c->descent.family, &c->descent.generation, &c->children};
    double *const reals[] = {&c->x_m,      &c->y_m,         &c->from_x_m, &c->from_y_m,
                             &c->way_m,    &c->owed_j,      &c->turn_rad, &c->ear.at.x,
                             &c->ear.at.y, &c->ear.strength};
    enum { WHOLES = 10, IDS = 4, INTS = 3, REALS = 10 };
    if (field < WHOLES)
        *wholes[field] = hostile_whole(value);
    else if ((field -= WHOLES) < IDS)
        *ids[field] = (uint64_t)hostile_whole(value) & INT64_MAX;
    else if ((field -= IDS) < INTS)
        *ints[field] = (int)(hostile_whole(value) & INT32_MAX);
    else if ((field -= INTS) < REALS)
        *reals[field] = hostile_real(value);
    else if (c->number_count > 0) {
        double *number = &c->numbers[(field - REALS) % (unsigned)c->number_count];
        *number = value & 1 ? hostile_real(value >> 1) : *number * hostile_real(value >> 1);
    }
}

static void hostile_change_world(struct preserve_state *s, unsigned field, unsigned value)
{
    int64_t *const wholes[] = {&s->tick,
                               &s->ledger.start,
                               &s->ledger.sun,
                               &s->ledger.heat,
                               &s->ledger.arrivals,
                               &s->ledger.departures,
                               &s->counts.eaten[0],
                               &s->counts.eaten[2],
                               &s->carcasses[0].energy};
    enum { WHOLES = 9 };
    if (field < WHOLES)
        *wholes[field] = hostile_whole(value);
    else if (field == WHOLES)
        s->next_id = (uint64_t)hostile_whole(value) & INT64_MAX;
    else if (field == WHOLES + 1)
        s->counts.births = (uint64_t)hostile_whole(value) & INT64_MAX;
    else if (field == WHOLES + 2)
        s->carcasses[0].radius_m = hostile_real(value);
    else if (field == WHOLES + 3)
        for (int i = 0; i < s->plant_count; i++)
            s->plants[i] = hostile_whole(value);
    else if (field % 2)
        s->plants[field % (unsigned)s->plant_count] = hostile_whole(value);
    else
        s->scents[field % (unsigned)s->scent_count] = hostile_whole(value);
}

static int hostile_is_small(int64_t energy)
{
    return energy > -INT64_MAX / 16 && energy < INT64_MAX / 16;
}

/* Whether the energies of a state can be added up. */
static int hostile_can_sum(const struct preserve_state *s)
{
    int can = 1;
    for (int i = 0; i < s->plant_count; i++)
        can &= hostile_is_small(s->plants[i]);
    for (int i = 0; i < s->scent_count; i++)
        can &= hostile_is_small(s->scents[i]);
    for (int i = 0; i < s->carcass_count; i++)
        can &= hostile_is_small(s->carcasses[i].energy);
    for (int i = 0; i < s->living_count; i++)
        can &= hostile_is_small(s->living[i].reserve) && hostile_is_small(s->living[i].body);
    for (int i = 0; i < s->egg_count; i++)
        can &= hostile_is_small(s->eggs[i].reserve) && hostile_is_small(s->eggs[i].body);
    return can;
}

/* Sums are right again, as far as they can be. */
static void hostile_mend(struct preserve_state *s)
{
    if (!hostile_can_sum(s))
        return;
    double stored = (double)preserve_state_total(s), start = (double)s->ledger.start;
    double flows = (double)s->ledger.sun - (double)s->ledger.heat + (double)s->ledger.arrivals -
                   (double)s->ledger.departures;
    if (!(fabs(stored) + fabs(start) + fabs(flows) < 4e18))
        return;
    int64_t lacks = energy_ledger_error(&s->ledger, preserve_state_total(s));
    if (lacks > 0)
        s->ledger.start += lacks;
    else
        s->ledger.heat -= lacks;
}

/* Each three bytes of the input change a number: of whom, which, and to what. */
static void hostile_take(const unsigned char *bytes, size_t length)
{
    struct preserve_state state;
    struct pack_writer writer;
    struct error error = {0};
    hostile_encode(hostile_make_good(), &writer);
    ENSURE(preserve_state_decode(&state, writer.buffer.data, writer.buffer.size, &error) == 0, "%s",
           error.message);
    pack_writer_deinit(&writer);
    for (size_t i = 0; i + 2 < length && i < 60; i += 3) {
        unsigned whom = bytes[i] % 8;
        if (whom < 3)
            hostile_change_creature(&state.living[whom], bytes[i + 1], bytes[i + 2]);
        else if (whom == 3)
            hostile_change_creature(&state.eggs[0], bytes[i + 1], bytes[i + 2]);
        else
            hostile_change_world(&state, bytes[i + 1], bytes[i + 2]);
    }
    hostile_mend(&state);
    hostile_encode(&state, &writer);
    preserve_state_deinit(&state);
    hostile_live(writer.buffer.data, writer.buffer.size, 24);
    pack_writer_deinit(&writer);
}

#endif
