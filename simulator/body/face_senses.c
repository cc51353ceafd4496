/* See face_senses.h. */
#include "simulator/body/face_senses.h"

#include <math.h>

/* In units of standard gravity. */
#define ACCELERATION_MAX 10.0
/* A face feels a contact if its normal is within 60 degrees of the opposite of the contact's; the
 * cosine of that. */
#define FACE_COSINE 0.5
/* Values of the sensor `touch-kind`. */
#define TOUCH_FAMILY 0.5
#define TOUCH_OTHER  1.0

double face_senses_bound_acceleration(double value)
{
    return det_min(det_max(value, -ACCELERATION_MAX), ACCELERATION_MAX);
}

/* Marks the faces of a part that a force along `force` (in the world, on the part) presses. */
static void feel_contact(struct senses *senses, const struct dynamics *dynamics, int part,
                         struct vec3 force, int count, face_senses_to_genes *to_genes)
{
    double *felt = senses->values + part * SENSOR_COUNT;
    struct vec3 against = to_genes(senses, dynamics, part, vec3_scale(force, -1));
    const double cosines[FACE_COUNT] = {
        [FACE_RIGHT] = against.x,   [FACE_TOP] = against.y,   [FACE_LEFT] = -against.x,
        [FACE_BOTTOM] = -against.y, [FACE_FRONT] = against.z, [FACE_BACK] = -against.z};
    for (int face = 0; face < count; face++)
        if (cosines[face] >= FACE_COSINE)
            felt[face_sensors[face]] = 1;
}

/* The contact sensors of the first `count` faces of all parts: 1 where a face looks against the
 * normal of a contact within 60 degrees, else -1. Not the face that is nearest to the point counts,
 * since the corners that something stands on are as near to others. */
static void feel_contacts(struct senses *senses, const struct dynamics *dynamics, int count,
                          face_senses_to_genes *to_genes)
{
    const struct contact_point *contacts;
    int contact_count = dynamics_contacts(dynamics, &contacts);
    for (int i = 0; i < senses->phenotype->part_count; i++)
        for (int face = 0; face < count; face++)
            senses->values[i * SENSOR_COUNT + face_sensors[face]] = -1;
    for (int i = 0; i < contact_count; i++) {
        const struct contact_point *c = &contacts[i];
        feel_contact(senses, dynamics, c->part, c->normal, count, to_genes);
        if (contact_is_inner(c))
            feel_contact(senses, dynamics, c->other, vec3_scale(c->normal, -1), count, to_genes);
    }
}

struct ray face_senses_ray(const struct surroundings *around, int sight, struct vec3 place)
{
    const struct seen *seen = &around->seen[sight];
    if (sight >= SIGHT_SCENT_1) {
        struct smell smell = scent_smell(around->scent, sight - SIGHT_SCENT_1, place);
        return (struct ray){smell.uphill, vec3_length(smell.uphill), smell.level};
    }
    struct vec3 way = vec3_sub(seen->at, place);
    double squared = vec3_dot(way, way);
    return (struct ray){way, sqrt(squared), seen->brightness / (1 + squared)};
}

/* A thing that is gone is not sensed any more. */
static void forget(struct senses *senses, const struct sight_info *sight)
{
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        felt[sight->along] = felt[sight->across] = felt[sight->through] = felt[sight->level] = 0;
    }
}

/* Which creature each part touches. */
static void feel_touch_kinds(struct senses *senses, const struct dynamics *dynamics,
                             const struct surroundings *around)
{
    const struct contact_point *contacts;
    int count = dynamics_contacts(dynamics, &contacts);
    for (int i = 0; i < senses->phenotype->part_count; i++)
        senses->values[i * SENSOR_COUNT + SENSOR_TOUCH_KIND] = 0;
    for (int i = 0; i < count; i++) {
        int other = contacts[i].other_creature;
        if (other >= 0 && !contact_is_inner(&contacts[i]))
            senses->values[contacts[i].part * SENSOR_COUNT + SENSOR_TOUCH_KIND] =
                around->families && around->families[other] == around->family ? TOUCH_FAMILY
                                                                              : TOUCH_OTHER;
    }
}

void face_senses_feel(const struct face_senses_feeling *feeling, struct senses *senses,
                      const struct dynamics *dynamics, const struct surroundings *around)
{
    if (senses->on & SENSOR_BIT(SENSOR_CONTACT_RIGHT))
        feel_contacts(senses, dynamics, feeling->count, feeling->to_genes);
    if (senses->on & SENSOR_BIT(SENSOR_ACCELERATION_ALONG))
        feeling->feel_acceleration(senses, dynamics, around);
    for (int k = 0; k < SIGHT_COUNT; k++)
        if (senses_see(senses, around, k))
            feeling->see(senses, dynamics, around, k);
        else if (senses->on & SENSOR_BIT(sights[k].along))
            forget(senses, &sights[k]);
    if (senses->on & SENSOR_BIT(SENSOR_TOUCH_KIND))
        feel_touch_kinds(senses, dynamics, around);
}
