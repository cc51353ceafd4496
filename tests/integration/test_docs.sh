#!/usr/bin/env bash
# The documentation points to what exists: relative links in every page, and the pages that sources,
# scripts and examples name. The example parameter files load and are explained. Champions of this
# simulator's version do what their files say, so that whoever changes a result raises the version.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=${BUILD:-build}/bin

faults=0
fault() {
    echo "$*"
    faults=$((faults + 1))
}

pages=(README.md CHANGELOG.md docs/*.md proto/*.md)
for page in "${pages[@]}"; do
    while IFS= read -r link; do
        target=${link%%#*}
        case $target in
        '' | http://* | https://*) continue ;;
        esac
        [ -e "$(dirname "$page")/$target" ] || fault "$page: leads to $link, which does not exist"
    done < <(grep -oE '\]\([^) ]+\)' "$page" | sed -E 's/^\]\((.*)\)$/\1/')
done

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

for file in docs/results/*/champions/*.creature; do
    said=$("$bin/simulator" evaluate "$file" 2>&1) || true
    grep -Eq '^digest .* (verified|other version)$' <<<"$said" ||
        fault "$file: does not do what it says: simulate it again, or raise SIMULATOR_VERSION"
done
[ "$faults" = 0 ]
