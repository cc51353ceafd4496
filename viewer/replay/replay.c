#include "viewer/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/math/detmath.h"
#include "common/math/hash.h"
#include "common/math/rotation.h"

const char *const replay_status_names[REPLAY_STATUS_COUNT] = {RECORD_STATUS_NAMES, "changed"};
const char *const replay_medium_names[REPLAY_MEDIUM_COUNT] = {"sky", "water", "air"};

const char *const replay_energy_names[ENERGY_COUNT] = {
#define X(name, text, value) text,
    REPLAY_ENERGIES(X)
#undef X
};

#define CONTACT_FLOATS (sizeof(struct replay_contact) / sizeof(float))
#define POSE_FLOATS    (sizeof(struct replay_pose) / sizeof(float))
#define SOUND_FLOATS   (sizeof(struct replay_sound) / sizeof(float))
/* The least way that has a direction, m. */
#define WAY_LEAST_M 0.1

/* ---- text ---- */

void replay_put_off(struct replay *replay, const struct genome *genome, const struct params *params,
                    const char *who)
{
    char text[GENE_SWITCH_TEXT_SIZE];
    if (gene_switches_explain(genome, params, text))
        text_append(replay->off, sizeof replay->off, "%s%s%s", replay->off[0] ? "; " : "", who,
                    text);
}

void replay_clean_text(const char *text, char *clean, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        /* bytes of the character, at most 4 */
        size_t length = 1;
        while (length < 4 && text[length] && !text_is_clean(text, length))
            length++;
        if (!text_is_clean(text, length)) {
            clean[used++] = '?';
            text++;
            continue;
        }
        if (used + length >= size)
            break;
        memcpy(clean + used, text, length);
        used += length;
        text += length;
    }
    clean[used] = 0;
}

/* ---- parts ---- */

uint64_t replay_plan(const struct replay *replay)
{
    int ranks[REPLAY_PARTS_MAX], genes = 0;
    uint64_t hash = HASH_START;
    for (int i = 0; i < replay->part_count; i++) {
        const struct replay_part *part = &replay->parts[i];
        int first = 0;
        while (replay->parts[first].body != part->body)
            first++;
        ranks[i] = first < i ? ranks[first] : genes++;
        int has_parent = part->parent >= 0 && part->parent < i;
        if (first == i)
            hash = hash_u64(hash, has_parent ? (uint64_t)ranks[part->parent] + 1 : 0);
        else if (part->mirror != replay->parts[first].mirror)
            hash = hash_u64(hash, (uint64_t)ranks[i] << 32);
    }
    return hash;
}

int replay_has_twin(const struct replay *replay, int part)
{
    const struct replay_part *one = &replay->parts[part], *other = replay->parts;
    struct vec3 half = replay->shapes[part].half_m;
    for (int k = 0; k < replay->part_count; k++, other++)
        if (other->body == one->body && other->mirror != one->mirror &&
            vec3_length(vec3_sub(replay->shapes[k].half_m, half)) < 1e-6)
            return 1;
    return 0;
}

/* ---- rows ---- */

static size_t row_floats(const struct replay *replay)
{
    return 6 + (POSE_FLOATS + SENSOR_COUNT) * (size_t)replay->part_count +
           (size_t)replay->drive_count + 2 * (size_t)replay->effector_count +
           (size_t)replay->neuron_count + ENERGY_COUNT + 2 +
           SOUND_FLOATS * (size_t)replay->voice_count + CONTACT_FLOATS * REPLAY_CONTACTS_MAX;
}

/* The next `count` numbers of a row. */
static float *take(float **at, size_t count)
{
    *at += count;
    return *at - count;
}

static void row_at(const struct replay *replay, int index, struct replay_row *row)
{
    size_t parts = (size_t)replay->part_count, effectors = (size_t)replay->effector_count;
    float *at = replay->rows + replay->row_floats * (size_t)index;
    row->centre = take(&at, 3);
    row->light = take(&at, 3);
    row->poses = (struct replay_pose *)take(&at, POSE_FLOATS * parts);
    row->values = take(&at, (size_t)replay->drive_count);
    row->signals = take(&at, effectors);
    row->torques = take(&at, effectors);
    row->neurons = take(&at, (size_t)replay->neuron_count);
    row->sensors = take(&at, SENSOR_COUNT * parts);
    row->energies = take(&at, ENERGY_COUNT);
    row->fitness = take(&at, 1);
    row->contact_count = take(&at, 1);
    row->sounds = (struct replay_sound *)take(&at, SOUND_FLOATS * (size_t)replay->voice_count);
    row->contacts = (struct replay_contact *)at;
}

