#include "viewer/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/behaviour.h"
#include "common/text.h"
#include "common/version.h"
#include "common/math/rotation.h"
#include "simulator/plane/contacts/collide.h"

const char *const replay_status_names[REPLAY_STATUS_COUNT] = {"verified", "differs", "unrecorded",
                                                              "other version", "changed"};
const char *const replay_medium_names[REPLAY_MEDIUM_COUNT] = {"sky", "water", "air"};

/* A medium is shown as water if it resists at least so much, by either law, Pa s or kg/m2, with at
 * most so much gravity, m/s2. */
#define WATER_DRAG    0.05
#define WATER_GRAVITY 1.0

const char *const replay_energy_names[ENERGY_COUNT] = {
#define X(name, text) text,
    REPLAY_ENERGIES(X)
#undef X
};

#define CONTACT_FLOATS (sizeof(struct replay_contact) / sizeof(float))
#define POSE_FLOATS    (sizeof(struct replay_pose) / sizeof(float))

/* ---- text ---- */

/* Bytes of the clean character at `text`, or 0. */
static size_t clean_character_length(const char *text)
{
    for (size_t length = 1; length <= 4; length++) {
        if (!text[length - 1])
            return 0;
        if (text_is_clean(text, length))
            return length;
    }
    return 0;
}

