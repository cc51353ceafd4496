#!/usr/bin/env bash
# What `make install` brings and `make uninstall` takes away, and the package for Debian: manual pages that name
# each command, completion of commands and options.
# shellcheck source=/dev/null disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ "$(dirname "$bin")" = "$root/build" ] || { echo "skip: only the ordinary build is installed"; exit 77; }
command -v dpkg-deb >/dev/null || { echo "skip: there is no dpkg-deb"; exit 77; }

make -s -C "$root" install PGO= PREFIX="$work/usr" >said 2>&1 || fail "not installed: $(cat said)"
for command in $("$bin/controller" --help | awk '$1 == "controller" { print $2 }'); do
    grep -q "^\.SS controller $command$" usr/share/man/man1/controller.1 || fail "the manual page lacks $command"
done
PATH=$work/usr/bin:$PATH
completed() {
    # shellcheck disable=SC2016
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bestiary "$1" "${!#}"; echo "${COMPREPLY[*]}"' \
        bash usr/share/bash-completion/completions/controller "$@"
}
[ "$(completed controller compa)" = compare ] || fail "commands are not completed: $(completed controller compa)"
[ "$(completed controller list --so)" = --sort ] || fail "options are not completed: $(completed controller list --so)"
[ "$(completed viewer --exp)" = --export ] || fail "options are not completed: $(completed viewer --exp)"
{ (cd / && controller examples) >said && grep -q '^walk ' said; } || fail "the installed program finds no examples"
make -s -C "$root" uninstall PREFIX="$work/usr" || fail "not uninstalled"
left=$(find usr ! -type d)
[ -z "$left" ] || fail "left behind: $left"

package=$("$root/scripts/package-debian" "$root/build") || fail "no package"
dpkg-deb -x "$package" root || fail "it cannot be unpacked"
depends=$(dpkg-deb -f "$package" Depends)
[[ $depends == *libc6*libuv1* ]] || fail "it depends on $depends"
[[ $(root/usr/bin/simulator --version) == *"$(dpkg-deb -f "$package" Version)"* ]] || fail "another version is in it"
rm -f "$package"
