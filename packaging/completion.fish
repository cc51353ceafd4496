# Completion for controller, simulator and viewer: commands and options, as their --help has them.
function __bestiary_commands
    set -l program (commandline -opc)[1]
    $program --help | string match -rg "^  "(path basename $program)" +([a-z]+) "
end
function __bestiary_options
    set -l words (commandline -opc)
    set -l command $words[1]
    test (path basename $words[1]) = viewer; or set command $words[1..2]
    $command --help 2>/dev/null | string match -rg '^ +(?:-., )?(--[a-z-]+)'
end
for program in controller simulator
    complete -c $program -n 'test (count (commandline -opc)) -eq 1' -f -a '(__bestiary_commands)'
end
for program in controller simulator viewer
    complete -c $program -n 'string match -q -- "-*" (commandline -ct)' -a '(__bestiary_options)'
end
