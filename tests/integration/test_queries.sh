#!/usr/bin/env bash
# The queries of docs/run-store.md run on a real store as they stand there: the blocks of SQL, and the SELECTs
# of the example for pandas.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
command -v sqlite3 >/dev/null || { echo "skip: sqlite3 is not installed" && exit 77; }
page=$root/docs/run-store.md

"$bin/controller" run walk.ini --seed 4 -o run >/dev/null 2>&1 || fail "run"
awk '/^```sql/ {on = 1; next} /^```/ {on = 0; next} on' "$page" >queries.sql
awk '/^```python$/ {on = 1; next} /^```/ {on = 0; next} on' "$page" |
    grep -o '"SELECT [^"]*"' | sed 's/^"\(.*\)"$/\1;/' >>queries.sql
[ "$(grep -c ';' queries.sql)" -ge 8 ] || fail "the page has only $(grep -c ';' queries.sql) queries"
sqlite3 -bail -readonly run/run.db <queries.sql >answers 2>said || fail "a query of the page: $(cat said)"
[ "$(wc -l <answers)" -ge 20 ] || fail "the queries find only $(wc -l <answers) rows"

# the test can fail: a column that does not exist
sed 's/fitness/fitnes/' queries.sql >wrong.sql
sqlite3 -bail -readonly run/run.db <wrong.sql >/dev/null 2>&1 && fail "a wrong query went through"
exit 0
