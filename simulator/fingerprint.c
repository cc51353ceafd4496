/* Three creatures, one of each kind of body, walk on stairs for some seconds: joints, contacts with
 * friction, muscles, oscillators and sensors take part, and at once the many contacts of boxes'
 * faces, which are solved four at a time. */
#include "simulator/fingerprint.h"

#include <stdio.h>
#include <string.h>

#include "common/creature/creature.h"
#include "common/math/hash.h"
#include "simulator/evaluate/evaluate.h"

#define FINGERPRINT_DURATION_S 3

/* Steps of 2 cm, where the boxes come to. */
#define FINGERPRINT_OBSTACLES "-0.4 -0.48 0.3 1 0 * 6 -0.3 0.02"

static const char *const creatures[] = {
    "{\"format\": \"bestiary-creature\", \"version\": 1, \"root\": 1,"
    " \"bodies\": ["
    "{\"id\": 1, \"width_m\": 0.32, \"height_m\": 0.1},"
    "{\"id\": 2, \"width_m\": 0.32, \"height_m\": 0.1, \"joint\": \"rotary\","
    " \"limits_rad\": [-1.2, 1.2], \"effector\": {\"input\": {\"neuron\": 1}}},"
    "{\"id\": 3, \"width_m\": 0.27, \"height_m\": 0.1, \"joint\": \"rotary\","
    " \"limits_rad\": [-1.2, 1.2], \"effector\": {\"input\": {\"neuron\": 2}}}],"
    " \"connections\": ["
    "{\"id\": 1, \"from\": 1, \"to\": 2, \"parent_face\": \"right\", \"child_face\": \"left\"},"
    "{\"id\": 2, \"from\": 2, \"to\": 3, \"parent_face\": \"right\", \"child_face\": \"left\"}],"
    " \"neurons\": ["
    "{\"id\": 1, \"in\": 2, \"function\": \"oscillate-wave\", \"initial\": 0.5, \"inputs\": [2, "
    "1]},"
    "{\"id\": 2, \"in\": 3, \"function\": \"oscillate-wave\", \"initial\": 0.25, \"inputs\": [2, "
    "1]}"
    "]}",
    "{\"format\": \"bestiary-creature\", \"version\": 3, \"body\": \"spheres\", \"root\": 1,"
    " \"bodies\": ["
    "{\"id\": 1, \"radius_m\": 0.14, \"head\": true},"
    "{\"id\": 2, \"radius_m\": 0.08, \"sensors\": [\"bone\"],"
    " \"effector\": {\"input\": {\"neuron\": 1}}},"
    "{\"id\": 3, \"radius_m\": 0.08, \"effector\": {\"input\": {\"neuron\": 2}}},"
    "{\"id\": 4, \"radius_m\": 0.08}],"
    " \"connections\": ["
    "{\"id\": 1, \"from\": 1, \"to\": 2, \"length_m\": 0.5, \"angle_rad\": -0.988, \"muscle\": {}},"
    "{\"id\": 2, \"from\": 1, \"to\": 3, \"length_m\": 0.5, \"angle_rad\": -1.889,"
    " \"tilt_rad\": 0.4965, \"muscle\": {}},"
    "{\"id\": 3, \"from\": 1, \"to\": 4, \"length_m\": 0.5, \"angle_rad\": -1.889,"
    " \"tilt_rad\": -0.4965},"
    "{\"id\": 4, \"from\": 2, \"to\": 3, \"brace\": \"nearest\"},"
    "{\"id\": 5, \"from\": 3, \"to\": 4, \"brace\": \"nearest\"},"
    "{\"id\": 6, \"from\": 4, \"to\": 2, \"brace\": \"nearest\"}],"
    " \"neurons\": ["
    "{\"id\": 1, \"in\": 2, \"function\": \"oscillate-wave\", \"inputs\": [1.5, 0.25]},"
    "{\"id\": 2, \"in\": 3, \"function\": \"oscillate-wave\", \"initial\": 0.3, \"inputs\": [1.5, "
    "0.25]}"
    "]}",
    "{\"format\": \"bestiary-creature\", \"version\": 4, \"body\": \"boxes\", \"root\": 1,"
    " \"bodies\": ["
    "{\"id\": 1, \"width_m\": 0.6, \"height_m\": 0.06, \"depth_m\": 0.35},"
    "{\"id\": 2, \"width_m\": 0.16, \"height_m\": 0.22, \"depth_m\": 0.12, \"joint\": "
    "\"revolute\", \"limits_rad\": [-0.8, 0.8], \"sensors\": [\"contact-bottom\"],"
    " \"effector\": {\"input\": {\"neuron\": 1, \"of\": \"central\"}}},"
    "{\"id\": 3, \"width_m\": 0.16, \"height_m\": 0.22, \"depth_m\": 0.12, \"joint\": "
    "\"revolute\", \"limits_rad\": [-0.8, 0.8],"
    " \"effector\": {\"input\": {\"neuron\": 2, \"of\": \"central\"}}}],"
    " \"connections\": ["
    "{\"id\": 1, \"from\": 1, \"to\": 2, \"parent_face\": \"bottom\", \"parent_position\": 0.8,"
    " \"parent_position_2\": -0.9, \"child_face\": \"top\"},"
    "{\"id\": 2, \"from\": 1, \"to\": 3, \"parent_face\": \"bottom\", \"parent_position\": 0.8,"
    " \"parent_position_2\": 0.9, \"child_face\": \"top\"},"
    "{\"id\": 3, \"from\": 1, \"to\": 3, \"parent_face\": \"bottom\", \"parent_position\": -0.8,"
    " \"parent_position_2\": -0.9, \"child_face\": \"top\"},"
    "{\"id\": 4, \"from\": 1, \"to\": 2, \"parent_face\": \"bottom\", \"parent_position\": -0.8,"
    " \"parent_position_2\": 0.9, \"child_face\": \"top\"}],"
    " \"neurons\": ["
    "{\"id\": 1, \"in\": \"central\", \"function\": \"oscillate-wave\", \"inputs\": [1.8, 1]},"
    "{\"id\": 2, \"in\": \"central\", \"function\": \"oscillate-wave\", \"initial\": 0.25,"
    " \"inputs\": [1.8, 1]}"
    "]}",
};

uint64_t fingerprint_compute(struct arena *arena)
{
    uint64_t hash = HASH_START;
    struct params params;
    params_set_defaults(&params);
    params.simulation_duration_s = FINGERPRINT_DURATION_S;
    snprintf(params.world_obstacles, sizeof params.world_obstacles, "%s", FINGERPRINT_OBSTACLES);
    for (size_t i = 0; i < sizeof creatures / sizeof creatures[0]; i++) {
        struct creature creature;
        struct error error = {0};
        struct evaluation evaluation;
        int status = creature_decode(&creature, creatures[i], strlen(creatures[i]),
                                     "built-in creature", &error);
        ENSURE(status == 0, "%s", error.message);
        evaluate(&creature.genome, &params, 1, arena, NULL, NULL, &evaluation);
        hash = hash_u64(hash, (uint64_t)evaluation.verdict);
        hash = hash_u64(hash, evaluation.digest);
        creature_deinit(&creature);
    }
    return hash;
}
