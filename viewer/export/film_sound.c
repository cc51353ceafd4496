#include "viewer/export/export.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"

#define PI 3.14159265358979323846
/* A call swells and ends within so long; a thud dies away in so long, s. The page has the same. */
#define CALL_S 0.015
#define THUD_S 0.05
/* A thud is noise below so many times the pitch of the voice. */
#define THUD_PITCH 1.5
#define THUD_GAIN  4.0
/* How loud a full call is; sums of many are bent below 1. */
#define CALL_GAIN 0.3

/* One creature. */
struct voice {
    const struct replay *replay;
    int index;         /* of its sounds in a frame */
    int frame;         /* the one that is heard; -1: none yet */
    double call, blow; /* what it gives off in that frame */
    double tone, thud; /* how loud they are heard now */
    double turns;      /* phase of the tone */
    double low, lower; /* noise, smoothed twice */
};

static void put_word(unsigned char *at, uint32_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

static void fill_head(unsigned char head[44], uint32_t data_bytes)
{
    memcpy(head, "RIFF    WAVEfmt ", 16);
    put_word(head + 4, 36 + data_bytes, 4);
    put_word(head + 16, 16, 4);
    put_word(head + 20, 1, 2); /* PCM */
    put_word(head + 22, 1, 2); /* channels */
    put_word(head + 24, FILM_SOUND_HZ, 4);
    put_word(head + 28, 2 * FILM_SOUND_HZ, 4); /* bytes in a second */
    put_word(head + 32, 2, 2);                 /* bytes in a sample */
    put_word(head + 34, 16, 2);                /* bits */
    memcpy(head + 36, "data", 4);
    put_word(head + 40, data_bytes, 4);
}

/* At the end of a replay all is silent. */
static void voice_listen(struct voice *voice, double time_s)
{
    int frame = replay_frame_index(voice->replay, time_s);
    voice->blow = 0;
    if (time_s > replay_duration(voice->replay)) {
        voice->call = 0;
    } else if (frame != voice->frame) {
        struct replay_sound now = replay_get_frame(voice->replay, frame).sounds[voice->index];
        voice->call = (double)now.call;
        voice->blow = (double)now.blow;
        voice->frame = frame;
    }
}

/* -1 .. 1, the same in each film. */
static double next_noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u; /* Numerical Recipes' ranqd1 */
    return (double)*state / 2147483648.0 - 1;
}

static double voice_sample(struct voice *voice, uint32_t *noise)
{
    double hz = voice->replay->voice_hz[voice->index];
    double smooth = fmin(2 * PI * THUD_PITCH * hz / FILM_SOUND_HZ, 1);
    voice->tone += (voice->call - voice->tone) / (CALL_S * FILM_SOUND_HZ);
    voice->thud = fmax(voice->thud * (1 - 1 / (THUD_S * FILM_SOUND_HZ)), voice->blow);
    voice->turns = fmod(voice->turns + hz / FILM_SOUND_HZ, 1);
    voice->low += (next_noise(noise) - voice->low) * smooth;
    voice->lower += (voice->low - voice->lower) * smooth;
    double tone = sin(2 * PI * voice->turns) + 0.3 * sin(4 * PI * voice->turns);
    return CALL_GAIN * voice->tone * tone + THUD_GAIN * voice->thud * voice->lower;
}

static int write_samples(FILE *file, struct voice *voices, int count, uint32_t samples)
{
    uint32_t noise = 1;
    for (uint32_t i = 0; i < samples; i++) {
        unsigned char bytes[2];
        double sum = 0;
        for (int k = 0; k < count; k++) {
            voice_listen(&voices[k], (double)i / FILM_SOUND_HZ);
            sum += voice_sample(&voices[k], &noise);
        }
        put_word(bytes, (uint32_t)(int32_t)lrint(32767 * sum / (1 + fabs(sum))), 2);
        if (fwrite(bytes, sizeof bytes, 1, file) != 1)
            return ERR_IO;
    }
    return fflush(file) ? ERR_IO : 0;
}

int film_sound_write(FILE *file, const struct replay *const *replays, int count, double duration_s)
{
    struct voice *voices = calloc((size_t)count * REPLAY_VOICES_MAX + 1, sizeof *voices);
    unsigned char head[44];
    uint32_t samples = (uint32_t)ceil(duration_s * FILM_SOUND_HZ);
    int voice_count = 0;
    if (!voices)
        return ERR_MEMORY;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < replays[i]->voice_count; k++)
            voices[voice_count++] = (struct voice){.replay = replays[i], .index = k, .frame = -1};
    fill_head(head, 2 * samples);
    int status = fwrite(head, sizeof head, 1, file) == 1
                     ? write_samples(file, voices, voice_count, samples)
                     : ERR_IO;
    free(voices);
    return status;
}
