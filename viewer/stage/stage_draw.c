/* Draws the stage: the picture of creatures, and the panels that surround it. */
#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/math/hash.h"

/* The strip is drawn so many times a second; at every frame it would be a fifth of the work. */
#define STRIP_HZ 15.0

/* ---- drawing the scene ---- */

/* The words below the title of a creature. */
static void write_caption(const struct stage *stage, int index, char *text, size_t size)
{
    const struct creature *creature = &gallery_specimen(stage->gallery, index)->creature;
    int64_t generation = stage->gallery->shown.generations[index];
    int count = stage->gallery->shown.count;
    const char *mark = creature->is_champion ? ", champion of the run" : "";
    switch (stage->gallery->kind) {
    case SHELF_GENERATION:
        snprintf(text, size,
                 !stage->gallery->options.is_ranks ? "generation %lld, kind of body %d of %d%s"
                                                   : "generation %lld, number %d of the best %d%s",
                 (long long)generation, index + 1, count, mark);
        break;
    case SHELF_CHAMPIONS:
        snprintf(text, size, "best of generation %lld%s", (long long)generation, mark);
        break;
    case SHELF_LINEAGE:
        snprintf(text, size, "generation %lld%s, %s%s%s", (long long)generation, mark,
                 creature->method, creature->mutations[0] ? ": " : "", creature->mutations);
        break;
    default:
        text[0] = 0;
    }
}

static void draw_pair(cairo_t *cr, const struct stage *stage)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    char texts[2][CREATURE_MUTATIONS_SIZE + 80];
    const char *captions[2] = {texts[0], texts[1]};
    int count = stage_shown(stage, replays);
    for (int i = 0; i < count; i++) {
        int is_parent = i == 0 && count == 2;
        int used = snprintf(texts[i], sizeof texts[i], is_parent ? "parent: " : "child: ");
        write_caption(stage, stage->current + is_parent, texts[i] + used,
                      sizeof texts[i] - (size_t)used);
    }
    const struct draw_cells cells = {replays, captions, count, -1, stage->cells_zoom};
    draw_cells(cr, stage_scene_width(stage), stage_scene_height(stage), &cells,
               stage->player.time_s, stage->overlays);
}

/* The creature, and beside it its brain, so that neither covers the other. */
static void draw_single(cairo_t *cr, const struct stage *stage)
{
    const struct replay *replay = stage_current_replay(stage);
    struct draw_view view = stage_brain_view(stage);
    int width = stage_scene_width(stage), height = stage_scene_height(stage);
    char text[CREATURE_MUTATIONS_SIZE + 80];
    unsigned inside = stage->overlays & ~(unsigned)DRAW_BRAIN;
    int has_ledger_beside =
        stage_has_brain(stage) && inside & DRAW_LEDGER &&
        draw_ledger_below_brain(NULL, &view, replay, stage->player.time_s, height);
    if (has_ledger_beside)
        inside &= ~(unsigned)DRAW_LEDGER;
    if (stage_has_brain(stage))
        inside |= DRAW_PARTS;
    draw_frame(cr, width, height, &replay, 1, &stage->camera, stage->player.time_s, inside);
    write_caption(stage, stage->current, text, sizeof text);
    draw_text_lines(cr, text, 14 * view.ui, 43 * view.ui, 0.8 * width, 11.5 * view.ui, 3,
                    COLOR_text_soft);
    if (!stage_has_brain(stage))
        return;
    cairo_rectangle(cr, width, 0, view.width_px - width, height);
    draw_set_color(cr, palette[COLOR_panel].light, 1);
    cairo_fill(cr);
    /* first, since the brain's hint may lie over it */
    if (has_ledger_beside)
        draw_ledger_below_brain(cr, &view, replay, stage->player.time_s, height);
    draw_brain(cr, &view, replay, stage->player.time_s, &stage->pointed);
}