/* Rows that have room now: a power of two, at least 64, so that no field has to remember it. */
static size_t rows_room(int frame_count)
{
    size_t room = frame_count ? 64 : 0;
    while (room < (size_t)frame_count)
        room *= 2;
    return room;
}

size_t replay_row_bytes(const struct replay *replay)
{
    return row_floats(replay) * sizeof(float);
}

int replay_append(struct replay *replay, struct replay_row *row)
{
    if (!replay->row_floats)
        replay->row_floats = row_floats(replay);
    ENSURE(replay->row_floats == row_floats(replay), "a row of %zu numbers among others",
           replay->row_floats);
    ENSURE(replay->frame_count >= 0 && (replay->frame_count == 0) == !replay->rows, "%d frames",
           replay->frame_count);
    size_t room = rows_room(replay->frame_count), needed = rows_room(replay->frame_count + 1);
    if (needed > room) {
        float *rows = realloc(replay->rows, needed * replay->row_floats * sizeof *rows);
        if (!rows)
            return ERR_MEMORY;
        replay->rows = rows;
    }
    memset(replay->rows + replay->row_floats * (size_t)replay->frame_count, 0,
           replay->row_floats * sizeof(float));
    row_at(replay, replay->frame_count++, row);
    for (int p = 0; p < replay->part_count; p++)
        row->poses[p].turn_w = 1;
    return 0;
}

int replay_thin_full(struct replay *replay)
{
    size_t row_bytes = replay->row_floats * sizeof(float);
    int count = replay->frame_count, kept = count / 2;
    if (count % 2 || count <= 64 || (size_t)count * row_bytes < REPLAY_BYTES_MAX / 2)
        return 0;
    ENSURE(replay->frame_s > 0, "%d rows of %g s", count, replay->frame_s);
    for (int i = 1; i < kept; i++)
        memcpy(replay->rows + replay->row_floats * (size_t)i,
               replay->rows + replay->row_floats * (size_t)(2 * i), row_bytes);
    replay->frame_count = kept;
    replay->frame_s *= 2;
    return 1;
}

int replay_make_tables(struct replay *replay)
{
    if (replay->part_count > REPLAY_PARTS_MAX || replay->drive_count > REPLAY_DRIVES_MAX)
        return ERR_LIMIT;
    replay->parts = calloc((size_t)replay->part_count + 1, sizeof *replay->parts);
    replay->shapes =
        calloc((size_t)(replay->shape_count + replay->part_count) + 1, sizeof *replay->shapes);
    replay->drives = calloc((size_t)replay->drive_count + 1, sizeof *replay->drives);
    replay->neurons = calloc((size_t)replay->neuron_count + 1, sizeof *replay->neurons);
    replay->effectors = calloc((size_t)replay->effector_count + 1, sizeof *replay->effectors);
    replay->solids = calloc((size_t)replay->own_solid_count + 1, sizeof *replay->solids);
    return replay->parts && replay->shapes && replay->drives && replay->neurons &&
                   replay->effectors && replay->solids
               ? 0
               : ERR_MEMORY;
}

/* Three numbers of a row. */
static struct vec3 read_vector(const float *from)
{
    return (struct vec3){(double)from[0], (double)from[1], (double)from[2]};
}

void replay_put_vector(float *to, struct vec3 vector)
{
    to[0] = (float)vector.x;
    to[1] = (float)vector.y;
    to[2] = (float)vector.z;
}

static void row_shift(const struct replay *replay, struct replay_row *row, float x, float y)
{
    row->centre[0] -= x;
    row->centre[1] -= y;
    row->light[0] -= x;
    row->light[1] -= y;
    for (int p = 0; p < replay->part_count; p++) {
        row->poses[p].x_m -= x;
        row->poses[p].y_m -= y;
    }
    for (int c = 0; c < (int)*row->contact_count; c++) {
        row->contacts[c].x_m -= x;
        row->contacts[c].y_m -= y;
    }
}

