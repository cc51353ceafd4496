/* Sound: delays and fading against their closed forms, and worlds in which bodies change places. */
#include "simulator/world/sound.h"
#include "tests/plain_fixture.h"

enum { BODIES = 3, LISTENER = 0, SOURCE = 1, OTHER = 2 };

static struct sound sound;
static const struct vec3 origin;

static void make(double speed_m_s, double hold_s)
{
    arena_reset(&arena);
    sound = (struct sound){
        .body_count = BODIES, .tick_s = 1.0 / 60, .speed_m_s = speed_m_s, .hold_s = hold_s};
    ck_assert_int_eq(sound_create(&sound, &arena), 0);
}

static void set_up(void)
{
    arena_open(1 << 20);
}

/* Ticks without sounds until something is heard, at most `most`. */
static int wait_for_sound(int most, struct noise *heard)
{
    int ticks = 0;
    for (; ticks < most; ticks++) {
        *heard = sound_hear(&sound, LISTENER, origin);
        if (heard->strength > 0)
            break;
        sound_tick(&sound);
    }
    return ticks;
}

/* A click is heard once, round(60 d / c) ticks later, from where it was made, whether or not its
 * maker moves on. */
TEST_LOOP(a_click_is_late_by_its_distance, 0, 6)
{
    static const double distances_m[] = {0, 0.1, 1, 2.345, 7, 15};
    double d = distances_m[_i], ticks = floor(60 * d / 10 + 0.5);
    struct noise heard;
    make(10, 0);
    for (int k = 0; k < 77; k++)
        sound_tick(&sound);
    ck_assert_double_eq(sound_hear(&sound, LISTENER, origin).strength, 0);
    sound_emit(&sound, SOURCE, (struct vec3){0.6 * d, 0, -0.8 * d}, 0.7);
    sound_tick(&sound);
    ck_assert_int_eq(wait_for_sound(200, &heard), fmax(ticks, 1) - 1);
    ck_assert_double_eq(heard.strength, 0.7);
    ck_assert_double_eq(heard.at.x, 0.6 * d);
    sound_tick(&sound);
    ck_assert_int_eq(wait_for_sound(400, &heard), 400);
}

TEST(what_is_too_far_away_is_not_heard)
{
    struct noise heard;
    make(10, 0);
    sound_hear(&sound, LISTENER, origin);
    sound_emit(&sound, SOURCE, (struct vec3){20.5, 0, 0}, 1);
    ck_assert_int_eq(wait_for_sound(500, &heard), 500);
}

/* A caller that moves away at v is heard at intervals that are 1 + v / c as long. */
TEST(who_moves_away_is_heard_at_longer_intervals)
{
    double v = 2, c = 20;
    int heard_at[40], count = 0;
    make(c, 0);
    for (int tick = 0; tick < 600; tick++, sound_tick(&sound)) {
        if (sound_hear(&sound, LISTENER, origin).strength > 0 && count < 40)
            heard_at[count++] = tick;
        if (tick % 20 == 0)
            sound_emit(&sound, SOURCE, (struct vec3){v * tick / 60, 0, 0}, 1);
    }
    ck_assert_int_gt(count, 25);
    ck_assert_double_eq_tol((double)(heard_at[25] - heard_at[0]) / 25, 20 * (1 + v / c), 0.1);
}

TEST(an_ear_holds_what_it_heard)
{
    struct noise heard;
    make(340, 0.5);
    sound_hear(&sound, LISTENER, origin);
    sound_emit(&sound, SOURCE, (struct vec3){1, 0, 0}, 1);
    sound_tick(&sound);
    ck_assert_double_eq(sound_hear(&sound, LISTENER, origin).strength, 1);
    for (int tick = 0; tick < 30; tick++) {
        sound_tick(&sound);
        heard = sound_hear(&sound, LISTENER, origin);
    }
    ck_assert_double_eq_tol(heard.strength, exp(-1), 1e-12);
    ck_assert_double_eq(heard.at.x, 1);
    /* what is less loud than what is left is not heard */
    sound_emit(&sound, OTHER, (struct vec3){0, 2, 0}, 0.1);
    sound_tick(&sound);
    ck_assert_double_eq(sound_hear(&sound, LISTENER, origin).at.x, 1);
    sound_emit(&sound, OTHER, (struct vec3){0, 2, 0}, 2);
    sound_tick(&sound);
    ck_assert_double_eq(sound_hear(&sound, LISTENER, origin).at.y, 2);
    for (int tick = 0; tick < 1000; tick++) {
        sound_tick(&sound);
        heard = sound_hear(&sound, LISTENER, origin);
    }
    ck_assert_double_eq(heard.strength, 0);
}

