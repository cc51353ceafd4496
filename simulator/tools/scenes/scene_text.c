/* See scene_text.h. After the first error, which is the one reported, reading goes on with harmless
 * values. */
#include "simulator/tools/scenes/scene_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/error.h"

/* ---------------------------------------------------------------- values */

void scene_fail(const struct scene_spot *spot, int code, const char *key, const char *text)
{
    struct scene_reader *r = spot->reader;
    int is_inner = *spot->place && *key;
    if (!r->is_failed)
        error_set(r->error, code, "%s: %s%s%s%s%s", r->name, spot->place, is_inner ? "." : "", key,
                  *spot->place || *key ? ": " : "", text);
    r->is_failed = 1;
}

json_t *spot_take(const struct scene_spot *spot, const char *key)
{
    json_t *value = json_incref(json_object_get(spot->object, key));
    json_object_del(spot->object, key);
    return value;
}

int spot_has(const struct scene_spot *spot, const char *key)
{
    return json_object_get(spot->object, key) != NULL;
}

static double spot_check_number(const struct scene_spot *spot, const char *key, const json_t *value,
                                double least, double most)
{
    double number = json_number_value(value);
    char text[96];
    snprintf(text, sizeof text, "%.6g is not within %g .. %g", number, least, most);
    if (!json_is_number(value))
        scene_fail(spot, ERR_FORMAT, key, "a number is expected");
    else if (!(number >= least && number <= most))
        scene_fail(spot, ERR_RANGE, key, text);
    else
        return number;
    return least > 0 ? least : 0;
}

double spot_number(const struct scene_spot *spot, const char *key, double fallback, double least,
                   double most)
{
    json_t *value = spot_take(spot, key);
    double number = value ? spot_check_number(spot, key, value, least, most) : fallback;
    json_decref(value);
    return number;
}

double spot_any(const struct scene_spot *spot, const char *key)
{
    return spot_number(spot, key, 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
}

double spot_need_number(const struct scene_spot *spot, const char *key, double least, double most)
{
    if (!spot_has(spot, key))
        scene_fail(spot, ERR_MISSING, key, "missing");
    return spot_number(spot, key, least > 0 ? least : 0, least, most);
}

void spot_numbers(const struct scene_spot *spot, const char *key, double *numbers, size_t count)
{
    char text[64];
    json_t *value = spot_take(spot, key);
    if (value && json_array_size(value) != count) {
        snprintf(text, sizeof text, "%zu numbers [...] are expected", count);
        scene_fail(spot, ERR_FORMAT, key, text);
    }
    for (size_t i = 0; value && i < count && !spot->reader->is_failed; i++)
        numbers[i] = spot_check_number(spot, key, json_array_get(value, i), -SCENE_NUMBER_MAX,
                                       SCENE_NUMBER_MAX);
    json_decref(value);
}

struct vec2 spot_vector(const struct scene_spot *spot, const char *key)
{
    double v[2] = {0, 0};
    spot_numbers(spot, key, v, 2);
    return (struct vec2){v[0], v[1]};
}

int spot_flag(const struct scene_spot *spot, const char *key)
{
    json_t *value = spot_take(spot, key);
    if (value && !json_is_boolean(value))
        scene_fail(spot, ERR_FORMAT, key, "true or false is expected");
    int flag = value && json_is_true(value);
    json_decref(value);
    return flag;
}

int spot_choice(const struct scene_spot *spot, const char *key, const char *const *words)
{
    json_t *value = spot_take(spot, key);
    const char *text = json_string_value(value);
    char message[96] = "one of these words is expected:";
    int choice = 0, at = 0;
    while (text && words[at] && strcmp(words[at], text) != 0)
        at++;
    if (text && words[at])
        choice = at;
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(message);
        snprintf(message + used, sizeof message - used, " %s", words[i]);
    }
    if (value && (!text || !words[at]))
        scene_fail(spot, ERR_FORMAT, key, message);
    json_decref(value);
    return choice;
}

struct scene_spot spot_open(const struct scene_spot *in, const char *key)
{
    struct scene_spot spot = {in->reader, spot_take(in, key), ""};
    snprintf(spot.place, sizeof spot.place, "%.60s%s%.30s", in->place, *in->place ? "." : "", key);
    if (spot.object && !json_is_object(spot.object))
        scene_fail(&spot, ERR_FORMAT, "", "an object is expected");
    return spot;
}

struct scene_spot spot_member(const struct scene_spot *in, const char *key, json_t *array, size_t i)
{
    struct scene_spot spot = {in->reader, json_incref(json_array_get(array, i)), ""};
    snprintf(spot.place, sizeof spot.place, "%.50s%s%.20s[%zu]", in->place, *in->place ? "." : "",
             key, i);
    if (!json_is_object(spot.object))
        scene_fail(&spot, ERR_FORMAT, "", "an object is expected");
    return spot;
}

