/* Bouts of a contest as replays: the bodies of both creatures, and of what they contend for, in one
 * scene. Each has a colour of its own; brains are not shown. */
#include "viewer/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/genome/body_kind.h"
#include "common/judge/measures.h"
#include "simulator/evaluate/contest.h"

/* The palette has its hues in several shades. */
enum { HUES = 7, SHADES = 3 };
/* The hues of the first and the second of the pair, and of the object. */
static const int hues[CONTEST_BODIES] = {5, 2, 1};
static const char *const hue_names[CONTEST_BODIES] = {"blue", "red", "yellow"};

struct recording {
    struct replay *replay;
    const struct replay_bout *bout;
    int first, body_count;
    int first_part[CONTEST_BODIES], first_drive[CONTEST_BODIES];
    struct evaluate_view views[CONTEST_BODIES]; /* of the tick */
    double lost_j[2]; /* to blows, of each of the pair, at the row before */
    int tick, stride, status;
};

/* A body's number in the contest as that of the pair. */
static int pair_index(const struct recording *recording, int body)
{
    return body < 2 ? body ^ recording->first : body;
}

/* ---- what does not change ---- */

static void fill_parts(struct recording *recording, int body)
{
    const struct phenotype *phenotype = recording->views[body].phenotype;
    struct replay *replay = recording->replay;
    int owner = pair_index(recording, body);
    for (int i = 0; i < phenotype->part_count; i++) {
        int index = recording->first_part[body] + i, parent = phenotype->parts[i].parent;
        int stretch = phenotype_find_drive(phenotype, i, 1);
        replay->parts[index] =
            (struct replay_part){.parent = parent < 0 ? -1 : recording->first_part[body] + parent,
                                 .mirror = phenotype->parts[i].mirror,
                                 .body = owner,
                                 .joint = -1,
                                 .color = hues[owner] + HUES * (i % SHADES),
                                 .is_head = body < 2 && i == phenotype->head};
        replay->shapes[index] = phenotype->shapes[i];
        replay->shapes[index].part = index;
        replay->shapes[index].drive = stretch < 0 ? -1 : recording->first_drive[body] + stretch;
        replay->shapes[index].other = -1;
        replay->has_depth |= !body_kinds[phenotype->kind].is_flat;
    }
    replay_put_joints(replay, phenotype, recording->first_part[body], recording->first_drive[body]);
}

static int make_tables(struct recording *recording)
{
    struct replay *replay = recording->replay;
    int count = 0, drive_count = 0;
    for (int i = 0; i < recording->body_count; i++) {
        recording->first_part[i] = count;
        recording->first_drive[i] = drive_count;
        count += recording->views[i].phenotype->part_count;
        drive_count += recording->views[i].phenotype->drive_count;
    }
    replay->part_count = replay->shape_count = count;
    replay->drive_count = drive_count;
    int status = replay_make_tables(replay);
    if (status)
        return status;
    for (int i = 0; i < recording->body_count; i++)
        fill_parts(recording, i);
    for (int i = 0; i < 2; i++)
        if (pair_index(recording, i) == recording->bout->follow) {
            replay->framed_first = recording->first_part[i];
            replay->framed_count = recording->views[i].phenotype->part_count;
        }
    replay->voice_count = 2;
    for (int i = 0; i < replay->voice_count; i++)
        replay->voice_hz[pair_index(recording, i)] =
            replay_voice_hz(recording->views[i].phenotype->mass_kg);
    return 0;
}

/* ---- rows ---- */

static void record(struct recording *recording)
{
    struct contact_point points[REPLAY_CONTACTS_MAX];
    struct replay_row row;
    int point_count = 0;
    recording->status = replay_append(recording->replay, &row);
    if (recording->status)
        return;
    /* the middle of both, or the centre of the one that the camera follows */
    int follow = recording->bout->follow;
    struct vec3 a = dynamics_centre_of_mass(recording->views[0].dynamics);
    struct vec3 b = dynamics_centre_of_mass(recording->views[1].dynamics);
    replay_put_vector(row.centre, follow < 0 ? vec3_scale(vec3_add(a, b), 0.5)
                                  : pair_index(recording, 0) == follow ? a
                                                                       : b);
    for (int i = 0; i < recording->body_count; i++) {
        const struct evaluate_view *view = &recording->views[i];
        const struct contact_point *own;
        int count = dynamics_contacts(view->dynamics, &own);
        replay_put_body(recording->replay, &row, view->dynamics, view->phenotype,
                        recording->first_part[i], recording->first_drive[i]);
        for (int k = 0; k < count && point_count < REPLAY_CONTACTS_MAX; k++)
            points[point_count++] = own[k];
    }
    for (int i = 0; i < recording->replay->voice_count; i++) {
        int owner = pair_index(recording, i);
        replay_put_sound(&row.sounds[owner], &recording->views[i], &recording->bout->params,
                         &recording->lost_j[owner]);
    }
    replay_put_contacts(&row, points, point_count, 1);
}

