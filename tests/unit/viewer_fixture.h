/* Replays made by hand, for the viewer's tests: a worm of `parts` segments that crawls, swims or
 * hops without any physics. */
#ifndef TESTS_UNIT_VIEWER_FIXTURE_H
#define TESTS_UNIT_VIEWER_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/pose_fixture.h"
#include "viewer/replay/replay.h"

OWNER(replay, replay_destroy)

struct fixture {
    const char *name;
    int parts;
    double speed_m_s; /* to the right */
    double hop_m;     /* height of hops */
    double viscosity; /* > 0: water, no ground */
    double duration_s;
};

static inline void fixture_fill_row(const struct fixture *fixture, const struct replay *replay,
                                    struct replay_row *row, double t)
{
    double x = fixture->speed_m_s * t, y = 0.06 + fixture->hop_m * fabs(sin(2 * t));
    for (int i = 0; i < replay->part_count; i++) {
        double angle = 0.5 * sin(5 * t - i);
        row->poses[i] =
            replay_pose_flat(x + 0.14 * cos(angle), y + 0.14 * sin(angle) + 0.06, angle);
        x += 0.28 * cos(angle);
        y += 0.28 * sin(angle);
        row->centre[0] += row->poses[i].x_m / (float)replay->part_count;
        row->centre[1] += row->poses[i].y_m / (float)replay->part_count;
        row->values[i] = (float)(i ? angle - 0.5 * sin(5 * t - i + 1) : angle);
        row->neurons[i] = (float)sin(5 * t - i);
        row->sensors[i * SENSOR_COUNT + SENSOR_JOINT] = row->values[i];
        row->sensors[i * SENSOR_COUNT + SENSOR_CONTACT_BOTTOM] = i % 2 ? 1 : -1;
        if (i)
            row->signals[i - 1] = row->torques[i - 1] = (float)sin(5 * t - i);
    }
    for (int i = 0; i < ENERGY_COUNT; i++)
        row->energies[i] = (float)(i * t * 0.1);
    *row->fitness = (float)(0.3 * t);
    row->contacts[0] = (struct replay_contact){row->poses[0].x_m, 0, 0, 0, 1, 0, 0.02F};
    *row->contact_count = fixture->viscosity > 0 ? 0 : 1;
}

static inline struct replay *fixture_replay_with(const struct fixture *fixture, int voice_count)
{
    struct replay *replay = calloc(1, sizeof *replay);
    size_t n = (size_t)fixture->parts;
    snprintf(replay->name, sizeof replay->name, "%s", fixture->name);
    snprintf(replay->score, sizeof replay->score, "fitness 1.23");
    replay->status = REPLAY_VERIFIED;
    replay->has_ground = !(fixture->viscosity > 0);
    replay->medium = fixture->viscosity > 0 ? REPLAY_WATER : REPLAY_SKY;
    replay->gravity_m_s2 = 9.81;
    replay->measures.mass_kg = 0.2;
    replay->measures.displacement_m = fixture->speed_m_s * fixture->duration_s;
    replay->parts = calloc(n, sizeof *replay->parts);
    replay->shapes = calloc(2 * n, sizeof *replay->shapes); /* with room for rails */
    replay->drives = calloc(n, sizeof *replay->drives);
    replay->neurons = calloc(n, sizeof *replay->neurons);
    replay->effectors = calloc(n, sizeof *replay->effectors);
    replay->part_count = replay->shape_count = replay->drive_count = replay->neuron_count =
        fixture->parts;
    replay->effector_count = fixture->parts - 1;
    for (int i = 0; i < fixture->parts; i++) {
        replay->parts[i] = (struct replay_part){.parent = i - 1,
                                                .body = i,
                                                .color = i,
                                                .mirror = i % 2 ? -1 : 1,
                                                .joint = i > 0 ? i : -1,
                                                .anchor = {-0.14, 0, 0},
                                                .base = {0.14, 0, 0},
                                                .sensors = SENSOR_BIT(SENSOR_JOINT) |
                                                           SENSOR_BIT(SENSOR_CONTACT_BOTTOM)};
        replay->shapes[i] = (struct shape){.kind = SHAPE_BOX,
                                           .part = i,
                                           .other = -1,
                                           .drive = -1,
                                           .turn.w = 1,
                                           .half_m = {0.15, (0.12 - 0.01 * i) / 2, 0}};
        replay->drives[i] = (struct replay_drive){.part = i,
                                                  .lower = -0.8,
                                                  .upper = 0.9,
                                                  .effector = i - 1,
                                                  .signal_full = 1.2,
                                                  .strength = 1,
                                                  .rod = -1,
                                                  .way = {0, 0, i > 0},
                                                  .hand = {i > 0, 0, 0}};
        replay->neurons[i].part = i;
        replay->neurons[i].inputs[0] =
            (struct wire){WIRE_NEURON, (i + 1) % fixture->parts, 0, 0, 1};
        if (i)
            replay->effectors[i - 1] = (struct effector){i, {WIRE_NEURON, i, 0, 0, 1}};
    }
    replay->voice_count = voice_count;
    for (int i = 0; i < voice_count; i++)
        replay->voice_hz[i] = 440.0 / (i + 1);
    replay->frame_s = 1.0 / 60;
    int frames = (int)(fixture->duration_s * 60 + 0.5) + 1;
    for (int f = 0; f < frames; f++) {
        struct replay_row row;
        if (replay_append(replay, &row))
            abort();
        fixture_fill_row(fixture, replay, &row, f * replay->frame_s);
    }
    replay_finish(replay);
    return replay;
}

static inline struct replay *fixture_replay(const struct fixture *fixture)
{
    return fixture_replay_with(fixture, 0);
}

#endif
