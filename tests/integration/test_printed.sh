#!/usr/bin/env bash
# What reaches the terminal: every command and every option of all programs, with words, names of files, contents and
# answers that would steer it, break its lines, turn its text or hide in it; and output without a reader.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
controller=$bin/controller viewer=$bin/viewer simulator=$bin/simulator
unset DISPLAY WAYLAND_DISPLAY
python3 -c '' 2>/dev/null || { echo "skip: needs python3"; exit 77; }

# ESC, a line of its own, C1, no UTF-8, U+200B, U+2028, U+202E, U+2066, U+FEFF, U+FE0F, U+061C, U+E0041
hostile=$'x\e[2J\nFAKED\xc2\x9b31m\xff\xe2\x80\x8b\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf\xef\xb8\x8f\xd8\x9c\xf3\xa0\x81\x81y'

heard=$work/heard
# ends COMMAND...: by itself. Its exit code is $last. What it prints is added to `heard`.
ends() {
    last=0
    "$@" >>"$heard" 2>&1 </dev/null || last=$?
    [ "$last" -lt 124 ] || fail "exit code $last: $* ($(tail -n 3 "$heard" | cat -v))"
    echo >>"$heard"
    ran+=("$*")
}
# All that was printed since the last time is clean.
is_clean() {
    [ -s "$heard" ] || fail "nothing was printed by: ${ran[*]}"
    perl -0777 -ne 'utf8::decode($_) or die "no UTF-8\n";
        die sprintf("U+%04X\n", ord $1) if
            /((?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\x{fff9}-\x{fffb}])/;
        die "a line that is not its own\n" if /^FAKED/m' "$heard" 2>unclean ||
        fail "$(cat unclean) is printed by one of: $(printf '%s\n' "${ran[@]}" | cat -v): $(cat -v "$heard")"
    : >"$heard"
    ran=()
}
works() {
    ends "$@"
    [ "$last" = 0 ] || fail "exit code $last: $* ($(tail -n 3 "$heard" | cat -v))"
}

# ---- words of the command line: all commands, and of each all options that its help names ----

