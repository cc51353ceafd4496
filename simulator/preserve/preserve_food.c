/* The food that creatures see, bite and digest, and the decay of carcasses. */
#include "simulator/preserve/preserve_world.h"

#include "common/math/detmath.h"

/* Shares that are digested. */
static const double digested[FOOD_COUNT] = {
    [FOOD_PLANT] = 0.8, [FOOD_CARRION] = 0.8, [FOOD_LIVING] = 0.8};
/* How fast mouths of a kind bite each food, to begin with; preserve.hunt goes on top of the last.
 * A mouth is good at one thing: one for plants leaves carrion to those for flesh. */
static const double appetites[MOUTH_COUNT][FOOD_COUNT] = {
    [MOUTH_PLANTS] = {[FOOD_PLANT] = 1, [FOOD_CARRION] = 0.2, [FOOD_LIVING] = 0},
    [MOUTH_FLESH] = {[FOOD_PLANT] = 0.04, [FOOD_CARRION] = 1, [FOOD_LIVING] = 1}};
/* How far food is seen, m. */
#define SIGHT_M 3.0
/* The level of food beside it: less than that of a light, so that a creature that stops at lights
 * goes on. */
#define FOOD_BRIGHTNESS 0.3
/* The energy of a carcass, J, that draws an eater: more does not draw more. */
#define CARRION_DRAW_J 300.0
/* Food nearer than this, m, is not preferred to food at this distance. */
#define NEAR_M 0.5
/* The loss that the sensor `pain` reads as 1/2, of the body. */
#define PAIN_SHARE 0.1
/* Ticks from one search for food to the next. */
enum { LOOK_TICKS = 6 };
#define CARCASS_ROT_1_S  0.005
#define CARCASS_SINK_M_S 0.1
/* The least that rots in a tick, so that rotting ends. */
#define ROT_LEAST INT64_C(100)

/* ---------------------------------------------------------------- sight */