struct quaternion replay_pose_quaternion(const struct replay_pose *pose)
{
    return (struct quaternion){(double)pose->turn_w, (double)pose->turn_x, (double)pose->turn_y,
                               (double)pose->turn_z};
}

static void turn_vector(const struct mat3 *turn, float *vector)
{
    replay_put_vector(vector, mat3_apply(turn, read_vector(vector)));
}

static void row_turn(const struct replay *replay, struct replay_row *row, struct quaternion by)
{
    struct mat3 turn = quaternion_matrix(by);
    turn_vector(&turn, row->centre);
    turn_vector(&turn, row->light);
    for (int p = 0; p < replay->part_count; p++) {
        struct replay_pose *pose = &row->poses[p];
        *pose = replay_pose_of(mat3_apply(&turn, replay_pose_centre(pose)),
                               quaternion_product(by, replay_pose_quaternion(pose)));
    }
    for (int i = 0; i < (int)*row->contact_count; i++) {
        float *numbers = (float *)&row->contacts[i]; /* place, normal */
        turn_vector(&turn, numbers);
        turn_vector(&turn, numbers + 3);
    }
}

struct vec3 replay_level_way(const struct replay *replay)
{
    ENSURE(replay->frame_count > 0, "a replay without a row");
    struct vec3 way = vec3_sub(replay_get_frame(replay, replay->frame_count - 1).centre,
                               replay_get_frame(replay, 0).centre);
    double length = hypot(way.x, way.z);
    if (!isfinite(length) || length <= WAY_LEAST_M)
        return (struct vec3){1, 0, 0};
    return (struct vec3){way.x / length, 0, way.z / length};
}

void replay_turn_to_way(struct replay *replay)
{
    if (!replay->has_depth || replay_solid_count(replay) > 0 || !replay->frame_count)
        return;
    struct vec3 way = replay_level_way(replay);
    struct quaternion turn = quaternion_about((struct vec3){0, 1, 0}, atan2(way.z, way.x));
    replay->turned = turn;
    for (int i = 0; i < replay->frame_count; i++) {
        struct replay_row row;
        row_at(replay, i, &row);
        row_turn(replay, &row, turn);
    }
}

/* Where parts end, along x, y and z. */
static void find_ends(const struct replay *replay, const struct replay_pose *poses,
                      const float *values, int first, int count, struct vec3 *low,
                      struct vec3 *high)
{
    vec3_no_bounds(low, high);
    for (int p = first; p < first + count; p++) {
        const struct shape shape = replay_shape_now(replay, p, values);
        const struct replay_pose *pose = &poses[p];
        low->x = fmin(low->x, replay_shape_reach(&shape, pose, (struct vec3){-1, 0, 0}).x);
        low->y = fmin(low->y, replay_shape_reach(&shape, pose, (struct vec3){0, -1, 0}).y);
        low->z = fmin(low->z, replay_shape_reach(&shape, pose, (struct vec3){0, 0, -1}).z);
        high->x = fmax(high->x, replay_shape_reach(&shape, pose, (struct vec3){1, 0, 0}).x);
        high->y = fmax(high->y, replay_shape_reach(&shape, pose, (struct vec3){0, 1, 0}).y);
        high->z = fmax(high->z, replay_shape_reach(&shape, pose, (struct vec3){0, 0, 1}).z);
    }
}

