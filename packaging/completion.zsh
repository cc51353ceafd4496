#compdef controller simulator viewer
# Commands and options, as their --help has them; else files.
local -a words_of
local help=
if [[ $service == viewer ]]; then
    help=$(viewer --help 2>/dev/null)
elif (( CURRENT == 2 )); then
    words_of=(${(f)"$($service --help | awk -v p=$service '$1 == p { print $2 }')"})
    compadd -a words_of
    return
else
    help=$($service $words[2] --help 2>/dev/null)
fi
if [[ $PREFIX == -* ]]; then
    words_of=(${(f)"$(grep -oE -- '^ +(-., )?--[a-z-]+' <<<$help | grep -oE -- '--[a-z-]+')"})
    compadd -a words_of
else
    _files
fi
