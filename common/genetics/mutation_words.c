/* One table, from words that a mutation's text has (mutation_say()) to plain ones. The first row
 * that fits holds: rows that say more stand first. */
#include "common/genetics/genetics.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

#define GAP "; "

static const struct {
    const char *has, *plain;
} rows[] = {
    {" now reads ", "a new wire in the brain"},
    {"added a neuron ", "a new neuron"},
    {"function of neuron ", "a neuron works otherwise"},
    {"phase of neuron ", "another beat"},
    {"lag of neuron ", "another beat"},
    {"breeding method ", "another way to breed"},
    {" gained the sensor ", "a new sense"},
    {" lost the sensor ", "one sense less"},
    {" gained an effector", "a new muscle"},
    {" is driven", "a new muscle"},
    {" became a muscle", "a new muscle"},
    {" lost its effector", "one muscle less"},
    {" is no longer driven", "one muscle less"},
    {" is no longer a muscle", "one muscle less"},
    {"strength of ", "a muscle's strength"},
    {"longest of ", "a muscle's length"},
    {"shortest of ", "a muscle's length"},
    {"rate of ", "a muscle's speed"},
    {"gain of ", "a muscle's gain"},
    {"weight of ", "a wire's strength"},
    {"constant of ", "a wire's strength"},
    {"stretch", "how far a part stretches"},
    {"mouth of ", "another mouth"},
    {" became the head", "another head"},
    {"scent_", "another scent"},
    {" sound", "another voice"},
    {"recursive limit of ", "more or fewer copies of a part"},
    {"limit of ", "how far a joint bends"},
    {"joint of ", "another joint"},
    {"axis of ", "a joint's direction"},
    {"friction of ", "another grip"},
    {" rolls ", "another grip"},
    {"scale of ", "bigger or smaller limbs"},
    {" reflected", "a limb mirrored"},
    {" symmetric", "a part in pairs or single"},
    {" terminal-only", "a limb only at the end, or all along"},
    {" leads to ", "a limb becomes another"},
    {"added a brace ", "a new brace"},
    {"added a ", "a new limb"},
    {"added ", "a new part"},
    {"removed ", "one limb less"},
    {"position of ", "a limb sits elsewhere"},
    {" face of ", "a limb sits elsewhere"},
    {"angle of ", "a limb's angle"},
    {"tilt of ", "a limb's angle"},
    {"roll of ", "a limb's angle"},
    {"radius of ", "another size"},
    {"width of ", "another size"},
    {"height of ", "another size"},
    {"depth of ", "another size"},
    {"length of ", "another size"},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static int find_row(const char *change)
{
    int row = 0;
    while (row < ROW_COUNT && !strstr(change, rows[row].has))
        row++;
    return row;
}

static void add(char *text, size_t size, int count, const char *words)
{
    char times[16] = "";
    if (count > 1)
        snprintf(times, sizeof times, "%d x ", count);
    text_append(text, size, "%s%s%s", *text ? GAP : "", times, words);
}

/* The next change of a list, in a buffer; moves on. */
static int take_change(const char **list, char *change, size_t size)
{
    size_t length = strcspn(*list, ";");
    if (!**list)
        return 0;
    snprintf(change, size, "%.*s", (int)length, *list);
    *list += length;
    *list += strspn(*list, GAP);
    return 1;
}

void mutation_words_shorten(const char *mutations, char *text, size_t size)
{
    int counts[ROW_COUNT + 1] = {0};
    char change[256];
    for (const char *list = mutations; take_change(&list, change, sizeof change);)
        counts[find_row(change)]++;
    text[0] = '\0';
    for (const char *list = mutations; take_change(&list, change, sizeof change);) {
        int row = find_row(change);
        if (row == ROW_COUNT)
            add(text, size, 1, change);
        else if (counts[row])
            add(text, size, counts[row], rows[row].plain);
        if (row < ROW_COUNT)
            counts[row] = 0;
    }
}
