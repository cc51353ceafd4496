/* What the files of MuJoCo in the plane and in space do alike: a model's XML is written piece by
 * piece, and loaded. */
#ifndef BENCH_PEERS_MUJOCO_XML_H
#define BENCH_PEERS_MUJOCO_XML_H

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { XML_BYTES = 32 * 1024 };

struct xml {
    char text[XML_BYTES];
    size_t size;
};

static void __attribute__((format(printf, 2, 3))) xml_add(struct xml *xml, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(xml->text + xml->size, XML_BYTES - xml->size, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size < XML_BYTES - xml->size)
        xml->size += (size_t)size;
}

/* NULL, with a message, where it is no model. */
static mjModel *xml_load(const struct xml *xml)
{
    char message[300] = "";
    static mjVFS files;
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "scene.xml", (int)xml->size);
    memcpy(files.filedata[0], xml->text, xml->size);
    mjModel *model = mj_loadXML("scene.xml", &files, message, sizeof message);
    mj_deleteFileVFS(&files, "scene.xml");
    if (!model)
        fprintf(stderr, "MuJoCo: %s\n", message);
    return model;
}

/* What diverges shows in the figures; MuJoCo would write a file about it. */
static void mujoco_ignore_warning(const char *message)
{
}

static const char *mujoco_version(void)
{
    return mj_versionString();
}

#endif
