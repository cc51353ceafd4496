/* The sound of films: a tone for what each creature calls, a thud for what it hits. */
#ifndef VIEWER_EXPORT_FILM_SOUND_H
#define VIEWER_EXPORT_FILM_SOUND_H

#include <stdio.h>

#include "viewer/replay/replay.h"

#define FILM_SOUND_HZ 24000

/* Writes a WAV file (RIFF, PCM, one channel, 16 bits, FILM_SOUND_HZ) of so many seconds, in which
 * all replays are heard from their starts on. 0, ERR_MEMORY or ERR_IO. */
int film_sound_write(FILE *file, const struct replay *const *replays, int count, double duration_s);

#endif