void replay_finish(struct replay *replay)
{
    struct replay_row row;
    int framed = replay->framed_count ? replay->framed_count : replay->part_count;
    if (!replay->frame_count)
        return;
    row_at(replay, 0, &row);
    float x = replay->keeps_place ? 0 : row.centre[0],
          y = replay_has_floor(replay) ? 0 : row.centre[1];
    for (int i = 0; i < replay->obstacles.count; i++)
        replay->obstacles.list[i].x_m -= x;
    for (int i = 0; i < replay->own_solid_count; i++)
        replay->solids[i].at_m.x -= x;
    relief_shift(&replay->relief, x);
    replay->width_m = replay->height_m = replay->depth_m = 0;
    replay->fitness_most = replay->fitness_least = 0;
    for (int i = 0; i < replay->frame_count; i++) {
        row_at(replay, i, &row);
        row_shift(replay, &row, x, y);
        struct vec3 low, high;
        find_ends(replay, row.poses, row.values, replay->framed_first, framed, &low, &high);
        replay->width_m = fmax(replay->width_m, high.x - low.x);
        replay->height_m = fmax(replay->height_m, high.y - low.y);
        replay->depth_m = fmax(replay->depth_m, high.z - low.z);
        replay->fitness_most = fmax(replay->fitness_most, *row.fitness);
        replay->fitness_least = fmin(replay->fitness_least, *row.fitness);
    }
    replay->size_m = fmax(replay->width_m, replay->height_m);
    replay->shifted_x_m = x;
    replay->shifted_y_m = y;
    replay->is_placed = 1;
}

void replay_place_row(const struct replay *replay, struct replay_row *row)
{
    if (!replay->is_placed)
        return;
    if (replay->turned.w != 0 || replay->turned.y != 0)
        row_turn(replay, row, replay->turned);
    row_shift(replay, row, replay->shifted_x_m, replay->shifted_y_m);
}

int replay_has_floor(const struct replay *replay)
{
    return replay->has_ground || replay_solid_count(replay) > 0;
}

int replay_solid_count(const struct replay *replay)
{
    return replay->obstacles.count + replay->own_solid_count;
}

struct replay_solid replay_get_solid(const struct replay *replay, int index)
{
    ENSURE(index >= 0 && index < replay_solid_count(replay), "solid %d of %d", index,
           replay_solid_count(replay));
    if (index >= replay->obstacles.count)
        return replay->solids[index - replay->obstacles.count];
    const struct obstacle *obstacle = &replay->obstacles.list[index];
    return (struct replay_solid){
        {obstacle->x_m, obstacle->y_m, 0},
        {obstacle->width_m / 2, obstacle->height_m / 2, replay->obstacle_depth_m},
        quaternion_about((struct vec3){0, 0, 1}, obstacle->angle_rad)};
}

void replay_get_obstacle(const struct replay *replay, int index, struct vec2 corners[4])
{
    ENSURE(index >= 0 && index < replay->obstacles.count, "obstacle %d of %d", index,
           replay->obstacles.count);
    const struct obstacle *o = &replay->obstacles.list[index];
    double sine, cosine;
    det_sincos(o->angle_rad, &sine, &cosine);
    for (int i = 0; i < 4; i++) {
        double u = (i == 0 || i == 3 ? 0.5 : -0.5) * o->width_m,
               v = (i < 2 ? 0.5 : -0.5) * o->height_m;
        corners[i] =
            (struct vec2){o->x_m + (cosine * u - sine * v), o->y_m + (sine * u + cosine * v)};
    }
}

/* The range of heights of a convex outline over x; 0: it is nowhere over it. */
static int find_range(const struct vec2 corners[4], double x_m, double *low_m, double *high_m)
{
    *low_m = HUGE_VAL;
    *high_m = -HUGE_VAL;
    for (int i = 0; i < 4; i++) {
        struct vec2 a = corners[i], b = corners[(i + 1) % 4];
        if ((a.x < x_m) == (b.x < x_m))
            continue;
        double y_m = a.y + (b.y - a.y) * (x_m - a.x) / (b.x - a.x);
        *low_m = fmin(*low_m, y_m);
        *high_m = fmax(*high_m, y_m);
    }
    return *low_m < *high_m;
}

int replay_find_surface(const struct replay *replay, double x_m, double y_m, double *height_m)
{
    int is_found = replay->has_ground;
    *height_m = 0;
    for (int i = 0; i < replay->obstacles.count; i++) {
        struct vec2 corners[4];
        double low_m, high_m;
        replay_get_obstacle(replay, i, corners);
        if (!find_range(corners, x_m, &low_m, &high_m) || high_m > y_m)
            continue;
        *height_m = is_found ? fmax(*height_m, high_m) : high_m;
        is_found = 1;
    }
    return is_found;
}

