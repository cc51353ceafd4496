/* Which rows somebody meets who prints the configuration of a run: not those of other kinds of
 * body, of methods and things that this run does without, nor those that hardly anybody sets. Each
 * is shown where it has another value than by default, so that what is printed says all. */
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

static int has_contests(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_CONTEST;
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

static int is_fine(const struct params *params)
{
    return 0;
}

/* Beginnings of keys, and when the rows are used. */
static const struct group {
    int (*is_used)(const struct params *params);
    const char *keys[24];
} groups[] = {
    {uses_spheres,
     {"mutation.sphere_", "mutation.bone_", "mutation.add_brace", "initial.radius_",
      "initial.bone_", "initial.muscles", "initial.braces", "initial.held", "creature.radius_",
      "creature.bone", "creature.muscle_", "creature.drive_", "creature.rolling_", "creature.spin_",
      "creature.body_damping_1_s", "simulation.substeps", "world.dimensions", "sensor.bone",
      "guard.strain"}},
    {uses_boxes,
     {"creature.neighbours", "creature.mass_ratio_max", "creature.overlap_max_m", "creature.area_",
      "world.viscosity_pa_s_m", "world.quadratic_drag_kg_m3"}},
    {uses_rectangles,
     {"creature.density_kg_m2", "creature.strength_n", "creature.linear_strength_n_m",
      "world.quadratic_drag_kg_m2"}},
    {uses_volume, {"creature.density_kg_m3", "sensor.height", "light.around"}},
    {uses_faces,
     {"initial.side_", "initial.rigid", "initial.linear", "initial.extension_max", "creature.side_",
      "creature.aspect_max", "creature.extension_max", "creature.twins"}},
    {uses_archive, {"archive.", "evolution.lag"}},
    {is_interactive, {"interactive.every"}},
    {has_islands, {"evolution.island_", "evolution.islands_merged"}},
    {has_light,
     {"light.x_m", "light.y_m", "light.range_m", "light.speed_m_s", "light.trials", "light.around",
      "light.brightness"}},
    {has_contests, {"contest.", "sensor.other", "sensor.object", "evolution.seeds_see"}},
    {has_relief, {"world.relief_wavelength_m", "world.relief_seed"}},
    {has_obstacles, {"world.depth_m"}},
    {is_preserve, {"preserve."}},
    {is_fine,
     {"mutation.breeding_method", "mutation.body_", "mutation.effector", "mutation.neuron_",
      "mutation.add_", "mutation.connection_", "mutation.remove_", "mutation.more_continue",
      "mutation.mated_scale", "breeding.crossover_points_max", "simulation.constraint_tau_s",
      "simulation.rtol", "simulation.contact_sweeps", "simulation.perturbation",
      "settle.push_apart_s", "settle.rest_", "creature.effector_filter_s",
      "creature.joint_damping_1_s", "evolution.reevaluate"}},
    {is_fine,
     {"guard.perturbed_pose", "guard.perturbed_friction", "guard.exam_", "guard.joint_pulse_s",
      "guard.cost_of_transport", "guard.motionless_m", "guard.hopeless_", "guard.fine_runs",
      "guard.turn_rad", "guard.mass_ratio", "exam.turn_rad", "exam.friction_share",
      "farm.silence_s", "farm.log_mb", "farm.start_s", "farm.commit_s", "farm.pin", "farm.prefetch",
      "farm.deadline_s"}},
    {is_fine,
     {"archive.trial_share", "archive.frozen", "archive.pressure", "breeding.choice",
      "creature.servo_rad_s", "exam.slope_rad", "exam.starts", "exam.pass", "farm.memory_mb",
      "farm.nice", "fitness.size_floor_m", "guard.penetration_m", "guard.perturbed_runs",
      "world.drag_exposure", "evolution.seeded_share"}},
};

static int is_in(const struct group *group, const char *key)
{
    for (size_t i = 0; i < sizeof group->keys / sizeof group->keys[0] && group->keys[i]; i++)
        if (strncmp(key, group->keys[i], strlen(group->keys[i])) == 0)
            return 1;
    return 0;
}

int params_is_shown(const struct params *params, int index)
{
    static const size_t count = sizeof groups / sizeof groups[0];
    char value[PARAM_TEXT_SIZE], preset[PARAM_TEXT_SIZE];
    struct params defaults;
    int is_used = 1;
    for (size_t i = 0; i < count && is_used; i++)
        is_used = !is_in(&groups[i], param_table[index].key) || groups[i].is_used(params);
    if (is_used)
        return 1;
    params_set_defaults(&defaults);
    params_print_value(params, index, value, sizeof value);
    params_print_value(&defaults, index, preset, sizeof preset);
    return strcmp(value, preset) != 0;
}
