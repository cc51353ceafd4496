#!/usr/bin/env bash
# A run's directory from a stranger. Each case does something to a copy of a good one; then every command
# that reads or resumes a run has to end by itself, without starting what the directory names, without
# touching anything outside of it, and without a control character in what it prints.
# runs: watched
# speed: long
# shellcheck source=/dev/null disable=SC2154,SC2016,SC2317
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller
unset DISPLAY WAYLAND_DISPLAY
command -v sqlite3 >/dev/null || { echo "skip: sqlite3 is not installed" && exit 77; }

limit_s=60 # for a command that takes less than one; so many seconds are an endless loop
more=(-s evolution.generations=3 -j 1)
"$controller" run walk.ini --seed 3 -j 1 -o good -s evolution.generations=2 -s population.size=6 \
    -s simulation.duration_s=0.5 >/dev/null 2>&1 || fail "run"
best=$("$controller" list good --top 1 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p')
if compgen -G 'good/run.db-*'; then fail "good has a journal of its own"; fi

# ---- what is outside, and must stay as it is ----

mkdir outside
outside_is_new() {
    rm -rf outside && mkdir -p outside/logs
    echo "mine" >outside/victim
    echo "mine" >outside/logs/controller.log
    cp good/run.db outside/run.db
    (cd outside && find . | LC_ALL=C sort && find . -type f -exec cksum {} + | LC_ALL=C sort) >outside.before
}
outside_is_as_it_was() {
    (cd outside && find . | LC_ALL=C sort && find . -type f -exec cksum {} + | LC_ALL=C sort) >outside.after
    diff outside.before outside.after >&2 || fail "$1: something outside was changed"
    [ ! -e started ] || fail "$1: a program that the directory names was started"
}

# ---- the commands ----

# The end of a command: by itself and in time. What it prints is added to `printed`.
ends() { # CASE COMMAND...
    local case=$1 status=0
    shift
    echo "\$ $*" >>printed
    timeout -s KILL "$limit_s" "$@" >>printed 2>err </dev/null || status=$?
    [ "$status" != 137 ] || fail "$case: this does not end: $*"
    [ "$status" -lt 124 ] || fail "$case: exit code $status: $* ($(cat err))"
    printf '%s\n' "$(<err)" >>printed
    last=$status
}

# Nothing that a sanitizer says, nor that steers a terminal: controls (C1 as bytes of UTF-8, and alone), separators, what
# turns the direction of text or cannot be seen.
printed_is_clean() { # CASE
    ! grep -Eq 'Sanitizer|runtime error' printed || fail "$1: $(cat printed)"
    perl -0777 -ne 'utf8::decode($_) or die "no UTF-8\n";
        die sprintf("U+%04X\n", ord $1) if
        /((?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\x{fff9}-\x{fffb}])/' \
        printed 2>unclean || fail "$1 prints $(cat unclean): $(cat -v printed)"
}

# Where sanitizers watch, each case meets a fifth of the commands that only read, by turns.
share=1
! grep -q __asan_init "$controller" || share=5
readers=("controller status run" "controller status run --json" "controller list run" "controller list run --json"
    "controller list run --lineage $best" "controller digest run" "controller logs run"
    "controller save run $best --force -o saved.creature" "controller diff run:$best run:$best"
    "controller workers run 2" "controller report run --no-pictures" "viewer run --export page.html"
    "controller choose run $best keep" "controller resume run") # it is finished
case_count=0
all_commands_end() { # CASE
    local case=$1 i
    : >printed
    case_count=$((case_count + 1))
    for ((i = case_count % share; i < ${#readers[@]}; i += share)); do
        # shellcheck disable=SC2086 # words of a command
        ends "$case" "$bin/"${readers[i]}
    done
    ends "$case" "$controller" resume run "${more[@]}"
    outside_is_as_it_was "$case"
    printed_is_clean "$case"
}

# ---- the cases: what is done to the directory `run` ----

hostile() { # CASE COMMAND...
    local case=$1
    shift
    outside_is_new
    rm -rf run
    cp -r good run
    (cd run && "$@") || fail "$case: cannot be made"
    all_commands_end "$case"
}
# of those that must be refused when the run is to go on
refuses() { # CASE PATTERN COMMAND...
    hostile "$1" "${@:3}"
    [ "$last" = 1 ] || fail "$1: resume goes on, exit code $last"
    grep -Eq -- "$2" err || fail "$1: no '$2' in: $(cat err)"
}
# of those that cannot do anything: resume goes on
survives() { # CASE PATTERN COMMAND...
    hostile "$1" "${@:3}"
    [ "$last" = 0 ] || fail "$1: resume: exit code $last: $(cat err)"
    grep -Eq -- "$2" err || fail "$1: no '$2' in: $(cat err)"
}
replaced() { # NAME MAKER...: instead of that file
    rm -rf "./$1"
    "${@:2}" "$1"
}
linked() { replaced "$1" ln -s "$2"; }
sql() { sqlite3 run.db "$1"; }
# A journal that has to be rolled back, by its header, and whose end names another file.
with_journal() {
    perl -e 'my $name = $ARGV[0]; my $sum = 0; $sum += ord for split //, $name;
        my $size = 8192;
        print pack("H16 N5", "d9d505f920a163d7", 0, 1, 1000, 512, $size), "\0" x 484,
            pack("N", 0x40000000 / $size + 1), $name, pack("N2 H16", length $name, $sum, "d9d505f920a163d7")' \
        "$1" >run.db-journal
}

# So many bytes without any header, at whose end stands such a name.
with_short_journal() { # BYTES NAME
    perl -e 'my ($bytes, $name) = @ARGV; my $sum = 0; $sum += ord for split //, $name;
        my $end = $name . pack "N2 H16", length $name, $sum, "d9d505f920a163d7";
        print "\xd9" x ($bytes - length $end), $end' "$@" >run.db-journal
}
# What a program of SQLite's leaves behind when it is killed after these statements.
killed_after() { # STATEMENTS
    { printf '%s;\n.shell kill -KILL $PPID\n' "$1" | sqlite3 run.db >killed.out; } 2>/dev/null || true
    rm -f killed.out
}
trigger="CREATE TRIGGER planted AFTER INSERT ON events BEGIN DELETE FROM individuals; END"
# A write-ahead log, whose last commit can say how many pages the database has; its checksums are right.
with_log() { # STATEMENTS [PAGES]
    killed_after "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; $1"
    [ -s run.db-wal ] || fail "there is no log"
    [ $# = 1 ] || perl -e 'my ($pages) = @ARGV; local $/; open my $file, "+<:raw", "run.db-wal" or die;
        my $bytes = <$file>; my $size = 24 + unpack "x8 N", $bytes; my @sum = unpack "x24 N2", $bytes;
        my $format = unpack("N", $bytes) & 1 ? "N*" : "V*"; my $frames = (length($bytes) - 32) / $size;
        my $add = sub { my @words = unpack $format, $_[0]; while (@words) {
            $sum[0] = ($sum[0] + shift(@words) + $sum[1]) & 0xffffffff;
            $sum[1] = ($sum[1] + shift(@words) + $sum[0]) & 0xffffffff } };
        for my $i (0 .. $frames - 1) { my $at = 32 + $i * $size;
            substr $bytes, $at + 4, 4, pack "N", $pages if $i == $frames - 1;
            $add->(substr $bytes, $at, 8); $add->(substr $bytes, $at + 24, $size - 24);
            substr $bytes, $at + 16, 8, pack "N2", @sum }
        seek $file, 0, 0; print $file $bytes' "$2"
}

# programs
survives launcher 'farm.launcher.*left out.*touch' \
    sql "UPDATE branch_parameters SET value = 'touch $work/started' WHERE key = 'farm.launcher'"

# a journal that names another file: rolling back deletes that
refuses super-journal 'journal' with_journal "$work/outside/victim"
refuses super-journal-of-run 'journal' with_journal "$work/outside/run.db"
for bytes in 80 200 400 511 512 513 600; do
    refuses "super-journal in $bytes bytes" 'journal' with_short_journal "$bytes" "$work/outside/victim"
done
refuses "super-journal by another way" 'journal' with_short_journal 300 ../outside/victim

# what a journal and a log bring with them is looked at as all else is
refuses "journal with a trigger" 'planted' killed_after "$trigger; PRAGMA cache_size = 2; BEGIN;
    DROP TRIGGER planted; UPDATE individuals SET mutations = mutations || hex(zeroblob(9000))"
refuses "log with a trigger" 'planted' with_log "$trigger"
hostile "log of a huge file" with_log "UPDATE individuals SET fitness = fitness + 1" 4294967295
[ "$(stat -c %s run/run.db)" -lt 10000000 ] || fail "a log made run.db huge"
survives "log of rubbish" '' sh -c "head -c 40000 run.db >run.db-wal"
survives "shared memory of rubbish" '' sh -c "yes | head -c 40000 >run.db-shm"

# links
for name in run.db run.db-journal run.db-wal run.db-shm lock logs/controller.log logs; do
    target=$work/outside/victim
    case $name in
    run.db) target=$work/outside/run.db ;;
    logs) target=$work/outside/logs ;;
    esac
    refuses "link $name" "$name.*regular file|$name.*directory" linked "$name" "$target"
done
for name in params.ini params.ini.new logs/worker-01.log logs/controller.old.log report.html control; do
    survives "link $name" '' linked "$name" "$work/outside/victim"
done
survives "link control to a socket" '' perl -MIO::Socket::UNIX -e '
    IO::Socket::UNIX->new(Local => "$ARGV[0]/other.socket", Listen => 1) or die $!;
    symlink "$ARGV[0]/other.socket", "control" or die $!' "$work"
refuses "hard link run.db" 'another name' replaced run.db ln "$work/outside/run.db"
refuses "hard link log" 'another name' replaced logs/controller.log ln "$work/outside/victim"

# pipes and devices
for name in run.db run.db-journal run.db-wal run.db-shm lock logs/controller.log logs; do
    refuses "pipe $name" "$name.*regular file|$name.*directory" replaced "$name" mkfifo
    refuses "zero $name" "$name.*regular file|$name.*directory" linked "$name" /dev/zero
done
for name in params.ini logs/worker-01.log report.html control; do
    survives "pipe $name" '' replaced "$name" mkfifo
done
survives "pipe params.ini.new" '' mkfifo params.ini.new

# directories
for name in run.db run.db-journal run.db-wal lock logs/controller.log; do
    refuses "directory $name" "$name" replaced "$name" mkdir
done
survives "no logs" '' rm -r logs

# what a database can hold
endless="WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
refuses "view generations" 'generations' sql "DROP TABLE generations; CREATE VIEW generations AS
    $endless x AS number, 1 AS branch, 1 AS closed, 0 AS evaluations_own, 0 AS evaluations, 0.0 AS best,
    0.0 AS median, 0.0 AS mean, 1 AS best_id FROM n"
refuses "view run" 'run' sql "DROP TABLE run; CREATE VIEW run AS $endless 'a' AS key, 'b' AS value FROM n"
refuses "view bars" 'bars' sql "CREATE VIEW bars AS
    $endless 1 AS individual, 0.0 AS m_s, 0.0 AS sizes_s FROM n WHERE x < 0"
refuses "view parameters" 'parameters' sql "DROP VIEW parameters; CREATE VIEW parameters AS $endless x FROM n"
refuses "trigger" 'planted' sql "CREATE TRIGGER planted AFTER INSERT ON events BEGIN
    DELETE FROM individuals; END"
refuses "table" 'planted' sql "CREATE TABLE planted (x)"
refuses "index" 'planted' sql "CREATE INDEX planted ON run (replace(value, 'a', 'b'))"
refuses "generated column" 'events' sql "ALTER TABLE events ADD COLUMN planted TEXT AS (replace(detail, 'a', 'b'))"
refuses "check" 'events' sql "ALTER TABLE events ADD COLUMN planted INTEGER CHECK (planted < 3)"

# Pages that lead to the same page again and again: a tree of 18 levels, each page a hundred times the next.
with_circles() {
    local root
    root=$(sqlite3 run.db "SELECT rootpage FROM sqlite_schema WHERE name = '$1'")
    perl -e 'my ($root) = @ARGV; local $/; open my $file, "+<:raw", "run.db" or die; my $bytes = <$file>;
        my $size = unpack "n", substr $bytes, 16, 2; my $pages = length($bytes) / $size;
        my $leaf = substr $bytes, ($root - 1) * $size, $size;
        my $inner = sub {
            my $child = shift; my $cells = ""; my $at = $size; my @at;
            for my $i (1 .. 100) { my $cell = pack "N C", $child, $i; $cells = $cell . $cells;
                $at -= length $cell; push @at, $at }
            my $page = pack "C n n n C N", 5, 0, 100, $at, 0, $child;
            $page .= pack "n*", @at; $page . "\0" x ($at - length $page) . $cells };
        substr $bytes, ($root - 1) * $size, $size, $inner->($pages + 1);
        $bytes .= $inner->($pages + $_ + 1) for 1 .. 16; $bytes .= $leaf;
        substr $bytes, 28, 4, pack "N", length($bytes) / $size;
        substr $bytes, 92, 4, substr $bytes, 24, 4;
        seek $file, 0, 0; print $file $bytes' "$root"
}
for table in individuals costs generations events; do
    refuses "circles $table" 'damaged' with_circles "$table"
done

# words
nasty="char(27) || '[2J' || char(7, 10, 13, 8, 127, 155) || '31m' || char(8238, 8294, 8207, 1564, 8203, 8232, 65279, 917569) || 'x'"
survives "words" '' sql "UPDATE individuals SET mutations = $nasty;
    UPDATE individuals SET referee_words = $nasty, referee_fitness = 0, fitness = 0;
    INSERT INTO events (time_utc, event, detail) VALUES ($nasty, $nasty, $nasty);
    INSERT INTO quarantine (individual, time_utc, reason, command, log)
        VALUES (1, $nasty, $nasty, $nasty, $nasty);
    UPDATE run SET value = $nasty WHERE key = 'created_utc';
    INSERT OR REPLACE INTO run VALUES ('champion', '1'), ('champion_words', $nasty)"
refuses "parameter" '' sql "UPDATE branch_parameters SET value = $nasty WHERE key = 'name'"
refuses "method" '' sql "UPDATE individuals SET method = $nasty"
hostile "no UTF-8" sql "UPDATE individuals SET mutations = CAST(X'ff9b1b5b324a' AS TEXT)"
hostile "log" sh -c "printf 'time=2026-01-01T00:00:00.000Z level=info event=\033[2J\302\233\342\200\256\377\n' \
    >>logs/controller.log"
exit 0
