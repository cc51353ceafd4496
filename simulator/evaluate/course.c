/* The measures of a creature's course: of the body at its start, after every tick, and at the
 * end. */
#include "simulator/evaluate/run.h"

#include "simulator/evaluate/extent.h"
#include "simulator/evaluate/terrain.h"

static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

double run_size(const struct run *run)
{
    struct vec3 low, high;
    dynamics_bounds(run->dynamics, &low, &high);
    return length_of(length_of(high.x - low.x, high.y - low.y), high.z - low.z);
}

int run_has_fallen(const struct run *run)
{
    return run->world.gravity_m_s2 > 0 && dynamics_centre_of_mass(run->dynamics).y < run->fallen_m;
}

static struct vec3 head_at(const struct run *run)
{
    struct part_state head;
    dynamics_part_state(run->dynamics, run->phenotype.head, &head);
    return head.at_m;
}

/* Of a step of the centre of mass, how far it leads to where the head is; along the ground where
 * things fall. */
static double way_to_head(const struct run *run, struct vec3 centre, struct vec3 head)
{
    struct vec3 to = vec3_sub(head, centre);
    if (run->world.gravity_m_s2 > 0)
        to.y = 0;
    double length = vec3_length(to);
    return length > 0 ? vec3_dot(vec3_sub(centre, run->last), to) / length : 0;
}

void run_sum_ledger(const struct run *run, const struct ledger *l, double *gain_j,
                    double *turnover_j)
{
    const struct measures *m = &run->result->measures;
    *gain_j = l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j;
    *turnover_j = l->work_effector_positive_j + l->loss_friction_j + l->loss_impact_j +
                  l->loss_limit_j + l->loss_drag_j + l->loss_damping_j +
                  1e-3 * run->phenotype.mass_kg * STANDARD_GRAVITY_M_S2 * m->size_m;
}

int run_judge_end(struct run *run)
{
    struct measures *m = &run->result->measures;
    m->fell = run_has_fallen(run);
    if (run->params->simulation_until == UNTIL_TOUCH && run->contact_ticks > 0)
        return VERDICT_LANDED;
    if (run->params->simulation_until == UNTIL_FALL && m->fell > 0)
        return VERDICT_FELL;
    return VERDICT_OK;
}

void run_measure_start(struct run *run)
{
    struct measures *m = &run->result->measures;
    struct vec3 low, high;
    dynamics_bounds(run->dynamics, &low, &high);
    m->size_m = run_size(run);
    m->size_max_m = extent_grow(&run->phenotype, run->dynamics, run->middles, 0);
    m->lowest_start_m = m->lowest_max_m = low.y;
    m->height_start_m = m->height_max_m = run->start.y;
    m->head_start_m = m->head_max_m = head_at(run).y;
}

void run_measure_tick(struct run *run)
{
    struct measures *m = &run->result->measures;
    struct vec3 centre = dynamics_centre_of_mass(run->dynamics);
    struct vec3 low, high;
    dynamics_bounds(run->dynamics, &low, &high);
    m->path_m += vec3_distance(centre, run->last);
    m->displacement_m = vec3_distance(centre, run->start);
    m->way_x_m = centre.x - run->start.x;
    m->way_y_m = centre.y - run->start.y;
    m->way_z_m = centre.z - run->start.z;
    m->distance_m = length_of(m->way_x_m, m->way_z_m);
    /* as long as something that could carry it is below */
    if (m->distance_m > m->reach_m && terrain_is_below(&run->world, vec3_flat(centre)) &&
        (run->world.has_ground || fabs(centre.z) <= run->world.half_depth_m))
        m->reach_m = m->distance_m;
    m->distance_max_m = det_max(m->distance_max_m, m->displacement_m);
    m->size_max_m = extent_grow(&run->phenotype, run->dynamics, run->middles, m->size_max_m);
    run->height_sum_m += centre.y;
    run->lowest_sum_m += low.y;
    struct vec3 head = head_at(run);
    run->head_first_m += way_to_head(run, centre, head);
    run->has_landed |= run->has_touched;
    if (run->has_landed) {
        m->lowest_max_m = det_max(m->lowest_max_m, low.y);
        m->height_max_m = det_max(m->height_max_m, centre.y);
        m->head_max_m = det_max(m->head_max_m, head.y);
        run->clearance_sum_m += run->has_touched ? 0 : det_max(low.y, 0);
    }
    run->head_sum_m += head.y;
    light_measure(&run->light, centre);
    run->last = centre;
    run->ticks++;

    /* all later window ends stay here if the run stops now */
    double share = run->time_s / run->params->simulation_duration_s;
    for (int i = MEASURE_WINDOWS; i > 0 && i >= share * MEASURE_WINDOWS - 1e-9; i--)
        run->windows[i] = centre;

    run->contact_ticks += (uint64_t)run->has_touched;
    run->has_touched = 0;
    gait_watch(&run->gait, &run->phenotype, run->dynamics, run->creature);
}

