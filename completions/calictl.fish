# fish completion for calictl
function __calictl_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct | string unescape)
    test (count $current) -eq 1; or set current ''
    set -l home (string replace -r -- '^~/' "$HOME/" $typed[2..-1])
    set -l lines ($typed[1] __complete $home $current 2>/dev/null </dev/null)
    if test "$lines[1]" = files
        set -l prefix (string match -r -- '^--[^=]*=' $current)
        set -l paths (__fish_complete_path (string replace -- "$prefix" '' $current))
        test (count $paths) -gt 0; and printf "$prefix"'%s\n' $paths
    end
    test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
end
complete -c calictl -f -a '(__calictl_complete)'