/* Bodies are seen one after the other; with the last a row is whole. */
static int observe(void *context, const struct evaluate_view *view)
{
    struct recording *recording = context;
    struct replay *replay = recording->replay;
    if (view->phase != PHASE_SCORE || recording->status)
        return recording->status != 0;
    recording->views[view->creature] = *view;
    if (view->creature != recording->body_count - 1)
        return 0;
    if (!replay->parts)
        recording->status = make_tables(recording);
    if (recording->status || recording->tick++ % recording->stride)
        return recording->status != 0;
    if (replay_thin_full(replay))
        recording->stride *= 2;
    record(recording);
    return recording->status != 0;
}

/* ---- the whole ---- */

static void describe(const struct recording *recording, const struct contest_result *result)
{
    const struct replay_bout *bout = recording->bout;
    const char *goal = contest_goal_names[bout->params.contest_goal];
    struct replay *replay = recording->replay;
    char text[sizeof replay->name];
    double margin = result->sides[0].margin;
    const char *a = bout->creatures[0].name, *b = bout->creatures[1].name;
    snprintf(text, sizeof text, "%.17s (%s) against %.17s (%s)", a[0] ? a : "unnamed", hue_names[0],
             b[0] ? b : "unnamed", hue_names[1]);
    replay_clean_text(text, replay->name, sizeof replay->name);
    if (margin == 0)
        snprintf(replay->score, sizeof replay->score, "%s: a draw", goal);
    else
        snprintf(replay->score, sizeof replay->score, "%s: %s wins by %.3g", goal,
                 hue_names[margin < 0], fabs(margin));
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s: ", hue_names[i]);
        replay_put_off(replay, &bout->creatures[i].genome, &bout->params, text);
    }
    replay->verdict = verdict_is_scored(result->sides[0].verdict) ? result->sides[1].verdict
                                                                  : result->sides[0].verdict;
    replay->digest = result->digest;
    if (bout->is_recorded)
        replay->status = result->digest == bout->digest ? REPLAY_VERIFIED : REPLAY_DIFFERS;
    replay->measures.time_s = result->time_s;
}

static int say_failure(const struct recording *recording, const struct contest_result *result,
                       struct error *error)
{
    if (recording->status == ERR_LIMIT)
        return error_set(error, ERR_LIMIT, "more than %d parts or %d drives cannot be shown",
                         REPLAY_PARTS_MAX, REPLAY_DRIVES_MAX);
    if (recording->status)
        return error_set(error, recording->status, "%s", error_text(recording->status));
    if (recording->replay->frame_count == 0)
        return error_set(
            error, ERR_MISSING, "the contest does not begin: %s",
            verdict_reason(result->sides[result->sides[0].verdict == VERDICT_OK].verdict));
    return 0;
}

/* Simulates and records. */
static int make(struct recording *recording, struct error *error)
{
    const struct replay_bout *bout = recording->bout;
    const struct params *params = &bout->params;
    const struct genome *genomes[2] = {&bout->creatures[0].genome, &bout->creatures[1].genome};
    const struct contest_bout meeting =
        contest_make_bout(genomes[0]->kind, params, bout->seed, bout->number);
    struct contest_result result;
    struct evaluation evaluations[2];
    const struct evaluate_order order = {
        .genomes = genomes, .count = 2, .params = params, .bout = &meeting, .contest = &result};
    struct arena arena;
    recording->first = contest_first(genomes, &meeting);
    recording->body_count = contest_has_object(params->contest_goal) ? CONTEST_BODIES : 2;
    struct replay *replay = recording->replay = calloc(1, sizeof *replay);
    if (!replay || arena_init(&arena, CONTEST_ARENA_BYTES))
        return error_memory(error);
    replay_describe_world(replay, params);
    replay->status = REPLAY_UNRECORDED;
    replay->keeps_place = 1;
    /* on a platform a fallen creature is out, far within a ring that would hang in the air */
    replay->ring_m =
        params->contest_goal == CONTEST_SUMO && params->world_ground ? params->contest_ring_m : 0;
    replay->frame_s = 1.0 / params->simulation_brain_hz;
    int status = obstacles_parse(&replay->obstacles, params->world_obstacles, error);
    if (!status)
        evaluate_list(&order, &(struct evaluate_onlooker){NULL, observe, recording}, &arena,
                      evaluations);
    arena_deinit(&arena);
    if (!status)
        status = say_failure(recording, &result, error);
    if (status)
        return status;
    describe(recording, &result);
    replay_finish(replay);
    return 0;
}

int replay_create_bout(struct replay **result, const struct replay_bout *bout, struct error *error)
{
    ENSURE(bout->follow >= -1 && bout->follow <= 1, "the camera follows %d", bout->follow);
    int status =
        contest_check(&bout->creatures[0].genome, &bout->creatures[1].genome, &bout->params, error);
    struct recording recording = {.bout = bout, .lost_j = {-1, -1}, .stride = 1};
    *result = NULL;
    if (!status)
        status = make(&recording, error);
    if (status)
        replay_destroy(recording.replay);
    else
        *result = recording.replay;
    return status;
}

void replay_bout_deinit(struct replay_bout *bout)
{
    creature_deinit(&bout->creatures[0]);
    creature_deinit(&bout->creatures[1]);
}
