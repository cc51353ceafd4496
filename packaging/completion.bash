# Completion for controller, simulator and viewer: commands and options, as their --help has them.
_bestiary() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} help=
    COMPREPLY=()
    case $program in
    *viewer) help=$("$program" --help 2>/dev/null) ;;
    *) [ "$COMP_CWORD" = 1 ] || help=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null) ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '^ +(-., )?--[a-z-]+' <<<"$help" | grep -oE -- '--[a-z-]+')" -- "$word")
    elif [[ $program != *viewer && $COMP_CWORD = 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" --help | awk -v p="${program##*/}" '$1 == p { print $2 }')" -- "$word")
    fi
}
complete -o bashdefault -o default -F _bestiary controller simulator viewer
