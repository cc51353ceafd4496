/* The real numbers of a genome: what is one, and that changing them leaves sound genomes, which
 * differ in nothing else. */
#include "common/genetics/genetics_numbers.h"

#include "common/genetics/genetics.h"
#include "common/genome/body_kind.h"
#include "tests/plain_fixture.h"

static void make(struct genome *genome, int kind, uint64_t seed)
{
    struct gene_counter ids = {.creature = 1};
    params.creature_body = kind;
    struct rng rng = test_rng(seed, 0, 0);
    ck_assert_int_eq(genetics_random(genome, &params, &rng, &ids), 0);
}

static void copy_numbers(struct genome *to, struct genome *from)
{
    FREED struct genetics_number *a, *b;
    int count, same;
    ck_assert_int_eq(genetics_list_numbers(to, &params, &a, &count), 0);
    ck_assert_int_eq(genetics_list_numbers(from, &params, &b, &same), 0);
    ck_assert_int_eq(count, same);
    for (int i = 0; i < count; i++)
        *a[i].at = *b[i].at;
}

TEST_LOOP(changed_genomes_are_sound, 0, BODY_BOXES + 1)
{
    int brain, body, brains = 0, bodies = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        SCOPED(genome) genome, changed;
        params_set_defaults(&params);
        make(&genome, _i, seed);
        ck_assert_int_eq(genome_copy(&changed, &genome), 0);
        struct rng rng = test_rng(seed, 1, 0);
        for (int i = 0; i < 20; i++) {
            ck_assert_int_eq(genetics_change_numbers(&changed, &params, 0, 0.6, &rng), 0);
            ck_ok(genome_check(&changed, &error));
        }
        ck_assert(!genome_is_equal(&genome, &changed));
        ck_assert_int_eq(genetics_count_changed(&genome, &changed, &params, &brain, &body), 0);
        brains += brain;
        bodies += body;
        copy_numbers(&changed, &genome);
        ck_assert(genome_is_equal(&genome, &changed));
    }
    ck_assert(brains > 100 && bodies > 100);
}

TEST_LOOP(a_brain_changes_alone, 0, BODY_BOXES + 1)
{
    int brain, body, brains = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        SCOPED(genome) genome, changed;
        params_set_defaults(&params);
        make(&genome, _i, seed);
        ck_assert_int_eq(genome_copy(&changed, &genome), 0);
        struct rng rng = test_rng(seed, 1, 0);
        ck_assert_int_eq(genetics_change_numbers(&changed, &params, 1, 0.1, &rng), 0);
        ck_assert_int_eq(genetics_count_changed(&genome, &changed, &params, &brain, &body), 0);
        ck_assert_int_eq(body, 0);
        brains += brain;
        for (int i = 0; i < genome.connection_count; i++)
            ck_assert(gene_is_equal(body_kinds[_i].connection, &genome.connections[i],
                                    &changed.connections[i]));
        /* nor do bodies that do not mutate */
        params.mutation_body = 0;
        for (int i = 0; i < 10; i++)
            ck_assert_int_eq(genetics_change_numbers(&changed, &params, 0, 0.1, &rng), 0);
        params.mutation_body = 1;
        ck_assert_int_eq(genetics_count_changed(&genome, &changed, &params, &brain, &body), 0);
        ck_assert_int_eq(body, 0);
    }
    ck_assert_int_gt(brains, 10);
}

SUITE("genetics_numbers", 0, NULL, NULL)
