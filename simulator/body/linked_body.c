#include "simulator/body/linked_body.h"

#include <math.h>

#include "common/growth/body.h"

/* Explicit steps with drag are stable while 2 k h / (density x thinnest side) stays below this. */
#define DRAG_STABILITY 0.5

/* ---------------------------------------------------------------- for other programs */

enum { FREE_SLIDES = 3, JOINTS_MAX = 3 };

static const struct vec3 unit_vectors[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Slide or turn k of a link. */
static struct model_joint plain_joint(const struct body_link *link, int k)
{
    static const char *const root_names[] = {"root_x", "root_y", "root_angle"};
    const struct joint_kind *kind = &joint_kinds[link->kind];
    int is_slide = k < kind->slides, axis = is_slide ? k : kind->axes[k - kind->slides];
    return (struct model_joint){.kind = is_slide ? MODEL_SLIDE : MODEL_HINGE,
                                .name = kind->is_root ? root_names[k] : NULL,
                                .axis = link->kind == LINK_LINEAR ? link->axis : unit_vectors[axis],
                                .lower = kind->is_root ? -HUGE_VAL : link->lower[k],
                                .upper = kind->is_root ? HUGE_VAL : link->upper[k],
                                .cone_rad = HUGE_VAL};
}

/* Each freedom of one axis is a joint, in the order of the coordinates. */
static void fill_joints(struct body_model *model, int i, const struct body_link *link,
                        int *coordinate, int *rate)
{
    const struct joint_kind *kind = &joint_kinds[link->kind];
    int is_free = kind->slides == FREE_SLIDES, plain = is_free ? 0 : kind->slides + kind->turns;
    struct model_joint *to = &model->joints[model->joint_count];
    model->links[i].first_joint = model->joint_count;
    for (int k = 0; k < plain; k++)
        *to++ = plain_joint(link, k);
    if (kind->has_ball)
        *to++ = (struct model_joint){.kind = is_free ? MODEL_FREE : MODEL_BALL,
                                     .name = is_free && i == 0 ? "root" : NULL,
                                     .lower = link->lower[plain],
                                     .upper = link->upper[plain],
                                     .cone_rad = link->cone_rad};
    model->links[i].joint_count = (int)(to - &model->joints[model->joint_count]);
    for (int k = 0; k < model->links[i].joint_count; k++) {
        model->joints[model->joint_count + k].coordinate = *coordinate + k;
        model->joints[model->joint_count + k].rate = *rate + k;
    }
    model->joint_count += model->links[i].joint_count;
    *coordinate += joint_coordinates(kind);
    *rate += joint_rates(kind);
}

/* Boxes say where they are; a joint in the plane says so in its part. */
static struct model_part place_part(const struct phenotype *phenotype, int i)
{
    const struct part *part = &phenotype->parts[i];
    const struct body_box *box = phenotype->body->boxes ? &phenotype->body->boxes[i] : NULL;
    if (box)
        return (struct model_part){box->link, box->centre, box->turn};
    return (struct model_part){part->link, vec3_of_plane(part->local),
                               quaternion_about(unit_vectors[2], part->local_angle_rad)};
}

static int fill_servos(struct body_model *model, const struct phenotype *phenotype,
                       const struct world *world, struct dynamics_settings settings,
                       struct arena *arena)
{
    settings.solver = SOLVER_ARTICULATED;
    struct dynamics *dynamics = dynamics_create(phenotype, world, &settings, arena);
    if (!dynamics)
        return ERR_MEMORY;
    for (int i = phenotype->first_drive; i < phenotype->drive_count; i++)
        model->servos[model->root_rates + i] = *dynamics_servo(dynamics, i);
    return 0;
}

int linked_body_fill(const struct phenotype *phenotype, struct body_model *model,
                     struct arena *arena)
{
    const struct body *body = phenotype->body;
    size_t links = (size_t)body->link_count, parts = (size_t)phenotype->part_count;
    int coordinate = 0;
    *model = (struct body_model){.link_count = body->link_count,
                                 .part_count = phenotype->part_count,
                                 .root_rates = phenotype->root_rates};
    model->links = arena_take(arena, links, sizeof model->links[0]);
    model->joints = arena_take(arena, JOINTS_MAX * links, sizeof model->joints[0]);
    model->parts = arena_take(arena, parts, sizeof model->parts[0]);
    model->servos = arena_take(arena, JOINT_RATES_MAX * links, sizeof model->servos[0]);
    if (!model->links || !model->joints || !model->parts || !model->servos)
        return ERR_MEMORY;
    for (int i = 0; i < body->link_count; i++) {
        const struct body_link *link = &body->links[i];
        model->links[i] = (struct model_link){.parent = link->parent,
                                              .at = link->joint,
                                              .turn = link->frame,
                                              .mass_kg = link->mass_kg,
                                              .centre = link->centre,
                                              .inertia = link->inertia};
        fill_joints(model, i, link, &coordinate, &model->rate_count);
    }
    for (int i = 0; i < phenotype->part_count; i++)
        model->parts[i] = place_part(phenotype, i);
    return 0;
}

int linked_body_model(const struct phenotype *phenotype, const struct world *world,
                      const struct dynamics_settings *settings, struct body_model *model,
                      struct arena *arena)
{
    return linked_body_fill(phenotype, model, arena) != 0
               ? ERR_MEMORY
               : fill_servos(model, phenotype, world, *settings, arena);
}

/* ---------------------------------------------------------------- verdicts */

/* Light links on heavy ones, and the other way round, need steps finer than the settings'. Links
 * without mass are joints, whose part stretches. */
static int has_balance(const struct body *body, double most)
{
    for (int i = 1; i < body->link_count && most > 0; i++) {
        const struct body_link *link = &body->links[i], *parent = &body->links[link->parent];
        if (parent->mass_kg == 0 && parent->parent >= 0)
            parent = &body->links[parent->parent];
        double mass = link->mass_kg, other = parent->mass_kg;
        if (mass == 0 || other == 0)
            continue;
        if (mass > most * other || other > most * mass)
            return 0;
    }
    return 1;
}

int linked_body_judge(const struct phenotype *phenotype, const struct params *params,
                      double drag_length_m)
{
    double thinnest_m = HUGE_VAL;
    if (!has_balance(phenotype->body, params->guard_mass_ratio))
        return VERDICT_UNBALANCED;
    for (int i = 0; i < phenotype->part_count; i++)
        thinnest_m = det_min(thinnest_m, phenotype->parts[i].cross_section_m);
    return drag_length_m > DRAG_STABILITY * thinnest_m ? VERDICT_UNSTABLE_DRAG : VERDICT_OK;
}

/* ---------------------------------------------------------------- senses */

void linked_body_feel(struct senses *senses, const struct dynamics *dynamics)
{
    static const enum sensor values[] = {SENSOR_JOINT, SENSOR_JOINT_2, SENSOR_JOINT_3};
    static const enum sensor rates[] = {SENSOR_JOINT_RATE, SENSOR_JOINT_RATE_2,
                                        SENSOR_JOINT_RATE_3};
    const struct phenotype *phenotype = senses->phenotype;
    const struct body *body = phenotype->body;
    for (int i = 1; i < body->link_count; i++) {
        const struct body_link *link = &body->links[i];
        double *felt = senses->values + link->part * SENSOR_COUNT;
        for (int k = 0; k < body_freedoms(link); k++) {
            double unit = link->sign[k] * link->scale;
            struct drive_state state;
            dynamics_drive_state(dynamics, link->first_drive + k, &state);
            felt[link->kind == LINK_STRETCH ? SENSOR_STRETCH : values[k]] = state.value / unit;
            if (link->kind != LINK_STRETCH)
                felt[rates[k]] = state.rate / unit;
        }
    }
}
