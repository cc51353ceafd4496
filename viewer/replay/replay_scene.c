/* Scenes in three dimensions as replays: bodies and joints by hand (docs/scenes.md), moved from
 * start to end and recorded like a creature. Boxes are parts, freedoms of joints are drives; there
 * is no brain. A body without boxes is shown as one that has its mass and moments of inertia. */
#include "viewer/replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/tools/scenes/scene.h"

/* Rows in a second, if there is memory for so many. */
#define ROWS_HZ 60
/* A body without boxes is at least so thick, by its longest side or its way from the joint. */
#define THICKNESS_SHARE 0.08

struct recording {
    struct scene scene;
    struct arena arena;
    struct dynamics *dynamics;
    struct replay *replay;
    struct body_box boxes[REPLAY_PARTS_MAX + SCENE_BODIES_MAX]; /* of all bodies */
    int first_part[SCENE_BODIES_MAX];
    int first_drive[SCENE_BODIES_MAX];
    int part_count, drive_count;
};

/* ---- what does not change ---- */

/* A box of that mass with the same moments about its axes: Ixx = m (b^2 + c^2) / 3 for half sides
 * a, b, c. */
static struct body_box stand_in(const struct body_link *link, int index)
{
    const struct sym3 *i = &link->inertia;
    double share = link->mass_kg > 0 ? 1.5 / link->mass_kg : 0;
    struct vec3 half = {sqrt(fmax(share * (i->yy + i->zz - i->xx), 0)),
                        sqrt(fmax(share * (i->zz + i->xx - i->yy), 0)),
                        sqrt(fmax(share * (i->xx + i->yy - i->zz), 0))};
    double least =
        THICKNESS_SHARE * fmax(fmax(half.x, half.y), fmax(half.z, vec3_length(link->centre)));
    least = least > 0 ? least : 0.05;
    return (struct body_box){
        .link = index,
        .centre = link->centre,
        .turn = QUATERNION_ONE,
        .size_m = {2 * fmax(half.x, least), 2 * fmax(half.y, least), 2 * fmax(half.z, least)}};
}

static void list_shapes(struct recording *recording)
{
    const struct scene *scene = &recording->scene;
    for (int i = 0; i < scene->body_count; i++) {
        recording->first_part[i] = recording->part_count;
        for (int k = 0; k < scene->space.box_count; k++)
            if (scene->space.boxes[k].link == i)
                recording->boxes[recording->part_count++] = scene->space.boxes[k];
        if (recording->part_count == recording->first_part[i])
            recording->boxes[recording->part_count++] = stand_in(&scene->links[i], i);
    }
}

static void fill_part(struct recording *recording, int index)
{
    const struct body_box *box = &recording->boxes[index];
    const struct body_link *link = &recording->scene.links[box->link];
    struct replay_part *part = &recording->replay->parts[index];
    int is_first = recording->first_part[box->link] == index;
    int parent = link->parent < 0 ? -1 : recording->first_part[link->parent];
    *part = (struct replay_part){.parent = is_first ? parent : recording->first_part[box->link],
                                 .mirror = 1,
                                 .body = box->link,
                                 .color = index,
                                 .joint = -1};
    recording->replay->shapes[index] = (struct shape){.kind = SHAPE_BOX,
                                                      .part = index,
                                                      .other = -1,
                                                      .drive = -1,
                                                      .turn = QUATERNION_ONE,
                                                      .half_m = vec3_scale(box->size_m, 0.5)};
}

/* The drives of a body's joint; of one that is driven the effector has the strength that it needs
 * most. */
static void fill_drives(struct recording *recording, int body)
{
    const struct body_link *link = &recording->scene.links[body];
    const struct joint_kind *joint = &joint_kinds[link->kind];
    int rates = link->kind == LINK_FREE ? 0 : joint_rates(joint);
    for (int k = 0; k < rates; k++) {
        int index = recording->first_drive[body] + k;
        recording->replay->drives[index] =
            (struct replay_drive){.part = recording->first_part[body],
                                  .axis = k,
                                  .is_linear = k < joint->slides,
                                  .lower = joint->has_ball ? 0 : link->lower[k],
                                  .upper = joint->has_ball ? 0 : link->upper[k],
                                  .effector = index,
                                  .signal_full = 1,
                                  .rod = -1};
        recording->replay->effectors[index].drive = index;
    }
}

