/* What is to be heard in a film: a call has its creature's pitch and lasts as long as it calls, a
 * blow is a thud that dies away, and all else is silence. */
#include "viewer/export/export.h"

#include "tests/suite.h"

#define DURATION_S 3
#define SAMPLES    (DURATION_S * FILM_SOUND_HZ)

static struct replay *replay;
static int16_t samples[SAMPLES];

/* One part of which nothing is seen; 60 rows a second. */
static void set_up(void)
{
    replay_destroy(replay);
    replay = calloc(1, sizeof *replay);
    replay->part_count = replay->shape_count = 1;
    replay->parts = calloc(1, sizeof *replay->parts);
    replay->shapes = calloc(1, sizeof *replay->shapes);
    replay->drives = calloc(1, sizeof *replay->drives);
    replay->neurons = calloc(1, sizeof *replay->neurons);
    replay->effectors = calloc(1, sizeof *replay->effectors);
    replay->parts[0].joint = -1;
    replay->frame_s = 1.0 / 60;
    replay->voice_count = 1;
    replay->voice_hz[0] = 300;
    for (int i = 0; i <= 60 * DURATION_S; i++) {
        struct replay_row row;
        ck_assert_int_eq(replay_append(replay, &row), 0);
    }
}

static void sound_at(int frame, float call, float blow)
{
    struct replay_frame at = replay_get_frame(replay, frame);
    struct replay_sound *sound = (struct replay_sound *)at.sounds;
    *sound = (struct replay_sound){call, blow};
}

static void hear_all(void)
{
    unsigned char head[44];
    const struct replay *const heard = replay;
    FILE *file = tmpfile();
    ck_assert_int_eq(film_sound_write(file, &heard, 1, DURATION_S), 0);
    rewind(file);
    ck_assert_uint_eq(fread(head, 1, sizeof head, file), sizeof head);
    ck_assert_int_eq(memcmp(head, "RIFF", 4), 0);
    ck_assert_int_eq(memcmp(head + 8, "WAVEfmt ", 8), 0);
    ck_assert_int_eq(head[40] | head[41] << 8 | head[42] << 16, (int)sizeof samples);
    ck_assert_uint_eq(fread(samples, 1, sizeof samples, file), sizeof samples);
    ck_assert_int_eq(fgetc(file), EOF);
    fclose(file);
}

/* Root of the mean square, -1 .. 1, and how often the sign rises, in a stretch of time. */
static double loudness(double from_s, double to_s, int *rises)
{
    double sum = 0;
    int from = (int)(from_s * FILM_SOUND_HZ), to = (int)(to_s * FILM_SOUND_HZ);
    *rises = 0;
    for (int i = from; i < to; i++) {
        sum += samples[i] / 32768.0 * samples[i] / 32768.0;
        *rises += i > from && samples[i - 1] < 0 && samples[i] >= 0;
    }
    return sqrt(sum / (to - from));
}

TEST(nothing_is_silence)
{
    int rises;
    hear_all();
    ck_assert_double_eq(loudness(0, DURATION_S, &rises), 0);
}

TEST(a_call_has_its_pitch)
{
    int rises;
    for (int i = 60; i < 120; i++)
        sound_at(i, 1, 0);
    hear_all();
    ck_assert_double_eq(loudness(0, 1, &rises), 0);
    ck_assert_double_gt(loudness(1.1, 1.9, &rises), 0.1);
    ck_assert_int_ge(rises, 239);
    ck_assert_int_le(rises, 241);
    ck_assert_double_lt(loudness(2.1, 3, &rises), 1e-3);
}

TEST(a_faint_call_is_fainter)
{
    int rises;
    for (int i = 60; i < 120; i++)
        sound_at(i, 1, 0);
    hear_all();
    double loud = loudness(1.1, 1.9, &rises);
    for (int i = 60; i < 120; i++)
        sound_at(i, 0.1F, 0);
    hear_all();
    double faint = loudness(1.1, 1.9, &rises);
    ck_assert_double_lt(faint, loud / 5);
    ck_assert_double_gt(faint, loud / 20);
}

TEST(a_blow_dies_away)
{
    int rises;
    sound_at(60, 0, 0.8F);
    hear_all();
    ck_assert_double_eq(loudness(0, 1, &rises), 0);
    double first = loudness(1, 1.03, &rises);
    ck_assert_double_gt(first, 0.03);
    ck_assert_double_lt(loudness(1.15, 1.2, &rises), first / 5);
    ck_assert_double_lt(loudness(1.6, 3, &rises), 1e-4);
}

TEST(a_film_goes_on_in_silence)
{
    int rises;
    for (int i = 0; i <= 60 * DURATION_S; i++)
        sound_at(i, 1, 0);
    replay->frame_count = 61; /* ends after a second */
    hear_all();
    ck_assert_double_gt(loudness(0.1, 1, &rises), 0.1);
    ck_assert_double_lt(loudness(1.2, 3, &rises), 1e-4);
    replay->frame_count = 60 * DURATION_S + 1;
}

TEST(the_large_call_deep)
{
    ck_assert_double_gt(replay_voice_hz(1), replay_voice_hz(10));
    ck_assert_double_eq_tol(replay_voice_hz(32) / replay_voice_hz(1), 0.25, 1e-12);
    ck_assert_double_gt(replay_voice_hz(1e9), 50);
    ck_assert_double_lt(replay_voice_hz(0), 2000);
}

SUITE("film_sound", 0, set_up, NULL)
