# bash completion for calictl
_calictl() {
  local rest=${COMP_LINE:0:COMP_POINT} words=() next part quote i last
  for ((i = 0; i <= COMP_CWORD; i++)); do
    next=${rest#"${rest%%[![:space:]]*}"}
    part=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then part=$next; fi
    if [[ $i -gt 0 && $next == "$rest" ]]; then
      last=$((${#words[@]} - 1))
      words[last]=${words[last]}$part
    else
      words+=("$part")
    fi
    rest=${next#"$part"}
  done
  for i in "${!words[@]}"; do
    part=${words[i]}
    for quote in '"' "'"; do
      if [[ $part == "$quote"* ]]; then part=${part#"$quote"}; part=${part%"$quote"}; fi
    done
    if [[ $part == '~/'* ]]; then part=$HOME/${part#'~/'}; fi
    words[i]=$part
  done
  local current=${words[${#words[@]} - 1]} program=${words[0]} kind= line prefix=
  if [[ $current == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then prefix=${current%"${current##*[=:]}"}; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; continue; fi
    line=${line%%$'\t'*}
    COMPREPLY+=("${line#"$prefix"}")
  done < <("$program" __complete "${words[@]:1}" 2>/dev/null </dev/null)
  if [[ $kind == files && ${#COMPREPLY[@]} -eq 0 ]] && type compopt >/dev/null 2>&1; then
    compopt -o default 2>/dev/null
  fi
}
if ((BASH_VERSINFO[0] < 4)); then
  complete -o default -F _calictl calictl
else
  complete -F _calictl calictl
fi