/* No creature hears itself; of all others the loudest where the listener is; of its own sounds in a
 * tick only the loudest is made. */
TEST(the_loudest_other_is_heard)
{
    for (int is_backward = 0; is_backward < 2; is_backward++)
        for (int k = 0; k < 2; k++) {
            struct vec3 place = {k ? 2.1 : 0, 0, 0};
            make(340, 0);
            sound_hear(&sound, LISTENER, place);
            sound_emit(&sound, LISTENER, origin, 100);
            for (int i = 0; i < 2; i++) {
                if (i == is_backward)
                    sound_emit(&sound, OTHER, (struct vec3){2, 0, 0}, 2);
                else
                    sound_emit(&sound, SOURCE, (struct vec3){1, 0, 0}, 1);
            }
            sound_emit(&sound, SOURCE, (struct vec3){-1, 0, 0}, 0.9);
            sound_tick(&sound);
            ck_assert_double_eq(sound_hear(&sound, LISTENER, place).at.x, k ? 2 : 1);
        }
    /* as loud: the lower number, in either order */
    for (int first = SOURCE; first <= OTHER; first++) {
        make(340, 0);
        sound_hear(&sound, LISTENER, origin);
        sound_emit(&sound, first, (struct vec3){first, 0, 0}, 1 + first * first);
        sound_emit(&sound, SOURCE + OTHER - first, (struct vec3){3 - first, 0, 0},
                   1 + (3 - first) * (3 - first));
        sound_tick(&sound);
        ck_assert_int_eq(sound_hear(&sound, LISTENER, origin).body, SOURCE);
    }
}

/* Two bodies exchanged, in a world mirrored or not: each hears what the other one heard. */
TEST(exchanged_bodies_hear_alike)
{
    double heard[4][2];
    for (int k = 0; k < 4; k++) {
        int first = k & 1, sign = k & 2 ? -1 : 1;
        make(30, 0.2);
        for (int tick = 0; tick < 90; tick++, sound_tick(&sound)) {
            struct vec3 a = {sign * (-1 - 0.01 * tick), 0, 0};
            struct vec3 b = {sign * (2 + 0.02 * tick), 0, 0};
            heard[k][0] = sign * sound_hear(&sound, first, a).at.x;
            heard[k][1] = sign * sound_hear(&sound, !first, b).at.x;
            sound_emit(&sound, first, a, tick % 7 == 0);
            sound_emit(&sound, !first, b, tick % 5 == 0);
        }
    }
    ck_assert(heard[0][0] > 2 && heard[0][1] < -1);
    for (int k = 1; k < 4; k++)
        ck_assert(heard[k][0] == heard[0][0] && heard[k][1] == heard[0][1]);
}

TEST(who_takes_a_number_over_has_heard_nothing)
{
    make(10, 10);
    sound_hear(&sound, LISTENER, origin);
    sound_emit(&sound, SOURCE, (struct vec3){5, 0, 0}, 1);
    sound_emit(&sound, OTHER, (struct vec3){0.1, 0, 0}, 1);
    sound_tick(&sound);
    ck_assert_double_gt(sound_hear(&sound, LISTENER, origin).strength, 0);
    sound_forget(&sound, LISTENER);
    for (int tick = 0; tick < 100; tick++, sound_tick(&sound))
        ck_assert_double_eq(sound_hear(&sound, LISTENER, origin).strength, 0);
}

TEST(small_arenas_are_refused)
{
    SCOPED(arena) small;
    ck_assert_int_eq(arena_init(&small, 4096), 0);
    sound = (struct sound){.body_count = BODIES, .tick_s = 1.0 / 60, .speed_m_s = 340};
    ck_assert_int_eq(sound_create(&sound, &small), ERR_MEMORY);
}

SUITE("sound", 0, set_up, NULL)
