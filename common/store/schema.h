/* The schema of RUN_DIR/run.db; docs/run-store.md explains it to people who query it.
 *
 * Everything that may differ between two equal runs (times, workers, costs, attempts) stands in
 * `run`, `seeds`, `costs`, `events` and `quarantine`; all other rows are a function of the
 * parameters alone. Seeds and digests are 16 hexadecimal digits, because SQLite's integers are
 * signed. There is a column for each measure. The genome is the last column: it may spill to
 * overflow pages, which queries on the measures then never touch. */
#ifndef COMMON_STORE_SCHEMA_H
#define COMMON_STORE_SCHEMA_H

#include "common/preserve/epoch.h"
#include "common/judge/measures.h"

/* user_version; a store of an unknown version is refused. */
#define STORE_SCHEMA_VERSION 18
/* The oldest that is read; a writer brings it up to date. */
#define STORE_SCHEMA_OLDEST 17
/* "Best": says that an SQLite file is a run of this program. */
#define STORE_APPLICATION_ID 0x42657374

/* Longest wait for another program that holds a lock on run.db. */
#define STORE_BUSY_TIMEOUT_MS 20000

#define STORE_MEASURE_COLUMN(name, text) #name " REAL, "
#define STORE_FACT_COLUMN(name)          " " #name " INTEGER NOT NULL,"

