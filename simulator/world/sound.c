/* See sound.h. */
#include "simulator/world/sound.h"

#include <string.h>

#include "common/error.h"
#include "common/math/detmath.h"

/* A sound left in an ear that is fainter than that is silence. */
#define SILENCE 1e-6

int sound_create(struct sound *sound, struct arena *arena)
{
    size_t bodies = (size_t)sound->body_count;
    sound->ring_ticks = (int)(SOUND_REACH_S / sound->tick_s) + 1;
    sound->arrivals =
        arena_take(arena, bodies * (size_t)sound->ring_ticks, sizeof *sound->arrivals);
    sound->ears = arena_take(arena, bodies, sizeof *sound->ears);
    sound->places = arena_take(arena, bodies, sizeof *sound->places);
    sound->is_listening = arena_take(arena, bodies, sizeof *sound->is_listening);
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

void sound_forget(struct sound *sound, int body)
{
    memset(sound_arrival(sound, body, 0), 0, (size_t)sound->ring_ticks * sizeof *sound->arrivals);
    sound->ears[body] = (struct noise){.strength = 0};
}

void sound_remove(struct sound *sound, int body, int count)
{
    size_t behind = (size_t)(count - body - 1), ring = (size_t)sound->ring_ticks;
    ENSURE(body >= 0 && body < count && count <= sound->body_count, "body %d of %d", body, count);
    memmove(sound_arrival(sound, body, 0), sound_arrival(sound, body + 1, 0),
            behind * ring * sizeof *sound->arrivals);
    memmove(sound->ears + body, sound->ears + body + 1, behind * sizeof *sound->ears);
    memmove(sound->places + body, sound->places + body + 1, behind * sizeof *sound->places);
    memmove(sound->is_listening + body, sound->is_listening + body + 1,
            behind * sizeof *sound->is_listening);
    sound_forget(sound, count - 1);
}

static double loudness(const struct noise *noise, struct vec3 place)
{
    struct vec3 way = vec3_sub(noise->at, place);
    return noise->strength / (1 + vec3_dot(way, way));
}

static int is_louder(const struct noise *a, const struct noise *b, struct vec3 place)
{
    double loud = loudness(a, place), other = loudness(b, place);
    return loud > other || (loud == other && a->body < b->body);
}

void sound_emit(struct sound *sound, int body, struct vec3 at, double strength)
{
    ENSURE(body >= 0 && strength >= 0, "body %d, strength %g", body, strength);
    struct noise noise = {at, strength, body};
    for (int i = 0; strength > 0 && i < sound->body_count; i++) {
        double way_m = vec3_length(vec3_sub(at, sound->places[i]));
        double ticks = det_max(floor(way_m / (sound->speed_m_s * sound->tick_s) + 0.5), 1);
        if (i == body || !sound->is_listening[i] || !(ticks < sound->ring_ticks))
            continue;
        struct noise *there = sound_arrival(sound, i, sound->tick + (int64_t)ticks);
        if (is_louder(&noise, there, sound->places[i]))
            *there = noise;
    }
}

void sound_tick(struct sound *sound)
{
    sound->tick++;
    memset(sound->is_listening, 0, (size_t)sound->body_count * sizeof *sound->is_listening);
}

struct noise sound_hear(struct sound *sound, int body, struct vec3 place)
{
    ENSURE(body >= 0 && body < sound->body_count, "body %d of %d", body, sound->body_count);
    struct noise *now = sound_arrival(sound, body, sound->tick);
    struct noise *ear = &sound->ears[body];
    sound->places[body] = place;
    sound->is_listening[body] = 1;
    ear->strength *= sound->hold_s > 0 ? det_exp(-sound->tick_s / sound->hold_s) : 0;
    if (now->strength > 0 && loudness(now, place) >= loudness(ear, place))
        *ear = *now;
    now->strength = 0;
    if (ear->strength < SILENCE)
        ear->strength = 0;
    return *ear;
}