void replay_clean_text(const char *text, char *clean, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        size_t length = clean_character_length(text);
        if (length == 0) {
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

/* ---- rows ---- */

/* Where the fields of a row begin, in floats. */
struct row_layout {
    size_t poses, values, signals, torques, neurons, sensors, energies, fitness, contact_count;
    size_t contacts, total;
};

static struct row_layout row_layout(const struct replay *replay)
{
    struct row_layout at;
    at.poses = 6; /* after centre of mass and light */
    at.values = at.poses + POSE_FLOATS * (size_t)replay->part_count;
    at.signals = at.values + (size_t)replay->drive_count;
    at.torques = at.signals + (size_t)replay->effector_count;
    at.neurons = at.torques + (size_t)replay->effector_count;
    at.sensors = at.neurons + (size_t)replay->neuron_count;
    at.energies = at.sensors + SENSOR_COUNT * (size_t)replay->part_count;
    at.fitness = at.energies + ENERGY_COUNT;
    at.contact_count = at.fitness + 1;
    at.contacts = at.contact_count + 1;
    at.total = at.contacts + CONTACT_FLOATS * REPLAY_CONTACTS_MAX;
    return at;
}

static void row_at(const struct replay *replay, int index, struct replay_row *row)
{
    struct row_layout at = row_layout(replay);
    float *base = replay->rows + replay->row_floats * (size_t)index;
    row->centre = base;
    row->light = base + 3;
    row->poses = (struct replay_pose *)(base + at.poses);
    row->values = base + at.values;
    row->signals = base + at.signals;
    row->torques = base + at.torques;
    row->neurons = base + at.neurons;
    row->sensors = base + at.sensors;
    row->energies = base + at.energies;
    row->fitness = base + at.fitness;
    row->contact_count = base + at.contact_count;
    row->contacts = (struct replay_contact *)(base + at.contacts);
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
    return row_layout(replay).total * sizeof(float);
}

int replay_append(struct replay *replay, struct replay_row *row)
{
    if (!replay->row_floats)
        replay->row_floats = row_layout(replay).total;
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

/* Keeps every second row. */
static void rows_thin(struct replay *replay)
{
    int kept = (replay->frame_count + 1) / 2;
    for (int i = 1; i < kept; i++)
        memcpy(replay->rows + replay->row_floats * (size_t)i,
               replay->rows + replay->row_floats * (size_t)(2 * i),
               replay->row_floats * sizeof(float));
    replay->frame_count = kept;
    replay->frame_s *= 2;
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

/* Extent of the parts along z, m. */
static double depth_of(const struct replay *replay, const struct replay_pose *poses)
{
    double least = INFINITY, most = -INFINITY;
    for (int p = 0; p < replay->part_count; p++) {
        const struct shape *shape = &replay->shapes[p];
        least = fmin(least, replay_shape_reach(shape, &poses[p], (struct vec3){0, 0, -1}).z);
        most = fmax(most, replay_shape_reach(shape, &poses[p], (struct vec3){0, 0, 1}).z);
    }
    return most - least;
}

void replay_finish(struct replay *replay)
{
    struct replay_row row;
    double bounds[4];
    if (!replay->frame_count)
        return;
    row_at(replay, 0, &row);
    float x = row.centre[0], y = replay_has_floor(replay) ? 0 : row.centre[1];
    for (int i = 0; i < replay->obstacles.count; i++)
        replay->obstacles.list[i].x_m -= x;
    for (int i = 0; i < replay->own_solid_count; i++)
        replay->solids[i].at_m.x -= x;
    replay->width_m = replay->height_m = replay->depth_m = 0;
    replay->fitness_most = replay->fitness_least = 0;
    for (int i = 0; i < replay->frame_count; i++) {
        row_at(replay, i, &row);
        row_shift(replay, &row, x, y);
        replay_get_bounds(replay, row.poses, bounds);
        replay->width_m = fmax(replay->width_m, bounds[2] - bounds[0]);
        replay->height_m = fmax(replay->height_m, bounds[3] - bounds[1]);
        replay->depth_m = fmax(replay->depth_m, depth_of(replay, row.poses));
        replay->fitness_most = fmax(replay->fitness_most, *row.fitness);
        replay->fitness_least = fmin(replay->fitness_least, *row.fitness);
    }
    replay->size_m = fmax(replay->width_m, replay->height_m);
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
    struct box box;
    collide_place_obstacle(&replay->obstacles.list[index], &box);
    for (int i = 0; i < 4; i++)
        collide_box_corner(&box, i, &corners[i].x, &corners[i].y);
}

int replay_find_surface(const struct replay *replay, double x_m, double y_m, double *height_m)
{
    int is_found = replay->has_ground;
    *height_m = 0;
    for (int i = 0; i < replay->obstacles.count; i++) {
        struct box box, point = {.x = x_m, .cos = 1};
        double low, high;
        collide_place_obstacle(&replay->obstacles.list[i], &box);
        if (!collide_lift_range(&point, &box, &low, &high) || high > y_m)
            continue;
        *height_m = is_found ? fmax(*height_m, high) : high;
        is_found = 1;
    }
    return is_found;
}

void replay_get_frame(const struct replay *replay, int index, struct replay_frame *frame)
{
    struct replay_row row;
    row_at(replay, index, &row);
    frame->time_s = index * replay->frame_s;
    frame->centre =
        (struct vec3){(double)row.centre[0], (double)row.centre[1], (double)row.centre[2]};
    frame->light = (struct vec3){(double)row.light[0], (double)row.light[1], (double)row.light[2]};
    frame->poses = row.poses;
    frame->values = row.values;
    frame->signals = row.signals;
    frame->torques = row.torques;
    frame->neurons = row.neurons;
    frame->sensors = row.sensors;
    frame->energies = row.energies;
    frame->fitness = *row.fitness;
    frame->contacts = row.contacts;
    frame->contact_count = (int)*row.contact_count;
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

/* The frames on either side of a time; returns how far it is from a to b, 0 .. 1. */
static float find_frames(const struct replay *replay, double time_s, struct replay_frame *a,
                         struct replay_frame *b)
{
    int index = replay_frame_index(replay, time_s);
    int next = index + 1 < replay->frame_count ? index + 1 : index;
    replay_get_frame(replay, index, a);
    replay_get_frame(replay, next, b);
    double share = (time_s - a->time_s) / replay->frame_s;
    return (float)(next == index || !(share > 0) ? 0 : share > 1 ? 1 : share);
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

void replay_sample(const struct replay *replay, double time_s, struct replay_pose *poses,
                   struct vec3 *centre)
{
    struct replay_frame a, b;
    float s = find_frames(replay, time_s, &a, &b);
    for (int p = 0; p < replay->part_count; p++) {
        poses[p].x_m = blend(a.poses[p].x_m, b.poses[p].x_m, s);
        poses[p].y_m = blend(a.poses[p].y_m, b.poses[p].y_m, s);
        poses[p].z_m = blend(a.poses[p].z_m, b.poses[p].z_m, s);
        blend_turn(&poses[p], &a.poses[p], &b.poses[p], s);
    }
    *centre = vec3_along(a.centre, vec3_sub(b.centre, a.centre), (double)s);
}

void replay_get_moment(const struct replay *replay, double time_s, struct replay_moment *moment)
{
    struct replay_frame next;
    float s = find_frames(replay, time_s, &moment->frame, &next);
    const float *values = moment->frame.values;
    replay_sample(replay, time_s, moment->poses, &moment->frame.centre);
    moment->frame.poses = moment->poses;
    for (int i = 0; i < replay->drive_count; i++)
        moment->values[i] = blend(values[i], next.values[i], s);
    moment->frame.values = moment->values;
}

/* ---- poses ---- */

static struct quaternion pose_quaternion(const struct replay_pose *pose)
{
    return (struct quaternion){(double)pose->turn_w, (double)pose->turn_x, (double)pose->turn_y,
                               (double)pose->turn_z};
}

struct replay_pose replay_pose_flat(double x_m, double y_m, double angle_rad)
{
    return (struct replay_pose){.x_m = (float)x_m,
                                .y_m = (float)y_m,
                                .turn_w = (float)cos(angle_rad / 2),
                                .turn_z = (float)sin(angle_rad / 2)};
}

struct replay_pose replay_pose_of(struct vec3 at_m, struct quaternion turn)
{
    return (struct replay_pose){(float)at_m.x, (float)at_m.y, (float)at_m.z, (float)turn.w,
                                (float)turn.x, (float)turn.y, (float)turn.z};
}

double replay_pose_angle(const struct replay_pose *pose)
{
    struct vec3 x = replay_pose_turn(pose, (struct vec3){1, 0, 0});
    return atan2(x.y, x.x);
}

struct vec3 replay_pose_centre(const struct replay_pose *pose)
{
    return (struct vec3){(double)pose->x_m, (double)pose->y_m, (double)pose->z_m};
}

struct vec3 replay_pose_turn(const struct replay_pose *pose, struct vec3 way)
{
    struct mat3 turn = quaternion_matrix(pose_quaternion(pose));
    return mat3_apply(&turn, way);
}

struct vec3 replay_pose_place(const struct replay_pose *pose, struct vec3 at)
{
    return vec3_add(replay_pose_centre(pose), replay_pose_turn(pose, at));
}

struct vec3 replay_pose_back(const struct replay_pose *pose, struct vec3 at)
{
    struct mat3 turn = quaternion_matrix(pose_quaternion(pose));
    return mat3_back(&turn, vec3_sub(at, replay_pose_centre(pose)));
}

struct vec3 replay_shape_reach(const struct shape *shape, const struct replay_pose *pose,
                               struct vec3 way)
{
    struct mat3 axes = quaternion_matrix(quaternion_product(pose_quaternion(pose), shape->turn));
    struct vec3 at = replay_pose_place(pose, shape->at_m), half = shape->half_m;
    if (shape->kind == SHAPE_BALL)
        return vec3_along(at, way, half.x / vec3_length(way));
    at = vec3_along(at, axes.x, copysign(half.x, vec3_dot(axes.x, way)));
    at = vec3_along(at, axes.y, copysign(half.y, vec3_dot(axes.y, way)));
    return vec3_along(at, axes.z, copysign(half.z, vec3_dot(axes.z, way)));
}

void replay_get_bounds(const struct replay *replay, const struct replay_pose *poses,
                       double bounds[4])
{
    bounds[0] = bounds[1] = INFINITY;
    bounds[2] = bounds[3] = -INFINITY;
    for (int p = 0; p < replay->part_count; p++) {
        const struct shape *shape = &replay->shapes[p];
        const struct replay_pose *pose = &poses[p];
        bounds[0] = fmin(bounds[0], replay_shape_reach(shape, pose, (struct vec3){-1, 0, 0}).x);
        bounds[1] = fmin(bounds[1], replay_shape_reach(shape, pose, (struct vec3){0, -1, 0}).y);
        bounds[2] = fmax(bounds[2], replay_shape_reach(shape, pose, (struct vec3){1, 0, 0}).x);
        bounds[3] = fmax(bounds[3], replay_shape_reach(shape, pose, (struct vec3){0, 1, 0}).y);
    }
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

/* Of `arm` what is across a way, as a unit; else the part's axis that is most across it. */
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

/* ---- recording ---- */

struct recorder {
    struct replay *replay;
    const struct genome *genome;
    const struct params *params;
    double tick_s;
    int phase;  /* of the rows so far; -1 = none */
    int tick;   /* of the phase, from 0 */
    int stride; /* ticks from row to row */
    int status; /* ERR_MEMORY */
};

static void copy_parts(struct replay *replay, const struct phenotype *phenotype,
                       const struct genome *genome)
{
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        replay->parts[i] = (struct replay_part){.parent = part->parent,
                                                .mirror = part->mirror,
                                                .body = genome_find_body(genome, part->body),
                                                .joint = -1,
                                                .sensors = part->sensors};
    }
}

/* A strong signal: 1.2 rad, a torque of 1, or what leads a length farthest from rest. */
static double full_signal(const struct replay *replay, const struct drive *drive)
{
    if (replay->is_torque_mode)
        return 1;
    double farthest = fmax(-drive->least, drive->most);
    return drive->is_linear ? fmax(farthest, 1e-3) : fmin(fmax(farthest, 1e-3), 1.2);
}

static void copy_drives(struct replay *replay, const struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->drive_count; i++) {
        const struct drive *drive = &phenotype->drives[i];
        replay->drives[i] = (struct replay_drive){.part = drive->part,
                                                  .axis = drive->axis,
                                                  .is_linear = drive->is_linear,
                                                  .lower = drive->lower,
                                                  .upper = drive->upper,
                                                  .effector = -1,
                                                  .signal_full = full_signal(replay, drive),
                                                  .strength = drive->strength,
                                                  .rod = -1};
    }
}

static struct replay_place place_of(const struct part *part)
{
    return (struct replay_place){part->centre, part->turn};
}

/* After shapes and drives. */
static void copy_joints(struct replay *replay, const struct phenotype *phenotype)
{
    for (int i = 0, count = 1; i < phenotype->drive_count; i += count) {
        const struct drive *drives = &phenotype->drives[i];
        const struct part *part = &phenotype->parts[drives->part];
        struct vec3 ways[GENOME_FREEDOMS_MAX];
        for (count = 1; i + count < phenotype->drive_count && drives[count].axis > 0;)
            count++;
        for (int k = 0; k < count; k++)
            ways[k] = drives[k].way;
        if (vec3_length(ways[0]) > 0)
            replay_hang(replay, drives->part, i, count, ways, part->anchor,
                        place_of(&phenotype->parts[part->parent]), place_of(part));
    }
}

static void copy_shapes(struct replay *replay, const struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->shape_count; i++) {
        const struct shape *shape = &phenotype->shapes[i];
        replay->shapes[i] = *shape;
        replay->has_depth |= i < phenotype->part_count && shape->half_m.z > 0;
        if (shape->kind == SHAPE_ROD && shape->drive >= 0)
            replay->drives[shape->drive].rod = i;
    }
}

static void copy_brain(struct replay *replay, const struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->effector_count; i++) {
        const struct effector *effector = &phenotype->effectors[i];
        replay->effectors[i] = (struct replay_effector){effector->drive, effector->input};
        replay->drives[effector->drive].effector = i;
    }
    for (int i = 0; i < phenotype->neuron_count; i++) {
        const struct neuron *neuron = &phenotype->neurons[i];
        replay->neurons[i].part = neuron->part;
        replay->neurons[i].function = neuron->function;
        memcpy(replay->neurons[i].inputs, neuron->inputs, sizeof neuron->inputs);
    }
}

/* Fills the tables of what does not change. */
static int copy_phenotype(struct replay *replay, const struct phenotype *phenotype,
                          const struct genome *genome)
{
    if (phenotype->part_count > REPLAY_PARTS_MAX || phenotype->drive_count > REPLAY_DRIVES_MAX)
        return ERR_LIMIT;
    replay->part_count = phenotype->part_count;
    replay->shape_count = phenotype->shape_count;
    replay->drive_count = phenotype->drive_count;
    replay->neuron_count = phenotype->neuron_count;
    replay->effector_count = phenotype->effector_count;
    replay->parts = calloc((size_t)replay->part_count + 1, sizeof *replay->parts);
    replay->shapes =
        calloc((size_t)(replay->shape_count + replay->part_count) + 1, sizeof *replay->shapes);
    replay->drives = calloc((size_t)replay->drive_count + 1, sizeof *replay->drives);
    replay->neurons = calloc((size_t)replay->neuron_count + 1, sizeof *replay->neurons);
    replay->effectors = calloc((size_t)replay->effector_count + 1, sizeof *replay->effectors);
    if (!replay->parts || !replay->shapes || !replay->drives || !replay->neurons ||
        !replay->effectors)
        return ERR_MEMORY;
    copy_parts(replay, phenotype, genome);
    copy_drives(replay, phenotype);
    copy_shapes(replay, phenotype);
    copy_joints(replay, phenotype);
    copy_brain(replay, phenotype);
    return 0;
}

void replay_put_ledger(struct replay_row *row, const struct ledger *ledger)
{
    float *energies = row->energies;
    energies[ENERGY_kinetic_j] = (float)ledger->kinetic_j;
    energies[ENERGY_potential_j] = (float)ledger->potential_j;
    energies[ENERGY_work_j] = (float)ledger->work_effector_j;
    energies[ENERGY_friction_j] = (float)ledger->loss_friction_j;
    energies[ENERGY_impact_j] = (float)ledger->loss_impact_j;
    energies[ENERGY_limit_j] = (float)ledger->loss_limit_j;
    energies[ENERGY_drag_j] = (float)ledger->loss_drag_j;
    energies[ENERGY_damping_j] = (float)ledger->loss_damping_j;
    energies[ENERGY_unearned_j] =
        (float)(ledger->gain_push_out_j + ledger->gain_impact_j + ledger->gain_limit_j);
    energies[ENERGY_residual_j] = (float)ledger->residual_j;
}

void replay_put_contacts(struct replay_row *row, const struct contact_point *points, int count,
                         double per_step)
{
    if (count > REPLAY_CONTACTS_MAX)
        count = REPLAY_CONTACTS_MAX;
    for (int i = 0; i < count; i++)
        row->contacts[i] =
            (struct replay_contact){(float)points[i].at.x,
                                    (float)points[i].at.y,
                                    (float)points[i].at.z,
                                    (float)points[i].normal.x,
                                    (float)points[i].normal.y,
                                    (float)points[i].normal.z,
                                    (float)(points[i].normal_impulse_n_s * per_step)};
    *row->contact_count = (float)count;
}

/* What its fitness would be if the scored time ended now; without a goal 0. */
static double fitness_now(const struct recorder *recorder, const struct evaluate_view *view)
{
    struct measures measures;
    if (view->phase != PHASE_SCORE || !recorder->replay->has_goal)
        return 0;
    evaluate_measures(view, &measures);
    return behaviour_fitness(VERDICT_OK, &measures, recorder->params);
}

static void record_brain(const struct replay *replay, struct replay_row *row,
                         const struct evaluate_view *view)
{
    for (int i = 0; i < replay->effector_count; i++)
        row->signals[i] = view->signals ? (float)view->signals[i] : 0;
    for (int i = 0; i < replay->neuron_count && view->brain; i++)
        row->neurons[i] = (float)brain_output(view->brain, i);
    for (int i = 0; i < replay->part_count * SENSOR_COUNT && view->sensors; i++)
        row->sensors[i] = (float)view->sensors[i];
}

static void record_body(const struct replay *replay, struct replay_row *row,
                        const struct dynamics *dynamics)
{
    for (int i = 0; i < replay->part_count; i++) {
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        row->poses[i] = replay_pose_of((struct vec3){state.x_m, state.y_m, state.z_m},
                                       dynamics_part_turn(dynamics, i));
    }
    for (int i = 0; i < replay->drive_count; i++) {
        struct drive_state state;
        dynamics_drive_state(dynamics, i, &state);
        row->values[i] = (float)state.value;
        if (replay->drives[i].effector >= 0)
            row->torques[replay->drives[i].effector] = (float)state.effort;
    }
}

static void record_row(const struct recorder *recorder, struct replay_row *row,
                       const struct evaluate_view *view)
{
    const struct replay *replay = recorder->replay;
    const struct contact_point *points;
    struct vec3 centre = dynamics_centre_of_mass(view->dynamics);
    row->centre[0] = (float)centre.x;
    row->centre[1] = (float)centre.y;
    row->centre[2] = (float)centre.z;
    row->light[0] = (float)view->light->at.x;
    row->light[1] = (float)view->light->at.y;
    row->light[2] = (float)view->light->at.z;
    record_body(replay, row, view->dynamics);
    record_brain(replay, row, view);
    replay_put_ledger(row, view->ledger);
    *row->fitness = (float)fitness_now(recorder, view);
    int count = dynamics_contacts(view->dynamics, &points);
    replay_put_contacts(row, points, count, dynamics_substeps(view->dynamics));
}

/* A row with a number that is not finite cannot be drawn: the replay ends before it. */
static int row_is_finite(const struct replay *replay, const struct replay_row *row)
{
    for (size_t i = 0; i < replay->row_floats; i++)
        if (!isfinite(row->centre[i]))
            return 0;
    return 1;
}

/* Rows of settling are kept until scoring starts, so that what never gets there can be seen. */
static void recorder_begin_phase(struct recorder *recorder, int phase)
{
    recorder->phase = phase;
    recorder->tick = 0;
    recorder->stride = 1;
    recorder->replay->frame_count = 0;
    recorder->replay->frame_s = recorder->tick_s;
    free(recorder->replay->rows);
    recorder->replay->rows = NULL;
}

static int recorder_observe(void *context, const struct evaluate_view *view)
{
    struct recorder *recorder = context;
    struct replay *replay = recorder->replay;
    struct replay_row row;
    if (recorder->status)
        return 1;
    int phase = view->phase == PHASE_SCORE ? PHASE_SCORE : PHASE_SETTLE;
    if (recorder->phase != phase)
        recorder_begin_phase(recorder, phase);
    if (recorder->tick++ % recorder->stride)
        return 0;
    /* full: half the rate from here on */
    if (replay->frame_count % 2 == 0 && replay->frame_count > 64 &&
        (size_t)replay->frame_count * replay->row_floats * sizeof(float) >= REPLAY_BYTES_MAX / 2) {
        rows_thin(replay);
        recorder->stride *= 2;
    }
    recorder->status = replay_append(replay, &row);
    if (recorder->status)
        return 1;
    record_row(recorder, &row, view);
    if (!row_is_finite(replay, &row))
        replay->frame_count--;
    return 0;
}

/* ---- cuts ---- */

int replay_is_cut(const struct replay *replay, const struct replay_cut *cut)
{
    for (int i = 0; i < replay->cut_count; i++)
        if (replay->cuts[i].kind == cut->kind && replay->cuts[i].index == cut->index &&
            (cut->kind != CUT_NEURON_INPUT || replay->cuts[i].input == cut->input))
            return 1;
    return 0;
}

static int cut_points_somewhere(const struct replay *replay, const struct replay_cut *cut)
{
    int count = cut->kind == CUT_EFFECTOR_INPUT ? replay->effector_count : replay->neuron_count;
    return cut->kind != CUT_NONE && cut->index >= 0 && cut->index < count &&
           (cut->kind != CUT_NEURON_INPUT || (cut->input >= 0 && cut->input < NEURON_INPUTS_MAX));
}

/* A wire that reads a cut neuron, or is cut itself, reads 0. */
static void cut_wire(const struct replay *replay, struct wire *wire, struct replay_cut itself)
{
    struct replay_cut source = {CUT_NEURON, wire->index, 0};
    if (replay_is_cut(replay, &itself) ||
        (wire->kind == WIRE_NEURON && replay_is_cut(replay, &source)))
        *wire = (struct wire){.kind = WIRE_CONSTANT};
}

/* Notes what the genome grew into, and then makes the cuts. */
static void recorder_edit(void *context, struct phenotype *phenotype)
{
    struct recorder *recorder = context;
    struct replay *replay = recorder->replay;
    int kept = 0;
    recorder->status = copy_phenotype(replay, phenotype, recorder->genome);
    for (int i = 0; i < replay->cut_count; i++)
        if (cut_points_somewhere(replay, &replay->cuts[i]))
            replay->cuts[kept++] = replay->cuts[i];
    replay->cut_count = kept;
    if (recorder->status || kept == 0)
        return;
    for (int i = 0; i < phenotype->neuron_count; i++)
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            cut_wire(replay, &phenotype->neurons[i].inputs[k],
                     (struct replay_cut){CUT_NEURON_INPUT, i, k});
    for (int i = 0; i < phenotype->effector_count; i++)
        cut_wire(replay, &phenotype->effectors[i].input,
                 (struct replay_cut){CUT_EFFECTOR_INPUT, i, 0});
}

/* The pose of birth, for what was refused before anything moved. */
static int record_birth(struct recorder *recorder, const struct creature *creature,
                        const struct params *params, struct arena *arena)
{
    struct phenotype phenotype;
    struct replay_row row;
    struct replay *replay = recorder->replay;
    arena_reset(arena);
    if (phenotype_express(&phenotype, &creature->genome, params, arena) != VERDICT_OK)
        return ERR_MISSING;
    int status = replay->parts ? 0 : copy_phenotype(replay, &phenotype, &creature->genome);
    if (!status)
        status = replay_append(replay, &row);
    if (status)
        return status;
    for (int i = 0; i < phenotype.part_count; i++) {
        const struct part *part = &phenotype.parts[i];
        double share = part->mass_kg / phenotype.mass_kg;
        row.poses[i] = replay_pose_of(part->centre, part->turn);
        row.centre[0] += (float)(part->centre.x * share);
        row.centre[1] += (float)(part->centre.y * share);
        row.centre[2] += (float)(part->centre.z * share);
    }
    return 0;
}

/* ---- comparing ---- */

enum replay_status replay_judge(const struct creature *creature,
                                const struct evaluation *evaluation, int is_recorded,
                                char detail[160])
{
    detail[0] = 0;
    if (!creature->has_evaluation || !is_recorded)
        return REPLAY_UNRECORDED;
    int measure = measures_find_difference(&creature->measures, &evaluation->measures);
    if (genome_hash(&creature->genome) != creature->genome_hash)
        snprintf(detail, 160, "the genome is not the one that was evaluated");
    else if (creature->verdict != evaluation->verdict)
        snprintf(detail, 160, "recorded verdict %s, now %s", verdict_name(creature->verdict),
                 verdict_name(evaluation->verdict));
    else if (creature->digest != evaluation->digest)
        snprintf(detail, 160, "it moves otherwise than recorded");
    else if (measure >= 0)
        snprintf(detail, 160, "%s: recorded %.9g, now %.9g", measure_table[measure].name,
                 measures_get(&creature->measures, measure),
                 measures_get(&evaluation->measures, measure));
    if (!detail[0])
        return REPLAY_VERIFIED;
    if (creature->simulator_version == SIMULATOR_VERSION)
        return REPLAY_DIFFERS;
    snprintf(detail, 160, "recorded by simulator version %d, this is version %d",
             creature->simulator_version, SIMULATOR_VERSION);
    return REPLAY_OTHER_VERSION;
}

/* ---- the whole ---- */

static void set_score(struct replay *replay, const struct creature *creature, int is_recorded)
{
    int has_fitness =
        replay->has_goal && (replay->cut_count || (is_recorded && creature->has_evaluation));
    if (!has_fitness && replay->measures.time_s <= 0 && replay->verdict != VERDICT_OK)
        snprintf(replay->score, sizeof replay->score, "not scored");
    else if (!has_fitness)
        snprintf(replay->score, sizeof replay->score, "went %.2f m in %.3g s",
                 replay->measures.displacement_m, replay->measures.time_s);
    else if (replay->cut_count && creature->has_evaluation)
        snprintf(replay->score, sizeof replay->score, "fitness %.3g, whole %.3g", replay->fitness,
                 creature->fitness);
    else
        snprintf(replay->score, sizeof replay->score, "fitness %.3g",
                 replay->cut_count ? replay->fitness : creature->fitness);
}

enum replay_medium replay_choose_medium(double drag, double gravity_m_s2, int has_ground)
{
    if (drag >= WATER_DRAG && gravity_m_s2 <= WATER_GRAVITY)
        return REPLAY_WATER;
    return has_ground ? REPLAY_SKY : REPLAY_AIR;
}

static enum replay_medium medium_of(const struct params *params)
{
    double drag = params->world_drag_law == DRAG_LAW_QUADRATIC ? params->world_quadratic_drag_kg_m2
                                                               : params->world_viscosity_pa_s;
    return replay_choose_medium(drag, params->world_gravity_m_s2, params->world_ground);
}

int replay_create(struct replay **result, const struct creature *creature,
                  const struct params *params, uint64_t seed, int is_recorded, struct error *error)
{
    return replay_create_cut(result, creature, params, seed, is_recorded, NULL, 0, error);
}

int replay_create_cut(struct replay **result, const struct creature *creature,
                      const struct params *params, uint64_t seed, int is_recorded,
                      const struct replay_cut *cuts, int cut_count, struct error *error)
{
    struct arena arena = {0};
    struct evaluation evaluation;
    struct replay *replay = calloc(1, sizeof *replay);
    struct recorder recorder = {
        replay, &creature->genome, params, 1.0 / params->simulation_brain_hz, -1, 0, 1, 0};
    *result = NULL;
    if (!replay || arena_init(&arena, EVALUATE_ARENA_BYTES)) {
        free(replay);
        return error_set(error, ERR_MEMORY, "replay: %s", error_text(ERR_MEMORY));
    }
    replay_clean_text(creature->name[0] ? creature->name : "unnamed", replay->name,
                      sizeof replay->name);
    if (creature->has_evaluation && creature->verdict == VERDICT_QUARANTINED && is_recorded) {
        error_set(error, ERR_LIMIT, "%s cannot be replayed: %s", replay->name,
                  verdict_reason(VERDICT_QUARANTINED));
        arena_deinit(&arena);
        replay_destroy(replay);
        return ERR_LIMIT;
    }
    replay->has_ground = params->world_ground;
    if (obstacles_parse(&replay->obstacles, params->world_obstacles, error) != 0) {
        arena_deinit(&arena);
        replay_destroy(replay);
        return ERR_RANGE;
    }
    replay->has_goal = params->evolution_behaviour != BEHAVIOUR_INTERACTIVE;
    replay->has_light = params->light_kind != LIGHT_NONE;
    replay->obstacle_depth_m = params->world_depth_m / 2;
    replay->is_torque_mode = params->creature_effector_mode == EFFECTOR_TORQUE;
    replay->medium = medium_of(params);
    replay->gravity_m_s2 = params->world_gravity_m_s2;
    replay->frame_s = recorder.tick_s;
    replay->id = creature->id;
    replay->cut_count = cut_count < REPLAY_CUTS_MAX ? cut_count : REPLAY_CUTS_MAX;
    for (int i = 0; i < replay->cut_count; i++)
        replay->cuts[i] = cuts[i];

    evaluate_edited(&creature->genome, params, seed, &arena, recorder_edit, recorder_observe,
                    &recorder, &evaluation);
    if (!recorder.status && replay->frame_count == 0)
        recorder.status = record_birth(&recorder, creature, params, &arena);
    arena_deinit(&arena);

    replay->verdict = evaluation.verdict;
    replay->measures = evaluation.measures;
    replay->digest = evaluation.digest;
    replay->fitness = behaviour_fitness(evaluation.verdict, &evaluation.measures, params);
    set_score(replay, creature, is_recorded);
    if (recorder.status) {
        int code = recorder.status;
        error_set(error, code, "%s cannot be shown: %s", replay->name,
                  code == ERR_MISSING ? verdict_reason(evaluation.verdict) : error_text(code));
        replay_destroy(replay);
        return code;
    }
    replay->status = replay_judge(creature, &evaluation, is_recorded, replay->detail);
    if (replay->cut_count) {
        replay->status = REPLAY_CHANGED;
        snprintf(replay->detail, sizeof replay->detail, "without %d of its neurons and wires",
                 replay->cut_count);
    }
    replay_finish(replay);
    *result = replay;
    return 0;
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
