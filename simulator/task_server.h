/* Worker mode: the simulator as one worker of a farm, messages on stdin and stdout, log on
 * stderr. */
#ifndef SIMULATOR_TASK_SERVER_H
#define SIMULATOR_TASK_SERVER_H

/* Serves until stop or the end of the input (returns 0), or until the input is no protocol or the
 * output is broken (returns 1, logged). An output that is a terminal (of `srun -u`, say) is made
 * raw. A task that uses more processor time than the deadline of the setup message ends the process
 * with code WORKER_EXIT_HUNG; when memory runs out within the limit of the setup message, it
 * returns WORKER_EXIT_MEMORY. */
int task_server_run(int input, int output);

#endif