/* All that a drawing follows from table to table. */
static void check_tables(const struct replay *replay)
{
    ENSURE(replay->part_count <= REPLAY_PARTS_MAX, "%d parts", replay->part_count);
    ENSURE(replay->drive_count >= 0 && replay->drive_count <= REPLAY_DRIVES_MAX, "%d drives",
           replay->drive_count);
    ENSURE(replay->neuron_count >= 0 && replay->effector_count >= 0, "%d neurons, %d effectors",
           replay->neuron_count, replay->effector_count);
    ENSURE(replay->cut_count >= 0 && replay->cut_count <= REPLAY_CUTS_MAX, "%d cuts",
           replay->cut_count);
    ENSURE((int)replay->status >= 0 && replay->status < REPLAY_STATUS_COUNT, "status %d",
           (int)replay->status);
    ENSURE((int)replay->medium >= 0 && replay->medium < REPLAY_MEDIUM_COUNT, "medium %d",
           (int)replay->medium);
    ENSURE(replay->row_floats == row_floats(replay), "rows of %zu numbers", replay->row_floats);
    for (int i = 0; i < replay->part_count; i++) {
        const struct replay_part *part = &replay->parts[i];
        ENSURE(part->parent >= -1 && part->parent < replay->part_count && part->parent != i,
               "part %d hangs on %d", i, part->parent);
        ENSURE(part->joint >= -1 && part->joint < replay->drive_count, "part %d has drive %d of %d",
               i, part->joint, replay->drive_count);
    }
    for (int i = 0; i < replay->drive_count; i++) {
        const struct replay_drive *drive = &replay->drives[i];
        ENSURE(drive->part >= 0 && drive->part < replay->part_count, "drive %d is of part %d", i,
               drive->part);
        ENSURE(drive->effector >= -1 && drive->effector < replay->effector_count,
               "drive %d has effector %d", i, drive->effector);
        ENSURE(drive->rod >= -1 && drive->rod < replay->shape_count, "drive %d is shape %d", i,
               drive->rod);
    }
    for (int i = 0; i < replay->neuron_count; i++) {
        const struct neuron *neuron = &replay->neurons[i];
        ENSURE(neuron->part >= -1 && neuron->part < replay->part_count, "neuron %d is in part %d",
               i, neuron->part);
        ENSURE(neuron->function >= 0 && neuron->function < NEURON_FUNCTION_COUNT,
               "neuron %d has function %d", i, neuron->function);
    }
}

void replay_check(const struct replay *replay)
{
    check_tables(replay);
    ENSURE(replay->frame_count > 0 && replay->frame_s > 0 && replay->rows, "%s: %d frames of %g s",
           replay->name, replay->frame_count, replay->frame_s);
    ENSURE(replay->part_count > 0 && replay->shape_count >= replay->part_count,
           "%s: %d parts, %d shapes", replay->name, replay->part_count, replay->shape_count);
    for (int i = 0; i < replay->effector_count; i++)
        ENSURE(replay->effectors[i].drive >= 0 && replay->effectors[i].drive < replay->drive_count,
               "%s: effector %d moves drive %d", replay->name, i, replay->effectors[i].drive);
}

struct replay_frame replay_get_frame(const struct replay *replay, int index)
{
    ENSURE(index >= 0 && index < replay->frame_count, "frame %d of %d", index, replay->frame_count);
    struct replay_row row;
    row_at(replay, index, &row);
    return (struct replay_frame){.time_s = index * replay->frame_s,
                                 .centre = read_vector(row.centre),
                                 .light = read_vector(row.light),
                                 .poses = row.poses,
                                 .values = row.values,
                                 .signals = row.signals,
                                 .torques = row.torques,
                                 .neurons = row.neurons,
                                 .sensors = row.sensors,
                                 .energies = row.energies,
                                 .fitness = *row.fitness,
                                 .sounds = row.sounds,
                                 .contacts = row.contacts,
                                 .contact_count = (int)*row.contact_count};
}

struct replay_frame replay_frame_at(const struct replay *replay, double time_s)
{
    return replay_get_frame(replay, replay_frame_index(replay, time_s));
}

double replay_duration(const struct replay *replay)
{
    return replay->frame_count ? (replay->frame_count - 1) * replay->frame_s : 0;
}