void run_digest_tick(struct run *run)
{
    uint64_t *digest = &run->result->digest;
    for (int i = 0; i < run->phenotype.part_count; i++)
        *digest = dynamics_hash_part(run->dynamics, i, *digest);
}

void run_measure_body(struct run *run)
{
    struct measures *m = &run->result->measures;
    m->parts = run->phenotype.part_count;
    m->links = run->phenotype.piece_count;
    m->neurons = brain_neuron_count(run->brain);
    m->mass_kg = run->phenotype.mass_kg;
    m->pairs = gait_count_pairs(&run->phenotype);
}

void run_measure_ledger(struct run *run)
{
    struct measures *m = &run->result->measures;
    const struct ledger *l = dynamics_ledger(run->dynamics);
    double turnover_j;
    run_sum_ledger(run, l, &m->gain_unearned_j, &turnover_j);
    m->work_in_j = l->work_effector_positive_j;
    m->work_net_j = l->work_effector_j;
    m->loss_friction_j = l->loss_friction_j;
    m->loss_impact_j = l->loss_impact_j;
    m->loss_limit_j = l->loss_limit_j;
    m->loss_drag_j = l->loss_drag_j;
    m->loss_damping_j = l->loss_damping_j;
    m->energy_start_j = l->energy_start_j;
    m->energy_end_j = l->kinetic_j + l->potential_j;
    m->residual_j = l->residual_j;
    m->residual_share = (fabs(l->residual_j) + l->mended_j + m->gain_unearned_j) / turnover_j;
    double way = m->mass_kg * STANDARD_GRAVITY_M_S2 * m->displacement_m;
    /* a creature that falls pays with the height that it lost */
    double fallen_j = m->mass_kg * run->world.gravity_m_s2 * det_max(-m->way_y_m, 0);
    m->cost_of_transport = way > 0 ? (m->work_in_j + fallen_j) / way : 0;
    double slid_j = run->world.friction * m->mass_kg * run->world.gravity_m_s2 * m->distance_m;
    m->slip_share = slid_j > 0 ? m->loss_friction_j / slid_j : 0;
    m->power_w_kg = run->time_s > 0 ? m->work_in_j / (m->mass_kg * run->time_s) : 0;
}

void run_measure_course(struct run *run)
{
    struct measures *m = &run->result->measures;
    double steps = (double)run->dynamics->steps, ticks = (double)run->ticks;
    m->time_s = run->time_s;
    int reversals_max = 0;
    for (int i = 0; i < run->phenotype.drive_count; i++)
        reversals_max = reversals_max < run->reversals[i] ? run->reversals[i] : reversals_max;
    m->reversals_max_hz = run->time_s > 0 ? reversals_max / run->time_s : 0;
    m->height_mean_m = ticks > 0 ? run->height_sum_m / ticks : m->height_start_m;
    m->lowest_mean_m = ticks > 0 ? run->lowest_sum_m / ticks : m->lowest_start_m;
    m->clearance_mean_m = ticks > 0 ? run->clearance_sum_m / ticks : 0;
    m->head_mean_m = ticks > 0 ? run->head_sum_m / ticks : m->head_start_m;
    m->head_first = m->path_m > 0 ? run->head_first_m / m->path_m : 0;
    m->follow_share = light_follow_share(&run->light);
    m->light_distance_m = light_mean_distance(&run->light);
    m->contact_share = ticks > 0 ? (double)run->contact_ticks / ticks : 0;
    gait_measure(&run->gait, &run->phenotype, m);
    m->rk4_share = steps > 0 ? (double)run->dynamics->rk4_steps / steps : 0;

    /* progress of each window along the line from start to end, the horizontal part of it where
     * things fall: falling is no progress */
    struct vec3 way = vec3_sub(run->last, run->start);
    way.y = run->world.gravity_m_s2 > 0 ? 0 : way.y;
    double length = vec3_length(way);
    for (int i = 0; i < MEASURE_WINDOWS && length > 0; i++)
        measures_set(m, MEASURE_window_1_m + i,
                     vec3_dot(vec3_sub(run->windows[i + 1], run->windows[i]), way) / length);
}

void run_tidy_measures(struct measures *measures)
{
    for (int i; (i = measures_find_fault(measures)) >= 0;)
        measures_set(measures, i, 0);
}