void spot_close(struct scene_spot *spot)
{
    char key[64] = "";
    void *left = json_object_iter(spot->object);
    if (left) {
        snprintf(key, sizeof key, "%.60s", json_object_iter_key(left));
        scene_fail(spot, ERR_UNKNOWN, key, "unknown here");
    }
    json_decref(spot->object);
    spot->object = NULL;
}

struct scene_list spot_list(const struct scene_spot *in, const char *key, const char *needed)
{
    struct scene_list list = {.in = in, .key = key, .array = spot_take(in, key)};
    if (needed && (!json_is_array(list.array) || json_array_size(list.array) == 0))
        scene_fail(in, ERR_MISSING, key, needed);
    else if (list.array && !json_is_array(list.array))
        scene_fail(in, ERR_FORMAT, key, "an array is expected");
    return list;
}

int spot_next(struct scene_list *list)
{
    if (list->spot.object)
        spot_close(&list->spot);
    if (list->next < json_array_size(list->array) && !list->in->reader->is_failed) {
        list->spot = spot_member(list->in, list->key, list->array, list->next++);
        return 1;
    }
    json_decref(list->array);
    list->array = NULL;
    return 0;
}

/* ---------------------------------------------------------------- signals */

/* [[time, value], ...] with rising times. */
static void read_table(const struct scene_spot *spot, enum signal_table kind, struct signal *signal)
{
    json_t *array = spot_take(spot, "table");
    size_t count = json_array_size(array);
    struct scene_tables *tables = &spot->reader->scene->tables;
    double *numbers = tables->numbers + tables->used;
    size_t left = (size_t)(SCENE_TABLE_NUMBERS - tables->used);
    if (!json_is_array(array) || count == 0)
        scene_fail(spot, ERR_FORMAT, "table", "points [[time, value], ...] are expected");
    else if (count > SIGNAL_POINTS_MAX || 3 * count > left)
        scene_fail(spot, ERR_LIMIT, "table", "too many points");
    for (size_t i = 0; i < count && !spot->reader->is_failed; i++) {
        json_t *point = json_array_get(array, i);
        if (json_array_size(point) != 2) {
            scene_fail(spot, ERR_FORMAT, "table", "points [[time, value], ...] are expected");
            break;
        }
        numbers[i] = spot_check_number(spot, "table", json_array_get(point, 0), -SCENE_NUMBER_MAX,
                                       SCENE_NUMBER_MAX);
        numbers[count + i] = spot_check_number(spot, "table", json_array_get(point, 1),
                                               -SCENE_GAIN_MAX, SCENE_GAIN_MAX);
        if (i > 0 && !(numbers[i] > numbers[i - 1]))
            scene_fail(spot, ERR_RANGE, "table", "times do not rise");
    }
    json_decref(array);
    if (spot->reader->is_failed)
        return;
    tables->used += 3 * (int)count;
    signal->count = (int)count;
    signal->table = kind;
    signal->times_s = numbers;
    signal->values = numbers + count;
    signal->bends = numbers + 2 * count;
}

/* A number, or an object with a line, a sine and a table that are added up. */
static void read_signal(const struct scene_spot *in, const char *key, enum signal_table kind,
                        struct signal *signal)
{
    *signal = (struct signal){0};
    if (!json_is_object(json_object_get(in->object, key))) {
        signal->offset = spot_number(in, key, 0, -SCENE_GAIN_MAX, SCENE_GAIN_MAX);
        return;
    }
    struct scene_spot spot = spot_open(in, key);
    signal->offset = spot_number(&spot, "offset", 0, -SCENE_GAIN_MAX, SCENE_GAIN_MAX);
    signal->slope = spot_number(&spot, "slope_1_s", 0, -SCENE_GAIN_MAX, SCENE_GAIN_MAX);
    signal->amplitude = spot_number(&spot, "amplitude", 0, -SCENE_GAIN_MAX, SCENE_GAIN_MAX);
    if (signal->amplitude != 0 || spot_has(&spot, "frequency_hz"))
        signal->rate_rad_s = 2 * DET_PI * spot_need_number(&spot, "frequency_hz", 0, 1e6);
    signal->phase_rad = spot_any(&spot, "phase_rad");
    if (spot_has(&spot, "table"))
        read_table(&spot, kind, signal);
    spot_close(&spot);
    if (signal->count == 0 || kind != SIGNAL_SPLINE)
        return;
    double scratch[SIGNAL_POINTS_MAX];
    signal_bend(signal, scratch);
}

static int is_constant(const struct signal *signal)
{
    return signal->slope == 0 && signal->amplitude == 0 && signal->count == 0;
}

/* ---------------------------------------------------------------- joints */

/* Keys of what a joint of a kind has. */
struct joint_keys {
    const char *start, *rate, *lower, *upper, *damping, *stiffness, *rest, *effort, *motion;
    const char *kp, *kd, *target, *target_rate, *bound;
};
static const struct joint_keys rotary_keys = {
    "angle_rad",         "rate_rad_s", "lower_rad",         "upper_rad",  "damping_n_m_s_rad",
    "stiffness_n_m_rad", "rest_rad",   "torque_n_m",        "motion_rad", "kp_n_m_rad",
    "kd_n_m_s_rad",      "target_rad", "target_rate_rad_s", "bound_n_m"};
