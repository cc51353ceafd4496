#include "common/params/choice.h"

#include <string.h>

#include "common/error.h"

static const char *const names[] = {"ban", "none", "keep", "breed"};

const char *choice_name(int choice)
{
    ENSURE(choice >= CHOICE_BAN && choice <= CHOICE_BREED, "choice %d", choice);
    return names[choice - CHOICE_BAN];
}

int choice_find(const char *name, int *choice)
{
    for (int i = CHOICE_BAN; i <= CHOICE_BREED; i++)
        if (!strcmp(name, names[i - CHOICE_BAN])) {
            *choice = i;
            return 0;
        }
    return ERR_RANGE;
}
