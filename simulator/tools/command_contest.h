/* simulator contest: two creatures in one world, and who wins. */
#ifndef SIMULATOR_TOOLS_COMMAND_CONTEST_H
#define SIMULATOR_TOOLS_COMMAND_CONTEST_H

/* argv[0] is "contest". Returns the exit code: 0, 1 failed, 2 wrong usage. */
int command_contest(int argc, char **argv);

#endif
