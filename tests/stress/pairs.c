/* pairs: random pairs of boxes in space against a search over directions.
 *
 *     build/stress/pairs [COUNT]        1000000 pairs by default, some minutes
 *
 * No direction may overlap by less than the separating axes say; and the boxes exchanged must give
 * the same points with the normal reversed. Prints how many overlap and in how many the search
 * came within 1 mm of the depth. Exit code 1 if a pair fails, which is named by its number. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/direction_search.h"

enum { PAIRS = 1000000, TRIES = 40, STEPS = 200 };
#define TOLERANCE_M 1e-9
/* Edges nearly parallel make no axis: what that may leave out, m. */
#define PARALLEL_M 1e-3

static int has_parallel_edges(const struct solid *a, const struct solid *b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (fabs(vec3_dot(a->axes[i], b->axes[j])) > 1 - 1e-6)
                return 1;
    return 0;
}

static int is_exchangeable(const struct solid_manifold *one, const struct solid_manifold *two)
{
    int is_same = one->count == two->count;
    for (int k = 0; k < one->count && is_same; k++) {
        const struct solid_point *p = &one->points[k], *q = &two->points[k];
        is_same = p->at.x == q->at.x && p->at.y == q->at.y && p->at.z == q->at.z &&
                  p->gap == q->gap && p->feature == q->feature;
    }
    return is_same && (one->count == 0 ||
                       (one->normal.x == -two->normal.x && one->normal.y == -two->normal.y &&
                        one->normal.z == -two->normal.z));
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : PAIRS, overlapping = 0, found = 0, failed = 0;
    for (long i = 0; i < count; i++) {
        struct rng rng;
        struct solid a, b;
        struct solid_manifold one, two;
        rng_init(&rng, 1, RNG_TEST, 0, (uint64_t)i);
        draw_pair(&rng, &a, &b);
        double depth = -solids_separation(&a, &b);
        solids_meet(&a, &b, 1e-3, NULL, &one);
        solids_meet(&b, &a, 1e-3, NULL, &two);
        int is_wrong = !is_exchangeable(&one, &two) || (depth > 0 && one.count == 0);
        if (depth > 0) {
            double least = search_overlap(&a, &b, TRIES, STEPS, &rng);
            is_wrong |= least < depth - (has_parallel_edges(&a, &b) ? PARALLEL_M : TOLERANCE_M);
            overlapping++;
            found += least < depth + 1e-3;
        }
        if (is_wrong)
            printf("pair %ld is wrong: depth %.17g, axis %d, %d points\n", i, depth, one.axis,
                   one.count);
        failed += is_wrong;
    }
    printf("pairs: %ld, %ld overlap, the search came within 1 mm in %ld, %ld failed\n", count,
           overlapping, found, failed);
    return failed > 0;
}
