/* Words of older versions in parameter files, creature files and run stores: keys that stand
 * elsewhere now, and keys that are constants now or whose place another one takes.
 *
 * A key that moved may be used as ever. A constant's key may be used as long as it says the
 * constant. If it says something else, a file or a command line is refused. A record is read, with
 * a remark where the creature may move differently now. */
#include "common/params/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

static const struct {
    const char *key, *now;
} moved[] = {
    {"creature.density_kg_m2", "rectangles.density_kg_m2"},
    {"creature.strength_n", "rectangles.strength_n"},
    {"creature.linear_strength_n_m", "rectangles.linear_strength_n_m"},
    {"creature.neighbours", "boxes.neighbours"},
    {"creature.mass_ratio_max", "boxes.mass_ratio_max"},
    {"creature.overlap_max_m", "boxes.overlap_max_m"},
    {"creature.area_strength_n_m", "boxes.strength_n_m"},
    {"creature.area_linear_strength_n_m2", "boxes.linear_strength_n_m2"},
    {"creature.radius_min_m", "spheres.radius_min_m"},
    {"creature.radius_max_m", "spheres.radius_max_m"},
    {"creature.bone_min_m", "spheres.bone_min_m"},
    {"creature.bone_max_m", "spheres.bone_max_m"},
    {"creature.bones_max", "spheres.bones_max"},
    {"creature.muscle_strength_n_m", "spheres.muscle_strength_n_m"},
    {"creature.muscle_speed_m_s", "spheres.muscle_speed_m_s"},
    {"creature.drive_strength_n", "spheres.drive_strength_n"},
    {"creature.drive_speed_rad_s", "spheres.drive_speed_rad_s"},
    {"creature.rolling_resistance", "spheres.rolling_resistance"},
    {"creature.spin_resistance", "spheres.spin_resistance"},
    {"initial.radius_min_m", "spheres.initial_radius_min_m"},
    {"initial.radius_max_m", "spheres.initial_radius_max_m"},
    {"initial.bone_min_m", "spheres.initial_bone_min_m"},
    {"initial.bone_max_m", "spheres.initial_bone_max_m"},
    {"initial.muscles", "spheres.initial_muscles"},
    {"initial.braces", "spheres.initial_braces"},
    {"initial.held", "spheres.initial_held"},
    {"simulation.substeps", "spheres.substeps"},
    {"world.dimensions", "spheres.dimensions"},
    {"sensor.bone", "spheres.sensor_bone"},
    {"guard.strain", "spheres.guard_strain"},
    {"mutation.sphere_surface", "spheres.mutation_surface"},
    {"mutation.sphere_axis", "spheres.mutation_axis"},
    {"mutation.sphere_drive", "spheres.mutation_drive"},
    {"mutation.bone_length", "spheres.mutation_bone_length"},
    {"mutation.bone_muscle", "spheres.mutation_bone_muscle"},
    {"mutation.bone_brace", "spheres.mutation_bone_brace"},
    {"mutation.add_brace", "spheres.mutation_add_brace"},
    {"preserve.head_w", "preserve.mouth_w"},
};

#define CONSTANT_ROW_REAL(s, n, value, scope, help)                                                \
    {#s "." #n, value, offsetof(struct params, s##_##n), 0, scope},
#define CONSTANT_ROW_INT(s, n, value, scope, help)                                                 \
    {#s "." #n, value, offsetof(struct params, s##_##n), 1, scope},
const struct param_constant param_constants[] = {CONSTANTS(CONSTANT_ROW_REAL, CONSTANT_ROW_INT)};
const int param_constant_count = (int)(sizeof param_constants / sizeof param_constants[0]);

/* Keys whose constants stand beside what they are for, and those whose place another one takes. */
static const struct fixed {
    const char *key;
    double value;
    const char *now; /* the key that takes its place; NULL: the value is a constant */
    int is_breeding; /* it changes no evaluation */
} fixed[] = {
    {"settle.rest_s", SETTLE_REST_S, NULL, 0},
    {"settle.rest_height_m", 0.001, NULL, 0},
    {"settle.push_apart_s", 0.5, NULL, 0},
    {"simulation.contact_sweeps", 100, NULL, 0},
    {"guard.cost_of_transport", 0.01, NULL, 0},
    {"creature.bone_hz", 75, NULL, 0},
    {"creature.body_damping_1_s", 1, NULL, 0},
    {"guard.perturbed_pose_rad", 0.001, "exam.turn_rad", 1},
    {"guard.perturbed_friction", 0.1, "exam.friction_share", 1},
    {"boxes.taper", 0, "initial.taper", 0},
    {"fitness.idle_weight", 0, NULL, 1},
};
enum { FIXED_COUNT = sizeof fixed / sizeof fixed[0], NOW_SIZE = 80 };

const char *params_key_now(const char *key)
{
    for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++)
        if (strcmp(moved[i].key, key) == 0)
            return moved[i].now;
    return key;
}

/* The row of a key that cannot be set any more; 0: there is none. */
static int find_fixed(const char *key, struct fixed *row)
{
    for (int i = 0; i < FIXED_COUNT; i++)
        if (strcmp(fixed[i].key, key) == 0) {
            *row = fixed[i];
            return 1;
        }
    key = params_key_now(key);
    for (int i = 0; i < param_constant_count; i++)
        if (strcmp(param_constants[i].key, key) == 0) {
            *row = (struct fixed){key, param_constants[i].value, NULL,
                                  param_constants[i].scope != 'E'};
            return 1;
        }
    return 0;
}

int params_is_fixed(const char *key)
{
    struct fixed row;
    return find_fixed(key, &row);
}

int params_known_count(void)
{
    return param_count + param_constant_count + FIXED_COUNT;
}

/* "it is always 100", "exam.turn_rad takes its place". */
static void describe_now(const struct fixed *row, char text[NOW_SIZE])
{
    char number[TEXT_NUMBER_SIZE];
    if (row->now)
        snprintf(text, NOW_SIZE, "%s takes its place", row->now);
    else
        snprintf(text, NOW_SIZE, "it is always %s", text_print_double(row->value, number));
}

int params_check_fixed(const char *key, const char *value, struct error *error)
{
    struct fixed row;
    char *end, now[NOW_SIZE];
    ENSURE(find_fixed(key, &row), "%s can be set", key);
    if (*value != '\0' && strtod(value, &end) == row.value && *end == '\0')
        return 0;
    describe_now(&row, now);
    return error_set(error, ERR_RANGE, "%s: %.80s cannot be set any more: %s", key, value, now);
}

/* Another remark follows the first one after "; ", as far as there is room. */
static void add_remark(struct params_remark *remark, const char *key, const char *value,
                       const char *now)
{
    text_append(remark->text, sizeof remark->text, "%s%s = %.80s is gone: %s",
                *remark->text ? "; " : "", key, value, now);
}

int params_set_recorded(struct params *params, const char *key, const char *value,
                        struct params_remark *remark, struct error *error)
{
    char now[NOW_SIZE], words[NOW_SIZE + 32];
    struct fixed row;
    struct error unlike;
    if (!find_fixed(key, &row))
        return params_set(params, key, value, error);
    describe_now(&row, now);
    snprintf(words, sizeof words, "%s, so results may differ", now);
    if (!row.is_breeding && params_check_fixed(key, value, &unlike))
        add_remark(remark, key, value, words);
    return 0;
}