/* By insertion, since little changes from tick to tick. */
void preserve_sort(struct preserve *p)
{
    for (int i = 1; i < p->state->living_count; i++) {
        int moved = p->order[i], at = i;
        double x = p->centres[moved].x;
        for (; at > 0 && p->centres[p->order[at - 1]].x > x; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = moved;
    }
}

/* Parent and child, or children of one mother. These are not bitten. */
static int is_kin(const struct preserve *p, int a, int b)
{
    const struct descent *one = &p->state->living[a].descent;
    const struct descent *other = &p->state->living[b].descent;
    return one->mother == other->id || one->father == other->id || other->mother == one->id ||
           other->father == one->id || (one->mother && one->mother == other->mother);
}

static double appetite(const struct preserve *p, const struct preserve_mouth *mouth, enum food food)
{
    double appetite = appetites[mouth->kind][food];
    return food == FOOD_LIVING ? appetite * p->params->preserve_hunt : appetite;
}

/* That of the one of its mouths that likes it best. */
static double greatest_appetite(const struct preserve *p, const struct dweller *d, enum food food)
{
    double greatest = 0;
    for (int i = 0; i < d->mouth_count; i++)
        greatest = det_max(greatest, appetite(p, &d->mouths[i], food));
    return greatest;
}

/* Which others creature i looks for. */
static int is_prey(const struct preserve *p, int i, int other)
{
    return !is_kin(p, i, other);
}
static int is_danger(const struct preserve *p, int i, int other)
{
    const struct dweller *d = p->dwellers[other];
    for (int m = 0; m < d->mouth_count; m++)
        if (d->mouths[m].kind == MOUTH_FLESH)
            return !is_kin(p, i, other);
    return 0;
}

/* The nearest of those (NULL: of all) to its place, within most_m; -1: there is none. Looks along
 * the order by x from its own place outwards. */
static int find_nearest(const struct preserve *p, int i, int at, double most_m,
                        int (*is_wanted)(const struct preserve *p, int i, int other))
{
    int nearest = -1;
    struct vec3 from = p->centres[i];
    for (int way = -1; way <= 1; way += 2) {
        for (int k = at + way; k >= 0 && k < p->state->living_count; k += way) {
            int other = p->order[k];
            struct vec3 to = p->centres[other];
            if (fabs(to.x - from.x) > most_m)
                break;
            double away_m = distance_in_plane(from, to);
            if (away_m >= most_m || (is_wanted && !is_wanted(p, i, other)))
                continue;
            most_m = away_m;
            nearest = other;
        }
    }
    return nearest;
}

/* The best of what is in sight so far. */
struct lure {
    struct vec3 at;
    double worth;
};

static void consider(struct lure *lure, struct vec3 mouth, struct vec3 at, double worth)
{
    double side_m = det_max(fabs(at.x - mouth.x), fabs(at.y - mouth.y)); // the way is no less
    if (side_m > SIGHT_M || worth / (NEAR_M + side_m) <= lure->worth)
        return;
    double away_m = distance_in_plane(mouth, at);
    if (away_m > SIGHT_M || worth / (NEAR_M + away_m) <= lure->worth)
        return;
    lure->worth = worth / (NEAR_M + away_m);
    lure->at = at;
}

static void consider_plants(const struct preserve *p, struct lure *lure, struct vec3 mouth,
                            double share)
{
    const struct plants *plants = &p->plants;
    for (double y = mouth.y - SIGHT_M; y <= mouth.y + SIGHT_M; y += PLANTS_CELL_M) {
        double rows = y / PLANTS_CELL_M;
        if (!(rows >= 0 && rows < plants->rows))
            continue;
        int row = (int)rows;
        const microjoules *cells = plants->cells + row * plants->columns;
        for (double x = mouth.x - SIGHT_M; x <= mouth.x + SIGHT_M; x += PLANTS_CELL_M) {
            double columns = x / PLANTS_CELL_M;
            if (!(columns >= 0 && columns < plants->columns))
                continue;
            int column = (int)columns;
            struct vec3 middle = {(column + 0.5) * PLANTS_CELL_M, (row + 0.5) * PLANTS_CELL_M, 0};
            consider(lure, mouth, middle,
                     share * digested[FOOD_PLANT] * joules_of(cells[column] - plants->least));
        }
    }
}

static void look_for_food(struct preserve *p, int i, int at)
{
    struct dweller *d = p->dwellers[i];
    struct vec3 from = d->mouth_count > 0 ? d->mouths[0].at : d->centre;
    double carrion = greatest_appetite(p, d, FOOD_CARRION) * digested[FOOD_CARRION];
    struct lure lure = {.worth = 0};
    consider_plants(p, &lure, from, greatest_appetite(p, d, FOOD_PLANT));
    for (int k = 0; k < p->state->carcass_count; k++) {
        const struct carcass *c = &p->state->carcasses[k];
        consider(&lure, from, (struct vec3){c->x_m, c->y_m, 0},
                 carrion * det_min(joules_of(c->energy), CARRION_DRAW_J));
    }
    int prey =
        greatest_appetite(p, d, FOOD_LIVING) > 0 ? find_nearest(p, i, at, SIGHT_M, is_prey) : -1;
    if (prey >= 0)
        consider(&lure, from, p->dwellers[prey]->centre, digested[FOOD_LIVING] * CARRION_DRAW_J);
    d->sees_food = lure.worth > 0;
    d->food_at = lure.at;
}

/* `object-*` is the best food in sight, `other-*` the nearest creature, `light-*` the surface. */
void preserve_see(struct preserve *p, int place, struct surroundings *around)
{
    int i = p->order[place];
    struct dweller *d = p->dwellers[i];
    double depth_m = det_max(p->params->preserve_height_m - d->centre.y, 0);
    if ((p->state->tick + (int64_t)p->state->living[i].descent.id) % LOOK_TICKS == 0)
        look_for_food(p, i, place);
    int other = p->params->preserve_fear ? find_nearest(p, i, place, SIGHT_M, is_danger)
                                         : find_nearest(p, i, place, HUGE_VAL, NULL);
    const struct creature_state *c = &p->state->living[i];
    double bitten = (double)c->bitten;
    *around =
        (struct surroundings){.pain = bitten / (bitten + PAIN_SHARE * (double)c->body_whole),
                              .reserve = (double)c->reserve / (double)reserve_most(p, d->area_m2),
                              .families = p->families,
                              .family = p->families[i],
                              .gravity_m_s2 = world_gravity(&d->run.world),
                              .tick_s = p->tick_s};
    around->seen[SIGHT_OBJECT] = (struct seen){d->sees_food, d->food_at, FOOD_BRIGHTNESS};
    if (other >= 0)
        around->seen[SIGHT_OTHER] = (struct seen){1, p->dwellers[other]->centre, 1};
    around->seen[SIGHT_LIGHT] =
        (struct seen){1, vec3_add(d->centre, (struct vec3){0, 1, 0}),
                      2 * p->daylight * det_exp(-depth_m / p->params->preserve_light_m)};
}

/* ---------------------------------------------------------------- bites */

/* A mouth that eats in this tick. */
struct eater {
    int i; /* whose it is, by number */
    struct preserve_mouth *mouth;
    double bite_j; /* the most that it can bite off */
};

/* Moves energy from a store to an eater; `share` of the most that its mouth can bite off. */
static void eat(struct preserve *p, const struct eater *eater, enum food food, microjoules *from,
                microjoules there, double share)
{
    int i = eater->i;
    struct creature_state *c = &p->state->living[i];
    double wanted_j = eater->bite_j * appetite(p, eater->mouth, food) * share;
    struct meal meal = meal_of(microjoules_of(wanted_j), there, digested[food],
                               reserve_most(p, p->dwellers[i]->area_m2) - c->reserve);
    *from -= meal.taken;
    c->reserve += meal.gained;
    p->state->ledger.heat += meal.taken - meal.gained;
    p->state->counts.eaten[food] += meal.taken;
    if (food == FOOD_LIVING && meal.gained > 0 && c->gained[food] == 0)
        preserve_tell(p, i, PRESERVE_PREYED, -1);
    c->gained[food] += meal.gained;
    if (meal.taken > 0)
        eater->mouth->is_eating = food;
}

/* A creature that is bitten loses reserve first, then body. */
static void bite_living(struct preserve *p, const struct eater *eater, int prey)
{
    struct creature_state *c = &p->state->living[prey];
    microjoules before = c->reserve + c->body;
    eat(p, eater, FOOD_LIVING, &c->reserve, c->reserve, 1);
    if (c->reserve == 0)
        eat(p, eater, FOOD_LIVING, &c->body, c->body, 1);
    c->bitten += before - c->reserve - c->body;
}

/* The carcass that a mouth is in, or NULL. */
static struct carcass *find_carcass(struct preserve *p, const struct preserve_mouth *mouth)
{
    for (int k = 0; k < p->state->carcass_count; k++) {
        struct carcass *c = &p->state->carcasses[k];
        double reach_m = c->radius_m + mouth->width_m / 2;
        if (fabs(c->x_m - mouth->at.x) < reach_m &&
            distance_in_plane(mouth->at, (struct vec3){c->x_m, c->y_m, 0}) < reach_m)
            return c;
    }
    return NULL;
}

/* The creatures that its mouths touch, and those of its family that touched it. */
static void find_touched(struct preserve *p, int i)
{
    struct dweller *d = p->dwellers[i];
    struct creature_state *c = &p->state->living[i];
    const struct contact_point *points;
    int count = dynamics_contacts(d->run.dynamics, &points);
    for (int m = 0; m < d->mouth_count; m++)
        d->mouths[m].touched = -1;
    for (int k = 0; k < count; k++) {
        int other = points[k].other_creature;
        if (points[k].creature != i || other < 0 || other == i)
            continue;
        for (int m = 0; m < d->mouth_count; m++)
            if (points[k].part == d->mouths[m].part)
                d->mouths[m].touched = other;
        const struct descent *its = &p->state->living[other].descent;
        if (its->family == c->descent.family) {
            c->met = its->id;
            c->met_tick = p->state->tick;
        }
    }
}

/* Living before carrion before plants. */
static void feed_mouth(struct preserve *p, int i, struct preserve_mouth *mouth)
{
    const struct eater eater = {i, mouth,
                                p->params->preserve_bite_w_m * mouth->width_m * p->tick_s};
    mouth->is_eating = -1;
    if (mouth->touched >= 0 && !is_kin(p, i, mouth->touched) &&
        !preserve_state_is_spared(p->state, p->state->living[mouth->touched].descent.id))
        bite_living(p, &eater, mouth->touched);
    struct carcass *carcass = mouth->is_eating < 0 ? find_carcass(p, mouth) : NULL;
    if (carcass)
        eat(p, &eater, FOOD_CARRION, &carcass->energy, carcass->energy, 1);
    microjoules *cell = plants_at(&p->plants, mouth->at.x, mouth->at.y);
    if (mouth->is_eating < 0 && cell)
        eat(p, &eater, FOOD_PLANT, cell, *cell > p->plants.least ? *cell - p->plants.least : 0,
            (double)*cell / (double)p->plants.most);
}

void preserve_feed(struct preserve *p, int i)
{
    struct dweller *d = p->dwellers[i];
    find_touched(p, i);
    for (int m = 0; m < d->mouth_count; m++)
        feed_mouth(p, i, &d->mouths[m]);
}

/* Carcasses sink and rot. */
void preserve_rot(struct preserve *p)
{
    struct preserve_state *s = p->state;
    int kept = 0;
    for (int i = 0; i < s->carcass_count; i++) {
        struct carcass c = s->carcasses[i];
        microjoules rotten = (microjoules)(CARCASS_ROT_1_S * p->tick_s * (double)c.energy);
        rotten = rotten > ROT_LEAST ? rotten : ROT_LEAST;
        rotten = rotten < c.energy ? rotten : c.energy;
        c.energy -= rotten;
        s->ledger.heat += rotten;
        c.y_m = det_max(c.y_m - CARCASS_SINK_M_S * p->tick_s, det_min(c.y_m, c.radius_m));
        if (c.energy > 0)
            s->carcasses[kept++] = c;
    }
    s->carcass_count = kept;
}