int replay_frame_index(const struct replay *replay, double time_s)
{
    if (!(time_s > 0) || replay->frame_count < 2)
        return 0;
    double index = floor(time_s / replay->frame_s + 1e-6);
    return index < replay->frame_count - 1 ? (int)index : replay->frame_count - 1;
}

static float blend(float a, float b, float share)
{
    return a + share * (b - a);
}

/* Between two turns that are not far apart: along the chord, then on the unit sphere again. */
static void blend_turn(struct replay_pose *pose, const struct replay_pose *a,
                       const struct replay_pose *b, float share)
{
    float alike = a->turn_w * b->turn_w + a->turn_x * b->turn_x + a->turn_y * b->turn_y +
                  a->turn_z * b->turn_z;
    float sign = alike < 0 ? -1 : 1; /* q and -q are one turn */
    float w = blend(a->turn_w, sign * b->turn_w, share);
    float x = blend(a->turn_x, sign * b->turn_x, share);
    float y = blend(a->turn_y, sign * b->turn_y, share);
    float z = blend(a->turn_z, sign * b->turn_z, share);
    float size = sqrtf(w * w + x * x + y * y + z * z);
    pose->turn_w = w / size;
    pose->turn_x = x / size;
    pose->turn_y = y / size;
    pose->turn_z = z / size;
}

void replay_get_moment(const struct replay *replay, double time_s, struct replay_moment *moment)
{
    int index = replay_frame_index(replay, time_s), is_last = index + 1 == replay->frame_count;
    struct replay_frame *frame = &moment->frame;
    struct replay_frame next = replay_get_frame(replay, is_last ? index : index + 1);
    *frame = replay_get_frame(replay, index);
    /* how far it is from the one to the other, 0 .. 1 */
    double share = (time_s - frame->time_s) / replay->frame_s;
    float s = (float)(is_last || !(share > 0) ? 0 : fmin(share, 1));
    for (int p = 0; p < replay->part_count; p++) {
        const struct replay_pose *a = &frame->poses[p], *b = &next.poses[p];
        moment->poses[p].x_m = blend(a->x_m, b->x_m, s);
        moment->poses[p].y_m = blend(a->y_m, b->y_m, s);
        moment->poses[p].z_m = blend(a->z_m, b->z_m, s);
        blend_turn(&moment->poses[p], a, b, s);
    }
    for (int i = 0; i < replay->drive_count; i++)
        moment->values[i] = blend(frame->values[i], next.values[i], s);
    frame->centre = vec3_along(frame->centre, vec3_sub(next.centre, frame->centre), (double)s);
    frame->poses = moment->poses;
    frame->values = moment->values;
}

/* ---- poses ---- */

struct replay_pose replay_pose_of(struct vec3 at_m, struct quaternion turn)
{
    return (struct replay_pose){(float)at_m.x, (float)at_m.y, (float)at_m.z, (float)turn.w,
                                (float)turn.x, (float)turn.y, (float)turn.z};
}

struct vec3 replay_pose_centre(const struct replay_pose *pose)
{
    return (struct vec3){(double)pose->x_m, (double)pose->y_m, (double)pose->z_m};
}

struct vec3 replay_pose_turn(const struct replay_pose *pose, struct vec3 way)
{
    struct mat3 turn = quaternion_matrix(replay_pose_quaternion(pose));
    return mat3_apply(&turn, way);
}

struct vec3 replay_pose_place(const struct replay_pose *pose, struct vec3 at)
{
    return vec3_add(replay_pose_centre(pose), replay_pose_turn(pose, at));
}

struct vec3 replay_pose_back(const struct replay_pose *pose, struct vec3 at)
{
    struct mat3 turn = quaternion_matrix(replay_pose_quaternion(pose));
    return mat3_back(&turn, vec3_sub(at, replay_pose_centre(pose)));
}

struct vec3 replay_shape_reach(const struct shape *shape, const struct replay_pose *pose,
                               struct vec3 way)
{
    struct mat3 axes =
        quaternion_matrix(quaternion_product(replay_pose_quaternion(pose), shape->turn));
    struct vec3 at = replay_pose_place(pose, shape->at_m), half = shape->half_m;
    if (shape->kind == SHAPE_BALL)
        return vec3_along(at, way, half.x / vec3_length(way));
    at = vec3_along(at, axes.x, copysign(half.x, vec3_dot(axes.x, way)));
    at = vec3_along(at, axes.y, copysign(half.y, vec3_dot(axes.y, way)));
    return vec3_along(at, axes.z, copysign(half.z, vec3_dot(axes.z, way)));
}