/* The joint that a body hangs on: all in the frame of its parent. */
static void hang(struct recording *recording, int body)
{
    const struct body_link *link = &recording->scene.links[body];
    const struct joint_kind *joint = &joint_kinds[link->kind];
    int count = joint_rates(joint);
    if (link->parent < 0 || count == 0)
        return;
    int part = recording->first_part[body];
    const struct body_box *box = &recording->boxes[part];
    const struct body_box *parent = &recording->boxes[recording->first_part[link->parent]];
    struct mat3 turn = quaternion_matrix(link->frame);
    const struct vec3 axes[] = {turn.x, turn.y, turn.z};
    struct vec3 ways[JOINT_RATES_MAX];
    for (int k = 0; k < count; k++)
        ways[k] = axes[k < joint->slides                  ? k
                       : k < joint->slides + joint->turns ? joint->axes[k - joint->slides]
                                                          : k - joint->slides - joint->turns];
    replay_hang(recording->replay, part, recording->first_drive[body], count, ways, link->joint,
                (struct replay_place){parent->centre, parent->turn},
                (struct replay_place){vec3_add(link->joint, mat3_apply(&turn, box->centre)),
                                      quaternion_product(link->frame, box->turn)});
}

static int make_tables(struct recording *recording)
{
    struct replay *replay = recording->replay;
    const struct scene *scene = &recording->scene;
    list_shapes(recording);
    for (int i = 0; i < scene->body_count; i++) {
        recording->first_drive[i] = recording->drive_count;
        if (scene->links[i].kind != LINK_FREE)
            recording->drive_count += joint_rates(&joint_kinds[scene->links[i].kind]);
    }
    replay->part_count = replay->shape_count = recording->part_count;
    replay->drive_count = replay->effector_count = recording->drive_count;
    replay->own_solid_count = scene->world.solid_count;
    int status = replay_make_tables(replay);
    if (status)
        return status;
    for (int i = 0; i < replay->part_count; i++)
        fill_part(recording, i);
    for (int i = 0; i < scene->body_count; i++)
        fill_drives(recording, i);
    for (int i = 0; i < scene->body_count; i++)
        hang(recording, i);
    for (int i = 0; i < replay->own_solid_count; i++) {
        const struct solid *solid = &scene->world.solids[i];
        struct mat3 turn = {solid->axes[0], solid->axes[1], solid->axes[2]};
        replay->solids[i] = (struct replay_solid){
            solid->centre, {solid->half[0], solid->half[1], solid->half[2]}, quaternion_of(&turn)};
    }
    return 0;
}

static void fill_world(struct recording *recording)
{
    struct replay *replay = recording->replay;
    const struct world *world = &recording->scene.world;
    double drag = world->drag_law == DRAG_LAW_QUADRATIC ? world->quadratic_drag_kg_m3
                                                        : world->viscosity_pa_s_m;
    replay->has_depth = 1;
    replay->status = REPLAY_UNRECORDED;
    replay->verdict = VERDICT_OK;
    replay->has_ground = world->has_ground;
    replay->relief = world->relief;
    replay->gravity_m_s2 = vec3_length(world_gravity(world));
    replay->medium = replay_choose_medium(drag, replay->gravity_m_s2, replay->has_ground);
    replay->measures.mass_kg = recording->scene.phenotype.mass_kg;
    replay->measures.time_s = recording->scene.until_s;
    snprintf(replay->score, sizeof replay->score, "scene of %d %s, %.4g s",
             recording->scene.body_count, recording->scene.body_count == 1 ? "body" : "bodies",
             recording->scene.until_s);
}

/* ---- motion ---- */

