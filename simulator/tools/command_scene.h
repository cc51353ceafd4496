/* simulator scene: the motion of a scene (docs/scenes.md), as a trace and a summary. */
#ifndef SIMULATOR_COMMAND_SCENE_H
#define SIMULATOR_COMMAND_SCENE_H

/* argv[0] is "scene". Returns the exit code. */
int command_scene(int argc, char **argv);

#endif
