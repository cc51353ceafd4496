#include "simulator/spatial/space_model.h"

#include <math.h>

enum { JOINTS_MAX = SPACE_TURNS_MAX + 1, SLIDES_OF_FREE = 3 };

static const struct vec3 unit_vectors[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Each freedom of one axis is a joint, in the order of the coordinates. */
static void fill_joints(struct body_model *model, int i, const struct space_link *link,
                        int *coordinate, int *rate)
{
    const struct space_joint *row = &space_joints[link->kind];
    int is_free = row->slides == SLIDES_OF_FREE, axes = is_free ? 0 : row->slides + row->turns;
    struct model_joint *to = &model->joints[model->joint_count];
    model->links[i].first_joint = model->joint_count;
    for (int k = 0; k < axes; k++) {
        int is_slide = k < row->slides, axis = is_slide ? 0 : row->axes[k - row->slides];
        *to++ = (struct model_joint){.kind = is_slide ? MODEL_SLIDE : MODEL_HINGE,
                                     .coordinate = *coordinate + k,
                                     .rate = *rate + k,
                                     .axis = unit_vectors[axis],
                                     .lower = link->lower[k],
                                     .upper = link->upper[k],
                                     .cone_rad = HUGE_VAL};
    }
    if (row->has_ball)
        *to++ = (struct model_joint){.kind = is_free ? MODEL_FREE : MODEL_BALL,
                                     .coordinate = *coordinate + axes,
                                     .rate = *rate + axes,
                                     .lower = link->lower[axes],
                                     .upper = link->upper[axes],
                                     .cone_rad = link->cone_rad};
    model->links[i].joint_count = (int)(to - &model->joints[model->joint_count]);
    model->joint_count += model->links[i].joint_count;
    *coordinate += space_joint_coordinates(row);
    *rate += space_joint_rates(row);
}

int space_model(const struct space_body *body, struct body_model *model, struct arena *arena)
{
    size_t links = (size_t)body->link_count, boxes = (size_t)body->box_count;
    int coordinate = 0, rate = 0;
    *model = (struct body_model){.link_count = body->link_count, .part_count = body->box_count};
    model->links = arena_take(arena, links, sizeof model->links[0]);
    model->joints = arena_take(arena, JOINTS_MAX * links, sizeof model->joints[0]);
    model->parts = arena_take(arena, boxes, sizeof model->parts[0]);
    model->servos = arena_take(arena, SPACE_RATES_MAX * links, sizeof model->servos[0]);
    if (!model->links || !model->joints || !model->parts || !model->servos)
        return ERR_MEMORY;
    for (int i = 0; i < body->link_count; i++) {
        const struct space_link *link = &body->links[i];
        model->links[i] = (struct model_link){.parent = link->parent,
                                              .at = link->joint,
                                              .turn = link->frame,
                                              .mass_kg = link->mass_kg,
                                              .centre = link->centre,
                                              .inertia = link->inertia};
        fill_joints(model, i, link, &coordinate, &rate);
    }
    for (int i = 0; i < body->box_count; i++)
        model->parts[i] =
            (struct model_part){body->boxes[i].link, body->boxes[i].centre, body->boxes[i].turn};
    model->rate_count = rate;
    return 0;
}

/* A box that moves with u along an axis has two faces of area A there, each with k A u^2 against
 * it, of which one leads; and half a density times A u^2 is what the medium has. Turns about an
 * axis have the same ratio. */
double space_model_medium(const struct space_drag_law *drag)
{
    return drag->is_quadratic ? drag->coefficient * (drag->is_leading ? 2 : 4) : 0;
}
