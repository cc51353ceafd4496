#!/usr/bin/env bash
# The documentation points to what exists: relative links and the headings they name, parameters, and the
# pages that sources, scripts and examples name. The example parameter files load and are explained.
# Creatures that pages show move. Champions of this simulator's version do what their files say, so
# that a change of results raises the version.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=${BUILD:-build}/bin

faults=0
fault() {
    echo "$*"
    faults=$((faults + 1))
}

# The anchors of a page's headings, as GitHub makes them; blocks of code have no headings.
anchors() { # PAGE
    awk '/^```/ { is_code = !is_code }
        /^#+ / && !is_code {
            sub(/^#+ /, "")
            $0 = tolower($0)
            gsub(/[^a-z0-9 _-]/, "")
            gsub(/ /, "-")
            print seen[$0]++ ? $0 "-" seen[$0] - 1 : $0
        }' "$1"
}

pages=(README.md CHANGELOG.md docs/*.md proto/*.md)
for page in "${pages[@]}"; do
    while IFS= read -r link; do
        case $link in
        http://* | https://*) continue ;;
        '#'*) target=$page ;;
        *) target=$(dirname "$page")/${link%%#*} ;;
        esac
        if ! [ -e "$target" ]; then
            fault "$page: leads to $link, which does not exist"
        elif [[ $link == *'#'* ]]; then
            grep -qxF -- "${link#*#}" <<<"$(anchors "$target")" || fault "$page: leads to $link: there is no such heading"
        fi
    done < <(grep -oE '\]\([^) ]+\)' "$page" | sed -E 's/^\]\((.*)\)$/\1/')
done

# parameters: `section.name`, in the manual and in README
keys=$("$bin/controller" run --print-config --all |
    awk '/^\[/ { section = substr($1, 2, length($1) - 2) } /^[a-z].* =/ && section { print section "." $1 }')
sections=$(cut -d. -f1 <<<"$keys" | sort -u | paste -sd'|')
# shellcheck disable=SC2016  # backquotes of the pages
while IFS=: read -r file key; do
    grep -qxF -- "$key" <<<"$keys" || fault "$file: names $key, which is no parameter"
done < <(grep -oE "(\`|-s )($sections)\.[a-z][a-z0-9_]*[a-z0-9](\`|=)" README.md docs/*.md | sed -E 's/(`|-s )//; s/[`=]$//')

while IFS=: read -r file page; do
    [ -e "$page" ] || fault "$file: names $page, which does not exist"
done < <(grep -roE --include='*.[ch]' --include='*.md' --include='*.ini' --include='*.sh' \
    '(docs|proto)/[A-Za-z-]+\.md' common proto simulator controller viewer tests docs examples README.md)

for page in docs/*.md; do
    [ "$page" = docs/README.md ] || grep -q "($(basename "$page"))" docs/README.md ||
        fault "docs/README.md: does not list $page"
done

for file in examples/*.ini; do
    "$bin/controller" run "$file" --print-config >/dev/null || fault "$file: does not load"
done

# creatures that a page shows move in the world that it names
shown=$(mktemp -d)
trap 'rm -rf "$shown"' EXIT
python3 - "$shown" docs/*.md >"$shown/list" <<'END'
import json, re, sys
for page in sys.argv[2:]:
    text = open(page, encoding="utf-8").read()
    for block in re.findall(r"```json\n(.*?)```", text, re.S):
        name = re.search(r'"name": "([\w-]+)"', block)
        said = name and re.search(r"simulator evaluate %s\.json (\S+\.ini[^`]*)`" % name[1], text)
        if said and json.loads(block)["format"] == "bestiary-creature":
            open(f"{sys.argv[1]}/{name[1]}.json", "w", encoding="utf-8").write(block)
            print(page, name[1], said[1])
END
[ "$(wc -l <"$shown/list")" -ge 3 ] || fault "the pages show too few creatures: $(cat "$shown/list")"
while read -r page name ini; do
    # shellcheck disable=SC2086  # words
    "$bin/simulator" evaluate "$shown/$name.json" $ini --json >"$shown/said.json" || fault "$page: $name is refused"
    python3 -c 'import json, sys; sys.exit(not json.load(open(sys.argv[1]))["fitness"] > 0.1)' "$shown/said.json" ||
        fault "$page: $name hardly moves in $ini"
done <"$shown/list"

for file in docs/results/*/champions/*.creature; do
    said=$("$bin/simulator" evaluate "$file" 2>&1) || true
    grep -Eq '^digest .* (verified|other version)$' <<<"$said" ||
        fault "$file: does not do what it says: simulate it again, or raise SIMULATOR_VERSION"
done
[ "$faults" = 0 ]
