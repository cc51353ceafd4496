/* The rows of a run's printed configuration: not those of other kinds of body, of methods and
 * things that this run does without, nor those that are hardly ever set. Each is shown where it has
 * another value than by default or by the world's preset, so that the printed text says all. */
#include <string.h>

#include "common/params/params.h"

static int uses_spheres(const struct params *params)
{
    return params->creature_body == BODY_SPHERES;
}

static int uses_boxes(const struct params *params)
{
    return params->creature_body == BODY_BOXES;
}

static int uses_rectangles(const struct params *params)
{
    return params->creature_body == BODY_RECTANGLES;
}

static int uses_volume(const struct params *params)
{
    return uses_boxes(params) || uses_spheres(params);
}

static int uses_lengths(const struct params *params)
{
    return !uses_boxes(params);
}

static int uses_faces(const struct params *params)
{
    return !uses_spheres(params);
}

static int uses_archive(const struct params *params)
{
    return params->evolution_search == SEARCH_ARCHIVE;
}

static int is_interactive(const struct params *params)
{
    return params->interactive_share > 0 || params->evolution_behaviour == BEHAVIOUR_INTERACTIVE;
}

static int has_islands(const struct params *params)
{
    return params->evolution_islands > 1;
}

static int has_light(const struct params *params)
{
    return params->light_kind != LIGHT_NONE;
}

static int has_still_light(const struct params *params)
{
    return params->light_kind == LIGHT_STILL;
}

static int has_moving_light(const struct params *params)
{
    return params->light_kind == LIGHT_MOVING;
}

static int has_contests(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_CONTEST;
}

/* Contests have starts of their own, level ground, no light and no referee. */
static int is_judged_alone(const struct params *params)
{
    return !has_contests(params);
}

static int has_ring(const struct params *params)
{
    return params->contest_goal == CONTEST_SUMO;
}

/* Where creatures meet. */
static int has_others(const struct params *params)
{
    return has_contests(params) || params->evolution_behaviour == BEHAVIOUR_PRESERVE;
}

static int has_stretch(const struct params *params)
{
    return params->creature_stretch_max > 0;
}

static int has_scent(const struct params *params)
{
    return params->sensor_scent;
}

static int has_sound(const struct params *params)
{
    return params->sensor_sound;
}

static int has_relief(const struct params *params)
{
    return params->world_relief_m > 0 || params->exam_relief_m > 0;
}

static int has_obstacles(const struct params *params)
{
    return params->world_obstacles[0] != '\0';
}

static int is_preserve(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_PRESERVE;
}

static int is_bred(const struct params *params)
{
    return !is_preserve(params);
}

static int strides(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_STRIDE;
}

static int strides_or_swims(const struct params *params)
{
    return strides(params) || params->evolution_behaviour == BEHAVIOUR_SWIM;
}

static int has_expression(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_CUSTOM;
}

static int has_drag(const struct params *params)
{
    return params->world_viscosity_pa_s > 0 || params->world_viscosity_pa_s_m > 0 ||
           params->world_drag_law == DRAG_LAW_QUADRATIC;
}

static int is_dragged_linearly(const struct params *params)
{
    return params->world_drag_law == DRAG_LAW_LINEAR;
}

static int is_dragged_quadratically(const struct params *params)
{
    return params->world_drag_law == DRAG_LAW_QUADRATIC;
}

static int is_fine(const struct params *params)
{
    return 0;
}

/* Keys, or the beginnings of keys, which end in a dot or a line; and when the rows are used. A row
 * in several groups is shown where all are used. */
