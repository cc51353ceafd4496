/* Draws a window of creatures: their picture, and the panels that surround it. */
#include "viewer/window/creature_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/math/hash.h"

/* The strip is drawn so many times a second; at every frame it would be a fifth of the work. */
#define STRIP_HZ 15.0

/* ---- drawing the scene ---- */

/* The words below the title of a creature. */
static void write_caption(const struct creature_window *window, int index, char *text, size_t size)
{
    const struct creature *creature = &gallery_specimen(window->gallery, index)->creature;
    int64_t generation = window->gallery->shown.generations[index];
    int count = window->gallery->shown.count;
    const char *mark = creature->is_champion ? ", champion of the run" : "";
    switch (window->gallery->kind) {
    case SHELF_GENERATION:
        snprintf(text, size,
                 !window->gallery->options.is_ranks ? "generation %lld, kind of body %d of %d%s"
                                                    : "generation %lld, number %d of the best %d%s",
                 (long long)generation, index + 1, count, mark);
        break;
    case SHELF_CHAMPIONS:
        snprintf(text, size, "best of generation %lld%s", (long long)generation, mark);
        break;
    default:
        snprintf(text, size, "%s", gallery_specimen(window->gallery, index)->caption);
    }
}

static void draw_pair(cairo_t *cr, const struct creature_window *window)
{
    const struct replay *replays[GALLERY_SHOWN_MAX];
    char texts[2][SPECIMEN_CAPTION_SIZE + 16];
    const char *captions[2] = {texts[0], texts[1]};
    int count = creatures_shown(window, replays);
    for (int i = 0; i < count; i++) {
        int is_parent = i == 0 && count == 2;
        int used = snprintf(texts[i], sizeof texts[i], is_parent ? "parent: " : "child: ");
        write_caption(window, window->current + is_parent, texts[i] + used,
                      sizeof texts[i] - (size_t)used);
    }
    const struct draw_cells cells = {replays, captions, count, -1, window->cells_zoom};
    draw_cells(cr, creatures_scene_width(window), creatures_scene_height(window), &cells,
               window->player.time_s, window->overlays);
}

/* The creature, and beside it its brain, so that neither covers the other. */
static void draw_single(cairo_t *cr, const struct creature_window *window)
{
    const struct replay *replay = creatures_current_replay(window);
    struct draw_view view = creatures_brain_view(window);
    int width = creatures_scene_width(window), height = creatures_scene_height(window);
    char text[SPECIMEN_CAPTION_SIZE];
    unsigned inside = window->overlays & ~(unsigned)DRAW_BRAIN;
    int has_ledger_beside =
        creatures_has_brain(window) && inside & DRAW_LEDGER &&
        draw_ledger_below_brain(NULL, &view, replay, window->player.time_s, height);
    if (has_ledger_beside)
        inside &= ~(unsigned)DRAW_LEDGER;
    if (creatures_has_brain(window))
        inside |= DRAW_PARTS;
    draw_frame(cr, width, height, &replay, 1, &window->camera, window->player.time_s, inside);
    int parent = window->has_ghost ? creatures_parent_place(window) : -1;
    if (parent >= 0)
        draw_ghost(cr, width, height, replay, window->replays[parent], &window->camera,
                   window->player.time_s, inside);
    write_caption(window, window->current, text, sizeof text);
    draw_text_lines(cr, text, 14 * view.ui, 43 * view.ui, 0.8 * width, 11.5 * view.ui, 3,
                    COLOR_text_soft);
    if (!creatures_has_brain(window))
        return;
    cairo_rectangle(cr, width, 0, view.width_px - width, height);
    draw_fill(cr, COLOR_panel, 1);
    /* first, since the brain's hint may lie over it */
    if (has_ledger_beside)
        draw_ledger_below_brain(cr, &view, replay, window->player.time_s, height);
    draw_brain(cr, &view, replay, window->player.time_s, &window->pointed);
}

static void draw_waiting(cairo_t *cr, const struct creature_window *window)
{
    int width = creatures_scene_width(window), height = creatures_scene_height(window);
    double ui = draw_ui_scale(width, height);
    const char *text = window->gallery->shown.count
                           ? gallery_specimen(window->gallery, window->current)->refusal
                           : "The run has not finished a generation yet; this window waits for it.";
    draw_set_color(cr, palette[COLOR_sky_bottom].light, 1);
    cairo_paint(cr);
    draw_text(cr, text, width / 2.0, height / 2.0, 15 * ui, 0, DRAW_CENTRE, COLOR_text_soft);
}

void creatures_draw_scene(const struct player *player, cairo_t *cr)
{
    const struct creature_window *window = (const struct creature_window *)player;
    if (!creatures_current_replay(window))
        draw_waiting(cr, window);
    else if (window->view == VIEW_RACE)
        draw_frame(cr, creatures_scene_width(window), creatures_scene_height(window),
                   window->replays, window->ready_count, &window->camera, window->player.time_s,
                   window->overlays);
    else if (window->view == VIEW_CELLS)
        draw_cells(cr, creatures_scene_width(window), creatures_scene_height(window),
                   &(struct draw_cells){window->replays, NULL, window->ready_count,
                                        creatures_ready_place(window, window->current),
                                        window->cells_zoom},
                   window->player.time_s, window->overlays);
    else if (window->view == VIEW_PAIR)
        draw_pair(cr, window);
    else
        draw_single(cr, window);
    if (creatures_current_replay(window))
        creatures_draw_marks(cr, window);
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
static void draw_kept_strip(cairo_t *cr, struct creature_window *window)
{
    struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
    struct draw_strip strip = creatures_strip_of(window, thumbs);
    strip.time_s = floor(strip.time_s * STRIP_HZ) / STRIP_HZ;
    uint64_t hash = hash_strip(&strip);
    int top = (int)floor(strip.box.y), height = (int)ceil(strip.box.y + strip.box.height) - top;
    if (!window->strip_picture || hash != window->strip_hash) {
        if (window->strip_picture)
            cairo_surface_destroy(window->strip_picture);
        window->strip_picture =
            cairo_image_surface_create(CAIRO_FORMAT_ARGB32, window->player.width, height);
        window->strip_hash = hash;
        cairo_t *picture = cairo_create(window->strip_picture);
        cairo_translate(picture, 0, -top);
        draw_strip(picture, &strip);
        cairo_destroy(picture);
    }
    cairo_set_source_surface(cr, window->strip_picture, 0, top);
    cairo_paint(cr);
}

void creatures_draw_panels(struct player *player, cairo_t *cr)
{
    struct creature_window *window = (struct creature_window *)player;
    if (creatures_has_descent(window)) {
        struct draw_step steps[GALLERY_SHOWN_MAX];
        struct draw_descent descent = creatures_descent_of(window, steps);
        draw_descent(cr, &descent);
    }
    if (creatures_has_run(window)) {
        struct draw_timeline timeline = creatures_timeline_of(window);
        draw_timeline(cr, &timeline);
        if (creatures_has_strip(window))
            draw_kept_strip(cr, window);
    }
    if (creatures_has_choices(window))
        creatures_draw_choices(cr, window);
}
