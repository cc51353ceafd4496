/* How a program introduces itself: by its process, its host and its job of Slurm. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/text.h"
#include "common/version.h"
#include "proto/message.h"

static void copy_environment(char text[64], const char *name)
{
    const char *value = getenv(name);
    snprintf(text, 64, "%s", value != NULL ? value : "");
    text_clean(text, "");
}

void hello_init(struct hello *hello, uint64_t fingerprint)
{
    char array[64], task[64];
    *hello = (struct hello){.protocol_version = PROTOCOL_VERSION,
                            .pid = (uint64_t)getpid(),
                            .fingerprint = fingerprint};
    snprintf(hello->build, sizeof hello->build, "%s", message_build_id());
    /* Slurm understands its own name of a machine only */
    copy_environment(hello->host, "SLURMD_NODENAME");
    if (hello->host[0] == '\0' && gethostname(hello->host, sizeof hello->host - 1) != 0)
        hello->host[0] = '\0';
    text_clean(hello->host, "");
    copy_environment(hello->job, "SLURM_JOB_ID");
    copy_environment(hello->step, "SLURM_STEP_ID");
    copy_environment(array, "SLURM_ARRAY_JOB_ID");
    copy_environment(task, "SLURM_ARRAY_TASK_ID");
    if (array[0] != '\0' && strlen(array) + strlen(task) + 1 < sizeof hello->job)
        snprintf(hello->job, sizeof hello->job, "%.31s_%.31s", array, task);
}
