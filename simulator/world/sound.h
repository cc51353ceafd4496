/* Sound of bodies, later and fainter the farther away.
 *
 * A sound of strength a is heard with a / (1 + d^2) at a distance of d m (as a light is seen),
 * round(d / (speed_m_s * tick_s)) ticks after it was made, one tick at least; d is that at the tick
 * when it was made. A sound from more than SOUND_REACH_S away is not heard. Of what arrives in a
 * tick a listener hears the loudest, never itself. Its ear holds on: a sound in it fades by 1 - 1/e
 * in hold_s, and gives way to one as loud. So a row of steps is heard as one sound that comes from
 * the last of them. Of two that are equally loud the body with the lower number is heard.
 *
 * A sound is put into the listeners' rings when it is made. (Rings of what was made, in which
 * listeners looked up what arrives, took a search for each pair and tick, and heard a click of a
 * body that had moved since its last one too early.)
 *
 * Use: sound_create() from the arena; each tick sound_hear() for each listener, then sound_emit()
 * for each sound, then sound_tick(). The order of bodies within these does not matter. A number
 * that another body takes over begins with sound_forget(). `arrivals`, `ears` and `tick` are all of
 * its state between ticks, for saving. A sound takes some 10 ns for each listener, a tick without
 * sounds some 20 ns. */
#ifndef SIMULATOR_WORLD_SOUND_H
#define SIMULATOR_WORLD_SOUND_H

#include <stdint.h>

#include "common/math/vec3.h"
#include "common/system/arena.h"

#define SOUND_REACH_S 2.0

/* A sound: its place, its maker, and its loudness there. */
struct noise {
    struct vec3 at;
    double strength; /* 0: silence */
    int64_t body;
};

struct sound {
    int body_count;
    double tick_s, speed_m_s, hold_s;
    int ring_ticks;
    int64_t tick;
    struct noise *arrivals; /* per listener: the loudest, by tick modulo ring_ticks */
    struct noise *ears;     /* per listener: last sound heard, fading */
    struct vec3 *places;    /* per listener, in this tick */
    int *is_listening;
};

/* The place of what a body hears in a tick. */
static inline struct noise *sound_arrival(const struct sound *sound, int body, int64_t tick)
{
    return &sound->arrivals[(int64_t)body * sound->ring_ticks + tick % sound->ring_ticks];
}

/* The sound names body_count, tick_s, speed_m_s and hold_s (0: ears hold nothing) and is zero
 * besides. ERR_MEMORY: the arena is full. */
int sound_create(struct sound *sound, struct arena *arena);
/* The sounds that a body hears at a place, in this tick; call it once a tick. A body without the
 * call is deaf to sounds of this tick. */
struct noise sound_hear(struct sound *sound, int body, struct vec3 place);
/* Strength >= 0. */
void sound_emit(struct sound *sound, int body, struct vec3 at, double strength);
void sound_tick(struct sound *sound);
/* Bodies behind one, up to `count` in all, take over its number and the next ones; the last number
 * has heard nothing. */
void sound_remove(struct sound *sound, int body, int count);
/* The body has heard nothing. */
void sound_forget(struct sound *sound, int body);

#endif