static const struct group {
    int (*is_used)(const struct params *params);
    const char *keys[24];
} groups[] = {
    {uses_spheres, {"spheres."}},
    {uses_boxes,
     {"boxes.", "initial.tidy", "initial.taper", "world.viscosity_pa_s_m",
      "world.quadratic_drag_kg_m3"}},
    {uses_rectangles, {"rectangles.", "creature.stretch_max"}},
    {has_stretch, {"mutation.stretch", "initial.stretching"}},
    {uses_lengths, {"world.viscosity_pa_s", "world.quadratic_drag_kg_m2"}},
    {uses_volume, {"creature.density_kg_m3", "sensor.height", "light.around"}},
    {uses_faces,
     {"initial.side_", "initial.rigid", "initial.linear", "initial.extension_max", "creature.side_",
      "creature.aspect_max", "creature.extension_max", "creature.twins", "creature.effector_mode",
      "creature.joint_speed_", "creature.hill_curvature", "world.relief_m", "exam.relief_m",
      "guard.other_solver"}},
    {uses_archive, {"archive.", "evolution.lag"}},
    {is_interactive, {"interactive.every"}},
    {has_islands, {"evolution.island_", "evolution.islands_merged"}},
    {has_light, {"light.y_m", "light.around"}},
    {has_still_light, {"light.x_m"}},
    {has_moving_light, {"light.range_m", "light.speed_m_s", "light.trials"}},
    {has_contests, {"contest.", "exam.line_share", "sensor.other", "sensor.object"}},
    {is_judged_alone,
     {"guard.referee_", "guard.score", "guard.other_solver", "guard.motionless_",
      "evolution.islands", "evolution.living_draws", "interactive.", "light.kind", "sensor.light",
      "world.relief_m", "exam.relief_m"}},
    {has_ring, {"contest.ring_m"}},
    {has_others, {"sensor.sound", "sensor.scent"}},
    {has_scent, {"scent.", "preserve.scent_w"}},
    {has_sound, {"sound.", "preserve.sound_w"}},
    {has_relief, {"world.relief_wavelength_m", "world.relief_seed"}},
    {has_obstacles, {"world.depth_m"}},
    {has_drag, {"world.drag_faces", "world.drag_exposure"}},
    {is_dragged_linearly, {"world.viscosity_"}},
    {is_dragged_quadratically, {"world.quadratic_"}},
    {strides, {"fitness.slip_weight", "fitness.belly_weight"}},
    {strides_or_swims, {"fitness.ahead"}},
    {has_expression, {"fitness.expression"}},
    {is_preserve,
     {"preserve.", "mutation.body_mouth", "sensor.pain", "sensor.reserve", "sensor.touch_kind"}},
    {is_bred, {"population.",           "evolution.search",
               "evolution.islands",     "evolution.living_draws",
               "evolution.lag",         "archive.",
               "interactive.",          "breeding.",
               "simulation.duration_s", "simulation.until",
               "world.ground",          "world.obstacles",
               "world.relief_m",        "light.kind",
               "sensor.light",          "settle.",
               "guard.referee_",        "guard.score",
               "guard.other_solver",    "guard.budget",
               "guard.motionless_",     "exam."}},
    {is_fine,
     {"mutation.breeding_method",
      "mutation.body_",
      "mutation.effector",
      "mutation.emitter",
      "mutation.neuron_",
      "mutation.add_",
      "mutation.connection_",
      "mutation.remove_",
      "mutation.more_continue",
      "mutation.mated_scale",
      "breeding.crossover_points_max",
      "simulation.constraint_tau_s",
      "simulation.rtol",
      "simulation.perturbation",
      "creature.effector_filter_s",
      "creature.joint_damping_1_s",
      "simulation.integrator",
      "light.brightness",
      "evolution.reevaluate",
      "evolution.seeds_see",
      "spheres.mutation_",
      "spheres.spin_resistance",
      "spheres.bones_max"}},
    {is_fine,
     {"guard.exam_", "guard.joint_pulse_s", "guard.motionless_m", "guard.hopeless_",
      "guard.fine_runs", "guard.turn_rad", "guard.mass_ratio", "guard.momentum_share",
      "exam.turn_rad", "exam.friction_share", "exam.drop_m", "farm.silence_s", "farm.log_mb",
      "farm.start_s", "farm.commit_s", "farm.pin", "farm.prefetch", "farm.deadline_s",
      "mutation.stretch"}},
    {is_fine,
     {"archive.trial_share", "archive.frozen", "archive.pressure", "breeding.choice",
      "creature.servo_rad_s", "exam.slope_rad", "exam.starts", "exam.pass", "farm.memory_mb",
      "farm.nice", "fitness.size_floor_m", "guard.penetration_m", "guard.perturbed_runs",
      "evolution.seeded_share"}},
};

static int is_meant(const char *entry, const char *key)
{
    size_t length = strlen(entry);
    int is_beginning = entry[length - 1] == '.' || entry[length - 1] == '_';
    return is_beginning ? strncmp(key, entry, length) == 0 : strcmp(key, entry) == 0;
}

static int is_in(const struct group *group, const char *key)
{
    for (size_t i = 0; i < sizeof group->keys / sizeof group->keys[0] && group->keys[i]; i++)
        if (is_meant(group->keys[i], key))
            return 1;
    return 0;
}

/* The row's value if it is not set. */
static void print_unset(const struct params *params, int index, char value[PARAM_TEXT_SIZE])
{
    char preset[PARAM_TEXT_SIZE];
    struct params unset;
    struct error error;
    params_set_defaults(&unset);
    params_print_value(params, params_find("world.preset"), preset, sizeof preset);
    if (strcmp(param_table[index].key, "world.preset") != 0)
        params_set(&unset, "world.preset", preset, &error);
    params_print_value(&unset, index, value, PARAM_TEXT_SIZE);
}

int params_is_shown(const struct params *params, int index)
{
    static const size_t count = sizeof groups / sizeof groups[0];
    char value[PARAM_TEXT_SIZE], unset[PARAM_TEXT_SIZE];
    int is_used = 1;
    for (size_t i = 0; i < count && is_used; i++)
        is_used = !is_in(&groups[i], param_table[index].key) || groups[i].is_used(params);
    if (is_used)
        return 1;
    params_print_value(params, index, value, sizeof value);
    print_unset(params, index, unset);
    return strcmp(value, unset) != 0;
}