static const struct joint_keys linear_keys = {
    "extension_m",   "rate_m_s", "lower_m",         "upper_m",  "damping_n_s_m",
    "stiffness_n_m", "rest_m",   "force_n",         "motion_m", "kp_n_m",
    "kd_n_s_m",      "target_m", "target_rate_m_s", "bound_n"};

static void read_servo(const struct scene_spot *joint, const struct joint_keys *keys,
                       struct scene_freedom *f)
{
    struct servo *drive = &f->drive;
    struct scene_spot spot = spot_open(joint, "servo");
    drive->kp = spot_need_number(&spot, keys->kp, 0, SCENE_GAIN_MAX);
    drive->kd = spot_number(&spot, keys->kd, 0, 0, SCENE_GAIN_MAX);
    read_signal(&spot, keys->target, SIGNAL_SPLINE, &f->signal);
    drive->target = f->signal.offset;
    drive->rate = spot_any(&spot, keys->target_rate);
    drive->torque_max = spot_number(&spot, keys->bound, HUGE_VAL, 0, SCENE_GAIN_MAX);
    if (!is_constant(&f->signal)) {
        f->signal.slope += drive->rate;
        drive->signal = &f->signal;
    }
    spot_close(&spot);
    if (spot_has(joint, "spring") || spot_has(joint, keys->effort))
        scene_fail(joint, ERR_FORMAT, "servo", "not together with a spring or a torque or force");
}

/* A spring, a torque or force, or both. */
static void read_spring(const struct scene_spot *joint, const struct joint_keys *keys,
                        struct scene_freedom *f)
{
    struct servo *drive = &f->drive;
    struct signal *effort = &f->signal;
    read_signal(joint, keys->effort, SIGNAL_LINES, effort);
    struct scene_spot spot = spot_open(joint, "spring");
    if (spot.object) {
        drive->law = SERVO_SPRING;
        drive->kp = spot_need_number(&spot, keys->stiffness, 1e-9, SCENE_GAIN_MAX);
        drive->target = spot_any(&spot, keys->rest);
        drive->push = effort;
    } else {
        drive->law = SERVO_TORQUE;
        if (is_constant(effort))
            drive->torque_max = fabs(effort->offset);
        else
            drive->signal = effort;
        drive->target = effort->offset < 0 ? -1 : 1;
    }
    spot_close(&spot);
}

/* The drives of a joint are a motion, a servo, or a spring and a torque together. */
void scene_read_freedom(const struct scene_spot *joint, int is_linear, struct scene_freedom *f)
{
    const struct joint_keys *keys = is_linear ? &linear_keys : &rotary_keys;
    if (spot_has(joint, keys->motion)) {
        f->drive = (struct servo){.law = SERVO_MOTION, .signal = &f->signal};
        read_signal(joint, keys->motion, SIGNAL_SPLINE, &f->signal);
        struct signal_value start = signal_at(&f->signal, 0);
        f->start = start.value;
        f->rate = start.rate;
        f->lower = -HUGE_VAL;
        f->upper = HUGE_VAL;
        return;
    }
    f->start = spot_any(joint, keys->start);
    f->rate = spot_any(joint, keys->rate);
    f->lower = spot_number(joint, keys->lower, -HUGE_VAL, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    f->upper = spot_number(joint, keys->upper, HUGE_VAL, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    if (f->lower > f->upper)
        scene_fail(joint, ERR_RANGE, keys->lower, "is above the upper limit");
    f->drive = (struct servo){
        .damping = spot_number(joint, keys->damping, 0, 0, SCENE_GAIN_MAX),
        .torque_max = HUGE_VAL,
    };
    if (spot_has(joint, "servo"))
        read_servo(joint, keys, f);
    else
        read_spring(joint, keys, f);
}

void scene_read_relief(const struct scene_spot *world, int has_ground, int is_plane,
                       struct relief *relief)
{
    if (!spot_has(world, "relief"))
        return;
    struct scene_spot spot = spot_open(world, "relief");
    double depth_m = spot_need_number(&spot, "depth_m", 0, SCENE_NUMBER_MAX);
    double wavelength_m =
        spot_need_number(&spot, "wavelength_m", SCENE_LENGTH_MIN, SCENE_NUMBER_MAX);
    double seed = spot_number(&spot, "seed", 1, 0, SCENE_NUMBER_MAX);
    spot_close(&spot);
    if (!has_ground)
        scene_fail(world, ERR_RANGE, "relief", "there is no ground");
    else if (relief_steepest(depth_m, wavelength_m) > RELIEF_SLOPE_MAX)
        scene_fail(world, ERR_RANGE, "relief", "waves that are steeper than 0.6");
    else
        relief_init(relief, depth_m, wavelength_m, (uint64_t)seed, is_plane);
}
