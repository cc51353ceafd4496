/* All test programs of a folder in one, PROGRAMS being the list of them: it runs the one by whose
 * name it is called, as links to it are named. Saves the linker some hundred programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM(name) int name##_main(int argc, char **argv);
#include PROGRAMS
#undef PROGRAM

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name) {#name, name##_main},
#include PROGRAMS
};

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(name, programs[i].name) == 0)
            return programs[i].run(argc, argv);
    fprintf(stderr, "%s: no test program is called so\n", name);
    return EXIT_FAILURE;
}