static void record(struct recording *recording, struct replay_row *row)
{
    struct replay *replay = recording->replay;
    const struct scene *scene = &recording->scene;
    const struct contact_point *points;
    replay_put_vector(row->centre, dynamics_centre_of_mass(recording->dynamics));
    for (int i = 0; i < replay->part_count; i++) {
        const struct body_box *box = &recording->boxes[i];
        struct quaternion turn = dynamics_link_turn(recording->dynamics, box->link);
        struct mat3 axes = quaternion_matrix(turn);
        struct vec3 arm = vec3_sub(box->centre, scene->links[box->link].centre);
        struct part_state s;
        dynamics_link_state(recording->dynamics, box->link, &s);
        row->poses[i] = replay_pose_of(vec3_add(s.at_m, mat3_apply(&axes, arm)),
                                       quaternion_product(turn, box->turn));
    }
    for (int i = 0, rate = 0; i < scene->body_count; i++) {
        int end = rate + joint_rates(&joint_kinds[scene->links[i].kind]);
        for (int index = recording->first_drive[i]; rate < end; rate++, index++) {
            struct drive_state drive;
            if (scene->links[i].kind == LINK_FREE)
                continue;
            dynamics_drive_state(recording->dynamics, rate, &drive);
            row->values[index] = (float)drive.value;
            row->torques[index] = (float)drive.effort;
            replay->drives[index].strength =
                fmax(replay->drives[index].strength, fabs(drive.effort));
        }
    }
    replay_put_ledger(row, dynamics_ledger(recording->dynamics));
    int count = dynamics_contacts(recording->dynamics, &points);
    replay_put_contacts(row, points, count, 1);
}

static int move(struct recording *recording, struct error *error)
{
    const struct scene *scene = &recording->scene;
    struct replay *replay = recording->replay;
    double dt = scene->settings.dt_s;
    /* no more rows than there is memory for */
    double rows_max = (double)REPLAY_BYTES_MAX / (double)replay_row_bytes(replay);
    uint64_t steps = (uint64_t)(scene->until_s / dt + 0.5);
    uint64_t stride = (uint64_t)fmax(1.0 / ROWS_HZ / dt + 0.5, (double)steps / rows_max + 1);
    stride = stride > 0 ? stride : 1;
    replay->frame_s = (double)stride * dt;
    for (uint64_t step = 0; step <= steps; step++) {
        struct replay_row row;
        int result = step > 0 ? dynamics_step(recording->dynamics) : 0;
        if (result)
            return scene_fail_step(scene, recording->dynamics, result, &recording->arena,
                                   (double)step * dt, error);
        if (step % stride)
            continue;
        if (replay_append(replay, &row))
            return error_memory(error);
        record(recording, &row);
    }
    return 0;
}

static int make(struct recording *recording, const char *path, struct error *error)
{
    if (scene_read_file(&recording->scene, path, error) != 0)
        return error->code;
    if (scene_start(&recording->scene, &recording->arena, &recording->dynamics, error) != 0)
        return error_prefix(error, "%s", path);
    int status = make_tables(recording);
    if (status == ERR_LIMIT)
        return error_set(error, ERR_LIMIT, "%s: more than %d boxes cannot be shown", path,
                         REPLAY_PARTS_MAX);
    if (status)
        return error_set(error, status, "%s: %s", path, error_text(status));
    fill_world(recording);
    if (move(recording, error))
        return error_prefix(error, "%s", path);
    replay_finish(recording->replay);
    return 0;
}

int replay_create_scene(struct replay **result, const char *path, struct error *error)
{
    const char *slash = strrchr(path, '/');
    struct recording *recording = calloc(1, sizeof *recording);
    struct replay *replay = calloc(1, sizeof *replay);
    *result = NULL;
    if (!recording || !replay || arena_init(&recording->arena, SCENE_ARENA_BYTES)) {
        free(replay);
        free(recording);
        return error_set(error, ERR_MEMORY, "%s: %s", path, error_text(ERR_MEMORY));
    }
    recording->replay = replay;
    replay_clean_text(slash ? slash + 1 : path, replay->name, sizeof replay->name);
    char *suffix = strrchr(replay->name, '.');
    if (suffix && suffix > replay->name)
        *suffix = 0;
    int status = make(recording, path, error);
    arena_deinit(&recording->arena);
    free(recording);
    if (status)
        replay_destroy(replay);
    else
        *result = replay;
    return status;
}
