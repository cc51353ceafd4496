/* Links of bodies in space, with the mass of a box. */
#ifndef TESTS_LINKS_H
#define TESTS_LINKS_H

#include "common/growth/body.h"

/* kg m^2 about the middle of an even box. */
static inline struct sym3 box_inertia(double mass_kg, struct vec3 size_m)
{
    double x = size_m.x * size_m.x, y = size_m.y * size_m.y, z = size_m.z * size_m.z;
    double m = mass_kg / 12;
    return (struct sym3){m * (y + z), 0, 0, m * (x + z), 0, m * (x + y)};
}

static inline struct body_link link_with(int parent, enum link_joint kind, double mass_kg,
                                         struct sym3 inertia_kg_m2)
{
    struct body_link link = body_link_unlimited(parent, kind);
    link.mass_kg = mass_kg;
    link.inertia = inertia_kg_m2;
    return link;
}

static inline struct body_link box_link(int parent, enum link_joint kind, double mass_kg,
                                        struct vec3 size_m)
{
    return link_with(parent, kind, mass_kg, box_inertia(mass_kg, size_m));
}

#endif
