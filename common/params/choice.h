/* A person's wish for a creature when the next generation is bred (docs/evolution.md, "Choosing by
 * hand"). */
#ifndef COMMON_PARAMS_CHOICE_H
#define COMMON_PARAMS_CHOICE_H

/* In rising order of favour. */
enum choice {
    CHOICE_BAN = -1, /* neither survives nor breeds */
    CHOICE_NONE,     /* nothing was said */
    CHOICE_KEEP,     /* survives */
    CHOICE_BREED     /* survives, and has children */
};

/* "ban", "none", "keep", "breed". */
const char *choice_name(int choice);
/* 0 and the choice of that name, or ERR_RANGE. */
int choice_find(const char *name, int *choice);

#endif
