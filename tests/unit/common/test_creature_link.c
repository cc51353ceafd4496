/* Links carry a creature whole; what is changed in one is refused or is a creature. */
#include "common/creature/creature_link.h"
#include "common/genetics/genetics.h"
#include "tests/suite.h"

static struct creature creature;
static struct creature_link link_of;
static struct pack_writer writer;

static void begin(void)
{
    struct gene_counter ids = {1, 0};
    struct rng rng;
    struct error error;
    creature_init(&creature);
    snprintf(creature.name, sizeof creature.name, "runner");
    params_set_defaults(&link_of.params);
    ck_assert_int_eq(params_set(&link_of.params, "world.preset", "water", &error), 0);
    ck_assert_int_eq(params_set(&link_of.params, "evolution.behaviour", "swim", &error), 0);
    link_of.seed = UINT64_MAX;
    link_of.digest = 7;
    rng_init(&rng, 3, RNG_BREEDING, 0, 1);
    ck_assert_int_eq(genetics_random(&creature.genome, &link_of.params, &rng, &ids), 0);
    pack_writer_init(&writer);
    creature_link_encode(&creature, &link_of, &writer);
    ck_assert_int_eq(writer.has_failed, 0);
}

static void end(void)
{
    pack_writer_deinit(&writer);
    creature_deinit(&creature);
}

static int decode(const char *bytes, size_t length, struct creature *read,
                  struct creature_link *link, struct error *error)
{
    creature_init(read);
    return creature_link_decode(read, link, bytes, length, error);
}

TEST(link_carries_all)
{
    struct creature read;
    struct creature_link link;
    struct error error = {0};
    ck_assert_int_eq(decode(writer.buffer.data, writer.buffer.size, &read, &link, &error), 0);
    ck_assert_str_eq(read.name, "runner");
    ck_assert(genome_is_equal(&read.genome, &creature.genome));
    ck_assert_uint_eq(link.seed, UINT64_MAX);
    ck_assert_uint_eq(link.digest, 7);
    ck_assert_uint_eq(params_evaluation_digest(&link.params),
                      params_evaluation_digest(&link_of.params));
    ck_assert_int_eq(link.params.evolution_behaviour, link_of.params.evolution_behaviour);
    creature_deinit(&read);
    FREED char *text = creature_link_text(&creature, &link_of);
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(strncmp(text, "#c=1.", 5), 0);
    ck_assert_uint_eq(strspn(text + 5, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_"),
                      strlen(text) - 5);
}

TEST(changed_links_do_no_harm)
{
    int refused = 0;
    for (size_t i = 0; i < writer.buffer.size; i++) {
        SCOPED(creature) read;
        struct creature_link link;
        struct error error = {0};
        char before = writer.buffer.data[i];
        writer.buffer.data[i] = (char)(before ^ (1 << i % 8));
        int is_refused = decode(writer.buffer.data, writer.buffer.size, &read, &link, &error) != 0;
        ck_assert(!is_refused || !strncmp(error.message, "link", 4));
        refused += is_refused;
        creature_deinit(&read);
        writer.buffer.data[i] = before;
        ck_assert_int_ne(decode(writer.buffer.data, i, &read, &link, &error), 0);
    }
    ck_assert_int_gt(refused, 50);
}

TEST(later_versions_are_told)
{
    struct creature read;
    struct creature_link link;
    struct error error = {0};
    writer.buffer.data[1] = 2;
    ck_refused_as(decode(writer.buffer.data, writer.buffer.size, &read, &link, &error), ERR_VERSION,
                  "link: it is of a later version");
}

SUITE("creature_link", 0, begin, end)
