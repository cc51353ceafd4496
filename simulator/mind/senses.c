/* See senses.h. Joints and contacts are read from the solver's tables; accelerometers and eyes need
 * the state of each part and are read only where switched on. */
#include "simulator/mind/senses.h"

#include <math.h>

#include "common/detmath.h"

#define STANDARD_GRAVITY_M_S2 9.81
/* Accelerometers read no more than this, in units of standard gravity: impacts are sharp. */
#define ACCELERATION_MAX 10.0
/* A contact counts for a face that looks against the contact's normal within 60 degrees. */
#define FACE_COSINE 0.5

int senses_create(struct senses *senses, const struct phenotype *phenotype,
                  const struct params *params, struct arena *arena)
{
    size_t parts = (size_t)phenotype->part_count;
    senses->phenotype = phenotype;
    senses->on = sensors_switched_on(params);
    senses->values = arena_take(arena, parts * SENSOR_COUNT, sizeof(double));
    senses->before = arena_take(arena, parts, sizeof senses->before[0]);
    return senses->values && senses->before ? 0 : ERR_MEMORY;
}

/* A vector of the world in the part's gene frame: along its width, across to its top. */
static struct vec2 to_part(const struct part *part, const struct part_state *state, double x,
                           double y)
{
    double s, c;
    det_sincos(state->angle_rad, &s, &c);
    return (struct vec2){x * c + y * s, (y * c - x * s) * part->mirror};
}

/* Marks the faces of a part that look against the normal (which points towards the part). */
static void feel_contact(struct senses *senses, const struct dynamics *dynamics, int index,
                         struct vec3 normal, double sign)
{
    const struct part *part = &senses->phenotype->parts[index];
    double *felt = senses->values + index * SENSOR_COUNT;
    struct part_state state;
    dynamics_part_state(dynamics, index, &state);
    struct vec2 against = to_part(part, &state, -sign * normal.x, -sign * normal.y);
    if (against.x >= FACE_COSINE)
        felt[SENSOR_CONTACT_RIGHT] = 1;
    if (against.x <= -FACE_COSINE)
        felt[SENSOR_CONTACT_LEFT] = 1;
    if (against.y >= FACE_COSINE)
        felt[SENSOR_CONTACT_TOP] = 1;
    if (against.y <= -FACE_COSINE)
        felt[SENSOR_CONTACT_BOTTOM] = 1;
}

static void feel_joints(struct senses *senses, const struct dynamics *dynamics)
{
    const struct phenotype *phenotype = senses->phenotype;
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        double *felt = senses->values + i * SENSOR_COUNT;
        const struct link *link = &phenotype->links[part->link];
        int has_joint = part->link > 0 && link->part == i;
        struct drive_state joint = {0};
        if (has_joint)
            dynamics_drive_state(dynamics, part->link, &joint);
        felt[SENSOR_JOINT] = has_joint ? link->mirror * joint.value / link->scale : 0;
        felt[SENSOR_JOINT_RATE] = has_joint ? link->mirror * joint.rate / link->scale : 0;
    }
}

static void feel_contacts(struct senses *senses, const struct dynamics *dynamics)
{
    for (int i = 0; i < senses->phenotype->part_count; i++)
        for (int k = SENSOR_CONTACT_RIGHT; k <= SENSOR_CONTACT_BOTTOM; k++)
            senses->values[i * SENSOR_COUNT + k] = -1;
    const struct contact_point *contacts;
    int count = dynamics_contacts(dynamics, &contacts);
    for (int i = 0; i < count; i++) {
        feel_contact(senses, dynamics, contacts[i].part, contacts[i].normal, 1);
        if (contacts[i].other >= 0)
            feel_contact(senses, dynamics, contacts[i].other, contacts[i].normal, -1);
    }
}

/* The acceleration since the last reading, less gravity: what a mass on springs would show. */
static void feel_acceleration(struct senses *senses, const struct dynamics *dynamics,
                              double gravity_m_s2, double tick_s)
{
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        struct vec2 *before = &senses->before[i];
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        double x = 0, y = gravity_m_s2;
        if (tick_s > 0) {
            x += (state.vx_m_s - before->x) / tick_s;
            y += (state.vy_m_s - before->y) / tick_s;
        }
        *before = (struct vec2){state.vx_m_s, state.vy_m_s};
        struct vec2 a = to_part(&senses->phenotype->parts[i], &state, x / STANDARD_GRAVITY_M_S2,
                                y / STANDARD_GRAVITY_M_S2);
        felt[SENSOR_ACCELERATION_ALONG] = fmin(fmax(a.x, -ACCELERATION_MAX), ACCELERATION_MAX);
        felt[SENSOR_ACCELERATION_ACROSS] = fmin(fmax(a.y, -ACCELERATION_MAX), ACCELERATION_MAX);
    }
}

static void see_light(struct senses *senses, const struct dynamics *dynamics,
                      const struct light *light)
{
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        double x = light->at.x - state.x_m, y = light->at.y - state.y_m;
        double squared = x * x + y * y, distance = sqrt(squared);
        struct vec2 ray = to_part(&senses->phenotype->parts[i], &state, x, y);
        felt[SENSOR_LIGHT_ALONG] = distance > 0 ? ray.x / distance : 0;
        felt[SENSOR_LIGHT_ACROSS] = distance > 0 ? ray.y / distance : 0;
        felt[SENSOR_LIGHT_LEVEL] = light->brightness / (1 + squared);
    }
}

/* Sensors that are read together with others but switched off read 0. */
static void silence(struct senses *senses)
{
    for (int k = 0; k < SENSOR_COUNT; k++)
        for (int i = 0; i < senses->phenotype->part_count && !(senses->on & SENSOR_BIT(k)); i++)
            senses->values[i * SENSOR_COUNT + k] = 0;
}

void senses_read(struct senses *senses, const struct dynamics *dynamics, double gravity_m_s2,
                 const struct light *light, double tick_s)
{
    if (senses->phenotype->spheres) {
        senses_read_spheres(senses, dynamics, light);
        silence(senses);
        return;
    }
    feel_joints(senses, dynamics);
    if (senses->on & SENSOR_BIT(SENSOR_CONTACT_RIGHT))
        feel_contacts(senses, dynamics);
    if (senses->on & SENSOR_BIT(SENSOR_ACCELERATION_ALONG))
        feel_acceleration(senses, dynamics, gravity_m_s2, tick_s);
    if (senses->on & SENSOR_BIT(SENSOR_LIGHT_ALONG) && light->kind != LIGHT_NONE)
        see_light(senses, dynamics, light);
    silence(senses);
}