static const char *const store_schema[] = {
    /* created_utc, program, finished (0 or 1), ... */
    "CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",

    /* A run starts with branch 1; resuming with settings that change results opens the next. */
    "CREATE TABLE branches ("
    " branch INTEGER PRIMARY KEY,"
    " generation INTEGER NOT NULL," /* the one under way when it began */
    " simulator_version INTEGER NOT NULL,"
    " evaluation_digest TEXT NOT NULL" /* of the parameters that an evaluation depends on */
    ") STRICT",

    "CREATE TABLE branch_parameters ("
    " branch INTEGER NOT NULL REFERENCES branches,"
    " position INTEGER NOT NULL," /* the order in which they must be set */
    " key TEXT NOT NULL,"
    " value TEXT NOT NULL,"
    " PRIMARY KEY (branch, key)"
    ") STRICT, WITHOUT ROWID",

    /* The parameters in force: key, value. */
    "CREATE VIEW parameters AS SELECT key, value FROM branch_parameters"
    " WHERE branch = (SELECT max(branch) FROM branches) ORDER BY position",

    "CREATE TABLE generations ("
    " number INTEGER PRIMARY KEY," /* from 0 */
    " branch INTEGER NOT NULL REFERENCES branches,"
    " closed INTEGER NOT NULL CHECK (closed IN (0, 1)),"
    " evaluations_own INTEGER NOT NULL,"  /* evaluations this generation needed */
    " evaluations INTEGER,"               /* up to and including it; when closed, as all below */
    " best REAL, median REAL, mean REAL," /* fitness of the members */
    " best_id INTEGER"
    ") STRICT",

    /* The creatures born for the generation under way, and those still without a result from the
     * one before: emptied when it is closed. The row in `individuals` is written, whole, when the
     * result is there, and that in `members` when the generation is closed. */
    "CREATE TABLE births ("
    " id INTEGER PRIMARY KEY,"
    " generation INTEGER NOT NULL,"
    " method TEXT NOT NULL,"
    " parent1 INTEGER, parent2 INTEGER,"
    " mutations TEXT NOT NULL,"
    " seed TEXT NOT NULL,"
    " body INTEGER,"
    " trials INTEGER,"
    " bar_m_s REAL, bar_sizes_s REAL,"
    " kept REAL,"
    " island INTEGER,"
    " genome BLOB NOT NULL"
    ") STRICT",

    "CREATE TABLE individuals ("
    " id INTEGER PRIMARY KEY,"      /* 1, 2, ... in the order of birth */
    " generation INTEGER NOT NULL," /* of birth */
    " method TEXT NOT NULL,"        /* random, asexual, crossover, graft, seed */
    " parent1 INTEGER REFERENCES individuals, parent2 INTEGER REFERENCES individuals,"
    " mutations TEXT NOT NULL," /* in words */
    " seed TEXT NOT NULL,"      /* of its evaluation */
    " body INTEGER,"            /* search archive: the creature in which its body appeared first */
    " trials INTEGER," /* search archive: of a trial of weights, how many its body gets after it */
    " bar_m_s REAL,"   /* raise guard.hopeless_m_s and hopeless_sizes_s for it; NULL: they hold */
    " bar_sizes_s REAL,"
    " kept REAL,"      /* the share of its score that its nearest tried ancestor kept; NULL: none */
    " island INTEGER," /* evolution.islands: the start that it is of, from 1 */
    " branch INTEGER REFERENCES branches," /* of its evaluation */
    " verdict TEXT,"
    " fitness REAL,"          /* 0 if the referee was not satisfied */
    " referee_fitness REAL,"  /* in its worst trial; NULL: the referee has not seen it */
    " referee_words TEXT,"    /* what that came to */
    " referee_stage INTEGER," /* 1: it was tried at the step, 2: at a finer one, too */
    " digest TEXT,"           /* of its motion */
    " " MEASURES(
        STORE_MEASURE_COLUMN) " genome BLOB NOT NULL" /* MessagePack, docs/creature-format.md */
                              ") STRICT",

    /* The creatures the run began with. */
    "CREATE TABLE seeds ("
    " individual INTEGER PRIMARY KEY," /* whose genome it is, with new ids */
    " source TEXT NOT NULL,"           /* the file it was read from, or RUN_DIR:ID */
    " creature BLOB NOT NULL"          /* as in a binary creature file */
    ") STRICT",

    /* The creatures judged in each generation: survivors are members of several. */
    "CREATE TABLE members ("
    " generation INTEGER NOT NULL REFERENCES generations,"
    " individual INTEGER NOT NULL REFERENCES individuals,"
    " evaluated INTEGER NOT NULL," /* 1: its result counts in this generation */
    " rank INTEGER,"               /* 1 = best; when closed, as the next two */
    " survived INTEGER,"
    " fitness REAL,"
    " PRIMARY KEY (generation, individual)"
    ") STRICT, WITHOUT ROWID",

    /* Search `archive`: its creatures when a generation was closed. */
    "CREATE TABLE archive ("
    " generation INTEGER NOT NULL REFERENCES generations,"
    " individual INTEGER NOT NULL REFERENCES individuals,"
    " cell INTEGER,"             /* that it fills; NULL: it is only protected */
    " trials INTEGER NOT NULL,"  /* of other weights that its body still gets */
    " waiting INTEGER NOT NULL," /* 1: for the result of such a trial */
    " PRIMARY KEY (generation, individual)"
    ") STRICT, WITHOUT ROWID",

    /* A person's wish for a member when its generation was bred from. */
    "CREATE TABLE choices ("
    " generation INTEGER NOT NULL,"
    " individual INTEGER NOT NULL,"
    " choice TEXT NOT NULL CHECK (choice IN ('ban', 'keep', 'breed')),"
    " PRIMARY KEY (generation, individual)"
    ") STRICT, WITHOUT ROWID",

    /* The trials of candidates for champion. */
    "CREATE TABLE referee_trials ("
    " individual INTEGER NOT NULL,"
    " trial TEXT NOT NULL,"
    " verdict TEXT NOT NULL,"
    " fitness REAL NOT NULL,"
    " PRIMARY KEY (individual, trial)"
    ") STRICT, WITHOUT ROWID",

    /* The pairs that met, if creatures are judged by contests. */
    "CREATE TABLE contests ("
    " generation INTEGER NOT NULL,"
    " first INTEGER NOT NULL, second INTEGER NOT NULL,"
    " trial TEXT NOT NULL,"
    " seed TEXT NOT NULL,"
    " verdict1 TEXT NOT NULL, verdict2 TEXT NOT NULL,"
    " margin1 REAL NOT NULL, margin2 REAL NOT NULL,"
    " digest TEXT NOT NULL,"
    " PRIMARY KEY (generation, first, second, trial)"
    ") STRICT, WITHOUT ROWID",

    /* Runs of a preserve: worlds at the end of their epochs, their states (proto/PROTOCOL.md), and
     * the creatures that hatched. */
    "CREATE TABLE epochs ("
    " world INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL,"
    " digest TEXT NOT NULL,"
    " without TEXT NOT NULL,"
    " drifted_to INTEGER,"
    " traveller BLOB,"
    " cpu_ms REAL NOT NULL," EPOCH_FACTS(STORE_FACT_COLUMN) " PRIMARY KEY (world, epoch)"
                                                            ") STRICT",
    "CREATE TABLE states ("
    " world INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL,"
    " state BLOB NOT NULL,"
    " PRIMARY KEY (world, epoch)"
    ") STRICT",
    "CREATE TABLE lives ("
    " id INTEGER PRIMARY KEY,"
    " world INTEGER NOT NULL,"
    " mother INTEGER,"
    " father INTEGER,"
    " family INTEGER NOT NULL,"
    " generation INTEGER NOT NULL,"
    " hunter INTEGER NOT NULL,"
    " born_s REAL NOT NULL,"
    " died_s REAL,"
    " cause TEXT,"
    " children INTEGER NOT NULL,"
    " parts INTEGER NOT NULL,"
    " area_m2 REAL NOT NULL,"
    " way_m REAL NOT NULL,"
    " plants_uj INTEGER NOT NULL,"
    " carrion_uj INTEGER NOT NULL,"
    " living_uj INTEGER NOT NULL,"
    " topology INTEGER,"
    " preyed_s REAL,"
    " depth_m REAL,"
    " drawn_m2 REAL,"
    " drawn_parts INTEGER"
    ") STRICT",
    "CREATE TABLE forms ("
    " world INTEGER NOT NULL,"
    " topology INTEGER NOT NULL,"
    " life INTEGER NOT NULL,"
    " egg BLOB NOT NULL,"
    " PRIMARY KEY (world, topology)"
    ") STRICT",

    /* Firsts (preserve.pause), and deeds of people. */
    "CREATE TABLE firsts ("
    " kind TEXT NOT NULL,"
    " what TEXT NOT NULL,"
    " world INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL,"
    " time_s REAL NOT NULL,"
    " life INTEGER NOT NULL,"
    " PRIMARY KEY (kind, what)"
    ") STRICT",
    "CREATE TABLE deeds ("
    " world INTEGER NOT NULL,"
    " epoch INTEGER NOT NULL,"
    " number INTEGER NOT NULL,"
    " deed TEXT NOT NULL,"
    " life INTEGER NOT NULL,"
    " x_m REAL NOT NULL,"
    " y_m REAL NOT NULL,"
    " energy_uj INTEGER NOT NULL,"
    " genome BLOB,"
    " PRIMARY KEY (world, epoch, number)"
    ") STRICT",

    /* The cost of each trial of a creature. A trial that is simulated again (each bout of a contest,
     * all after a change of parameters) adds to its row. */
    "CREATE TABLE costs ("
    " individual INTEGER NOT NULL REFERENCES individuals,"
    " trial TEXT NOT NULL,"
    " worker INTEGER,"
    " attempt INTEGER NOT NULL,"
    " simulations INTEGER NOT NULL,"
    " wall_ms REAL NOT NULL, cpu_ms REAL NOT NULL,"
    " arena_bytes INTEGER NOT NULL,"
    " time_s REAL NOT NULL,"
    " reused INTEGER,"
    " pace_least_m_s REAL,"
    " PRIMARY KEY (individual, trial)"
    ") STRICT, WITHOUT ROWID",

    "CREATE TABLE events ("
    " number INTEGER PRIMARY KEY,"
    " time_utc TEXT NOT NULL,"
    " event TEXT NOT NULL,"
    " detail TEXT NOT NULL"
    ") STRICT",

    "CREATE TABLE quarantine ("
    " individual INTEGER PRIMARY KEY REFERENCES individuals,"
    " time_utc TEXT NOT NULL,"
    " reason TEXT NOT NULL,"
    " command TEXT NOT NULL,"       /* reproduces the crash */
    " log TEXT NOT NULL DEFAULT ''" /* last lines of the worker's log */
    ") STRICT",
};

#endif
