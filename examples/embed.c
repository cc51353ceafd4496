/* Reads a creature, lives its life twice by a snapshot, and says whether it is verified; its child
 * is evaluated besides.
 *
 *     cc embed.c $(pkg-config --cflags --libs bestiary) -o embed && ./embed walker.creature */
#include <bestiary.h>
#include <inttypes.h>
#include <stdio.h>

static int live(struct bestiary_life *life, struct bestiary_error *error)
{
    struct bestiary_bytes start;
    struct bestiary_result result;
    double centre[3] = {0, 0, 0};
    int status = bestiary_life_save(life, &start, error);
    for (int round = 0; round < 2 && !status; round++) {
        while (bestiary_life_tick(life, 60) == 60)
            bestiary_life_read(life, BESTIARY_CENTRE, centre, 3);
        status = bestiary_life_result(life, &result, error);
        if (!status)
            printf("x %.3f m, digest %016" PRIx64 ", %s\n", centre[0], result.digest,
                   result.status == BESTIARY_VERIFIED ? "verified" : result.words);
        if (!status)
            status = bestiary_life_restore(life, &start, error);
    }
    bestiary_bytes_free(&start);
    return status;
}

int main(int argc, char **argv)
{
    static unsigned char bytes[4 << 20];
    struct bestiary_error error = {0, "no file"};
    struct bestiary_creature *creature = NULL, *child = NULL;
    struct bestiary_params *params = NULL;
    struct bestiary_life *life = NULL;
    struct bestiary_record record;
    struct bestiary_result result;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    int status = bestiary_creature_read(&creature, bytes, length, &error);
    if (!status && bestiary_creature_record(creature, &record) == 0)
        printf("recorded: digest %016" PRIx64 "\n", record.digest);
    if (!status && !(status = bestiary_params_of(&params, creature, &error)) &&
        !(status = bestiary_life_make(&life, creature, params, record.seed, &error)))
        status = live(life, &error);
    if (!status &&
        !(status = bestiary_creature_breed(&child, creature, NULL, 0, -1, params, 1, &error)) &&
        !(status = bestiary_evaluate(child, params, record.seed, &result, &error)))
        printf("a child: fitness %.6g, %s\n", result.fitness, result.words);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    bestiary_life_free(life);
    bestiary_params_free(params);
    bestiary_creature_free(child);
    bestiary_creature_free(creature);
    return status != 0;
}