struct vec3 replay_place_now(const struct replay *replay, int part, const float *values,
                             struct vec3 at, int back)
{
    ENSURE(part >= 0 && part < replay->part_count, "part %d of %d", part, replay->part_count);
    const struct shape *shape = &replay->shapes[part];
    if (shape->kind != SHAPE_BOX || shape->drive < 0)
        return at;
    double grown = exp(back ? -(double)values[shape->drive] : (double)values[shape->drive]);
    return (struct vec3){at.x * grown, at.y / grown, at.z};
}

struct shape replay_shape_now(const struct replay *replay, int index, const float *values)
{
    ENSURE(index >= 0 && index < replay->shape_count, "shape %d of %d", index, replay->shape_count);
    struct shape shape = replay->shapes[index];
    if (index < replay->part_count)
        shape.half_m = replay_place_now(replay, index, values, shape.half_m, 0);
    return shape;
}

void replay_get_bounds(const struct replay *replay, const struct replay_pose *poses,
                       const float *values, double bounds[4])
{
    struct vec3 low, high;
    find_ends(replay, poses, values, 0, replay->part_count, &low, &high);
    bounds[0] = low.x;
    bounds[1] = low.y;
    bounds[2] = high.x;
    bounds[3] = high.y;
}

/* ---- joints ---- */

/* Directions and places of the frame that both parts are in. */
static struct vec3 turn_into(struct replay_place part, struct vec3 way)
{
    struct mat3 turn = quaternion_matrix(part.turn);
    return mat3_back(&turn, way);
}

static struct vec3 place_into(struct replay_place part, struct vec3 at)
{
    return turn_into(part, vec3_sub(at, part.at_m));
}

/* The part of `arm` across a way, as a unit; else the part's axis that is most across it. */
static struct vec3 across(struct vec3 way, struct vec3 arm, struct quaternion turn)
{
    struct mat3 axes = quaternion_matrix(turn);
    const struct vec3 tries[] = {arm, axes.y, axes.z};
    struct vec3 hand = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        hand = vec3_along(tries[i], way, -vec3_dot(tries[i], way));
        if (vec3_length(hand) > 0.2 * vec3_length(tries[i]))
            break;
    }
    return vec3_scale(hand, 1 / vec3_length(hand));
}

void replay_hang(struct replay *replay, int part, int first_drive, int count,
                 const struct vec3 *ways, struct vec3 anchor, struct replay_place parent,
                 struct replay_place own)
{
    ENSURE(part >= 0 && part < replay->part_count, "part %d of %d", part, replay->part_count);
    ENSURE(count > 0 && first_drive >= 0 && first_drive + count <= replay->drive_count,
           "drives %d to %d of %d", first_drive, first_drive + count, replay->drive_count);
    struct replay_part *hung = &replay->parts[part];
    hung->joint = first_drive;
    hung->anchor = place_into(own, anchor);
    hung->base = place_into(parent, anchor);
    for (int k = 0; k < count; k++) {
        struct replay_drive *drive = &replay->drives[first_drive + k];
        struct replay_place frame = k > 0 ? own : parent;
        drive->way = turn_into(frame, ways[k]);
        drive->hand = turn_into(frame, across(ways[k], vec3_sub(own.at_m, anchor), own.turn));
    }
    if (replay->drives[first_drive].is_linear)
        replay->shapes[replay->shape_count++] = (struct shape){.kind = SHAPE_ROD,
                                                               .part = part,
                                                               .other = hung->parent,
                                                               .drive = -1,
                                                               .turn = QUATERNION_ONE,
                                                               .at_m = hung->anchor,
                                                               .other_m = hung->base};
}

void replay_destroy(struct replay *replay)
{
    if (!replay)
        return;
    free(replay->parts);
    free(replay->shapes);
    free(replay->drives);
    free(replay->neurons);
    free(replay->effectors);
    free(replay->solids);
    free(replay->rows);
    free(replay);
}