commands_of() { # PROGRAM: as its help lists them, and the program without a command
    echo ""
    "$1" --help | sed -nE "s/^  ${1##*/} ([a-z]+) .*/\1/p"
}
mkdir words # what the commands make there is thrown away
cd words || exit
count=0
for program in "$controller" "$simulator" "$viewer"; do
    for command in $(commands_of "$program") ""; do
        # shellcheck disable=SC2086 # no command is no word
        set -- "$program" $command
        for option in $("$@" --help | grep -oE -- '(^|[ ,(])--?[a-z][a-z-]*' | grep -oE -- '--?[a-z-]+' | sort -u); do
            case "$* $option" in *" --help" | *" -h" | *" --version" | *" --fingerprint") continue ;; esac
            ends "$@" "$option=$hostile" "$hostile"
            ends "$@" "$hostile" "$option" "$hostile" "$hostile"
            rm -rf -- ./* # what one makes, such as a creature, is not the next one's
            count=$((count + 1))
        done
        ends "$@" "$hostile"
        ends "$@" "$hostile" "$hostile" "$hostile" "$hostile"
        ends "$@" "--$hostile"
        ends "$@" "-$hostile"
        is_clean
    done
done
[ "$count" -gt 60 ] || fail "only $count options were found"
cd "$work" || exit

# ---- names of files and folders ----

ends "$controller" run walk.ini --seed 3 -j 1 -o "$hostile" -s evolution.generations=2 -s population.size=6 \
    -s simulation.duration_s=0.5
[ "$last" = 0 ] || fail "run: $(cat -v "$heard")"
best=$("$controller" list "$hostile" --top 1 --json | sed -n 's/^    "id": \([0-9]*\),/\1/p')
all_commands() { # RUN_DIR
    works "$controller" status "$1"
    works "$controller" status "$1" --json
    works "$controller" list "$1"
    works "$controller" list "$1" --lineage "$best"
    works "$controller" digest "$1"
    works "$controller" logs "$1"
    works "$controller" save "$1" "$best" --force -o "$hostile.creature"
    works "$controller" save "$1" "$best" --force --text -o "$hostile.json"
    works "$controller" diff "$1:$best" "$hostile.creature"
    works "$controller" report "$1" --no-pictures
    ends "$controller" choose "$1"
    for order in pause continue "workers"; do ends "$controller" "$order" "$1"; done
    works "$controller" mutate "$1:$best" -o "$hostile.mutant.creature"
    works "$controller" resume "$1"
    works "$viewer" "$1" --export "$hostile.html"
    works "$viewer" "$hostile.creature" "$hostile.json" --export "$hostile.html"
    works "$simulator" evaluate "$hostile.json"
    works "$simulator" evaluate "$hostile.json" --json --trace "$hostile.csv"
    works "$simulator" export "$hostile.json" --mjcf "$hostile.xml" --signals "$hostile.csv"
    rm -f "$hostile".*
    is_clean
}
all_commands "$hostile"
printf '%s' "$hostile" >>"$hostile/logs/controller.log"
echo 'time=2030-01-01T00:00:00.000Z level=info event=x' >"$hostile/logs/worker-$hostile.log"
all_commands "$hostile"
tail -n 1 <("$controller" logs "$hostile") | grep -q '^log="worker-x' || fail "a log's name is not quoted"
scene=$(find "$root/tests/oracle/scenes" -name '*.json' | LC_ALL=C sort | head -n 1)
cp "$scene" "$hostile.json"
works "$simulator" scene "$hostile.json" --until 0.1 --trace "$hostile.csv"
is_clean

# ---- contents ----

for text in '"name": "a\u001b[31m\u2028"' "\"name\": \"a$hostile\"" "\"$hostile\": 1" "$hostile"; do
    printf '{%s}' "$text" >bad.json
    ends "$simulator" evaluate bad.json
    ends "$simulator" scene bad.json
    ends "$viewer" bad.json --export bad.html
    ends "$controller" diff bad.json bad.json
    printf '[run]\nname = %s\n%s\n[%s]\n' "$text" "$hostile" "$hostile" >bad.ini
    ends "$controller" run bad.ini -o bad
    is_clean
done

# ---- answers ----

# Holds the run's lock, as a controller at work does, and answers each order with the bytes of a file.
cat >impostor.py <<'END'
import fcntl, os, socket, sys
os.chdir(sys.argv[1])
lock = open("lock", "r+")
fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
answer = open(sys.argv[2], "rb").read()
listener = socket.socket(socket.AF_UNIX)
listener.bind("control")
listener.listen(16)
while True:
    client = listener.accept()[0]
    client.recv(300)
    client.sendall(answer)
    client.close()
END
word='\u001b[2J\n\u2028\u202e\ufeff\u200b\u009b\udb40\udc41'
worker="{\"worker\": 1, \"state\": \"$word\", \"host\": \"$word\", \"job\": \"$word\", \"step\": \"$word\", \"trial\": \"$word\", \"creature\": 1, \"task_cpu_s\": 9}"
printf 'ok\n%s\n' "$hostile" >said
printf 'error: %s\nmore\n' "$hostile" >refused
printf '%s' "$hostile" >nonsense
printf 'ok\n{"%s": "%s", "evaluations_per_s": 1, "left_s": 1.5, "workers": [%s, {}, 1]}\n' "$word" "$word" "$worker" >live
for answer in said refused nonsense live; do
    rm -rf other
    cp -r "$hostile" other
    start python3 impostor.py other "$PWD/$answer"
    wait_until "somebody listens" test -S other/control
    for order in "pause other" "continue other" "workers other 2" "choose other 1 keep" "choose other --next" \
        "status other" "status other --json"; do
        # shellcheck disable=SC2086 # words
        ends "$controller" $order
    done
    is_clean
    kill "$pid"
done

# ---- no reader: a failure with one line, by all commands that print ----

unheard() { # DESCRIPTOR'S KIND, REASON, COMMAND...
    local status=0
    case $1 in
    full) "${@:3}" >/dev/full 2>err </dev/null || status=$? ;;
    pipe) perl -e 'pipe(R, W) && close(R) && open(STDOUT, ">&", *W) && exec { $ARGV[0] } @ARGV' "${@:3}" \
        2>err </dev/null || status=$? ;;
    closed) "${@:3}" >&- 2>err </dev/null || status=$? ;;
    esac
    [ "$status" = 1 ] || fail "exit code $status into $1: ${*:3} ($(cat err))"
    [ "$(grep -c . err)" = 1 ] || fail "not one line, into $1: ${*:3} ($(cat err))"
    grep -Eq "standard output: ($2|cannot be written)" err || fail "into $1: ${*:3}: $(cat err)"
}
mv "$hostile" run
rm -f run/logs/worker-x*
"$controller" save run "$best" -o a.creature >/dev/null
for kind in "full No space left on device" "pipe Broken pipe" "closed Bad file descriptor"; do
    name=${kind%% *} reason=${kind#* }
    for order in "status run" "status run --json" "list run" "list run --json" "digest run" "logs run" "--help" "--version" \
        "run --help" "run --print-config" "diff a.creature a.creature" "save run $best --force -o b.creature" \
        "report run --no-pictures" "resume run" "random -o c$name.creature"; do
        # shellcheck disable=SC2086 # words
        unheard "$name" "$reason" "$controller" $order
    done
    for order in "--help" "--version" "--fingerprint" "evaluate --help" "evaluate a.creature" "evaluate a.creature --json" \
        "export --help" "scene --help" "scene $scene --until 0.1" "scene $scene --until 0.1 --trace -"; do
        # shellcheck disable=SC2086 # words
        unheard "$name" "$reason" "$simulator" $order
    done
    for order in "--help" "--version" "a.creature --export a.html"; do
        # shellcheck disable=SC2086 # words
        unheard "$name" "$reason" "$viewer" $order
    done
done