static void draw_waiting(cairo_t *cr, const struct stage *stage)
{
    int width = stage_scene_width(stage), height = stage_scene_height(stage);
    double ui = draw_ui_scale(width, height);
    const char *text = stage->gallery->shown.count
                           ? gallery_specimen(stage->gallery, stage->current)->refusal
                           : "The run has not finished a generation yet; this window waits for it.";
    draw_set_color(cr, palette[COLOR_sky_bottom].light, 1);
    cairo_paint(cr);
    draw_text(cr, text, width / 2.0, height / 2.0, 15 * ui, 0, DRAW_CENTRE, COLOR_text_soft);
}

void stage_draw_scene(const struct player *player, cairo_t *cr)
{
    const struct stage *stage = (const struct stage *)player;
    if (!stage_current_replay(stage))
        draw_waiting(cr, stage);
    else if (stage->view == VIEW_RACE)
        draw_frame(cr, stage_scene_width(stage), stage_scene_height(stage), stage->replays,
                   stage->ready_count, &stage->camera, stage->player.time_s, stage->overlays);
    else if (stage->view == VIEW_CELLS)
        draw_cells(cr, stage_scene_width(stage), stage_scene_height(stage),
                   &(struct draw_cells){stage->replays, NULL, stage->ready_count,
                                        stage_ready_place(stage, stage->current),
                                        stage->cells_zoom},
                   stage->player.time_s, stage->overlays);
    else if (stage->view == VIEW_PAIR)
        draw_pair(cr, stage);
    else
        draw_single(cr, stage);
    if (stage_current_replay(stage))
        stage_draw_marks(cr, stage);
}

/* ---- drawing the panels ---- */

/* Everything that the strip's picture depends on. */
static uint64_t hash_strip(const struct draw_strip *strip)
{
    uint64_t hash = hash_double(HASH_START, strip->time_s);
    hash = hash_double(hash_double(hash, strip->box.width), strip->box.height);
    hash = hash_double(hash_u64(hash, (uint64_t)strip->marked), strip->box.ui);
    for (int i = 0; i < strip->count; i++) {
        hash = hash_u64(hash, (uint64_t)(uintptr_t)strip->thumbs[i].replay);
        hash = hash_bytes(hash, strip->thumbs[i].title, strlen(strip->thumbs[i].title));
        hash = hash_bytes(hash, strip->thumbs[i].text, strlen(strip->thumbs[i].text));
    }
    return hash;
}

/* Draws the strip anew only when it is another one. */
static void draw_kept_strip(cairo_t *cr, struct stage *stage)
{
    struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
    struct draw_strip strip = stage_strip_of(stage, thumbs);
    strip.time_s = floor(strip.time_s * STRIP_HZ) / STRIP_HZ;
    uint64_t hash = hash_strip(&strip);
    int top = (int)floor(strip.box.y), height = (int)ceil(strip.box.y + strip.box.height) - top;
    if (!stage->strip_picture || hash != stage->strip_hash) {
        if (stage->strip_picture)
            cairo_surface_destroy(stage->strip_picture);
        stage->strip_picture =
            cairo_image_surface_create(CAIRO_FORMAT_ARGB32, stage->player.width, height);
        stage->strip_hash = hash;
        cairo_t *picture = cairo_create(stage->strip_picture);
        cairo_translate(picture, 0, -top);
        draw_strip(picture, &strip);
        cairo_destroy(picture);
    }
    cairo_set_source_surface(cr, stage->strip_picture, 0, top);
    cairo_paint(cr);
}

void stage_draw_panels(struct player *player, cairo_t *cr)
{
    struct stage *stage = (struct stage *)player;
    if (stage_has_descent(stage)) {
        struct draw_step steps[GALLERY_SHOWN_MAX];
        struct draw_descent descent = stage_descent_of(stage, steps);
        draw_descent(cr, &descent);
    }
    if (stage_has_run(stage)) {
        struct draw_timeline timeline = stage_timeline_of(stage);
        draw_timeline(cr, &timeline);
        if (stage_has_strip(stage))
            draw_kept_strip(cr, stage);
    }
    if (stage_has_choices(stage))
        stage_draw_choices(cr, stage);
}

#endif
