/* A preserve of a test: who founds it, its parameters, memory and state. */
#ifndef TESTS_UNIT_SIMULATOR_PRESERVE_FIXTURE_H
#define TESTS_UNIT_SIMULATOR_PRESERVE_FIXTURE_H

#include "common/creature/creature.h"
#include "simulator/preserve/preserve_epoch.h"
#include "tests/plain_fixture.h"

#define SEEKER "examples/creatures/seeker.json"
#define SNAKE  "examples/creatures/fish.json"

static struct creature creatures[2];
static const struct genome *genomes[2] = {&creatures[0].genome, &creatures[1].genome};
static const char *names[2] = {SEEKER, SNAKE};
static struct preserve_founders founders = {genomes, names, 2};
static struct preserve_memory memory;
static struct preserve_state state;

/* A small water. */
static inline void preserve_set_up(void)
{
    params_set_defaults(&params);
    set("world.preset=water", "preserve.founders=6", "preserve.width_m=16", "preserve.height_m=10");
    for (int i = 0; i < 2; i++)
        ck_ok(creature_read(&creatures[i], names[i], &error));
    ck_assert_int_eq(preserve_memory_init(&memory), 0);
}

static inline void preserve_tear_down(void)
{
    preserve_state_deinit(&state);
    preserve_memory_deinit(&memory);
    creature_deinit(&creatures[0]);
    creature_deinit(&creatures[1]);
}

static inline void found(void)
{
    preserve_apply(&params);
    ck_ok(preserve_found(&state, &params, 8, 0, &founders, &memory, &error));
}

static inline int through_bytes(const struct preserve_state *s, struct preserve_state *copy)
{
    SCOPED(pack_writer) writer;
    pack_writer_init(&writer);
    preserve_state_encode(s, &writer);
    return preserve_state_decode(copy, writer.buffer.data, writer.buffer.size, &error);
}

#endif
