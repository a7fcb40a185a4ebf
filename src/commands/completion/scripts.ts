// The scripts that shells load. They know no command: they ask `calictl __complete WORD…`, whose last word is the one
// before the cursor. It answers with the word `files` or `words` on a line, then one candidate per line: the word, a tab,
// and what it means. Nothing of the answer is ever evaluated.
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/**
 * bash splits words at `=` and `:`, and replaces only what comes after the last of them: words are joined again where
 * the line has no space between them, and that part is cut off the candidates.
 */
const bash = `# bash completion for calictl
_calictl() {
  local rest=\${COMP_LINE:0:COMP_POINT} words=() next part quote i last
  for ((i = 0; i <= COMP_CWORD; i++)); do
    next=\${rest#"\${rest%%[![:space:]]*}"}
    part=\${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then part=$next; fi
    if [[ $i -gt 0 && $next == "$rest" ]]; then
      last=$((\${#words[@]} - 1))
      words[last]=\${words[last]}$part
    else
      words+=("$part")
    fi
    rest=\${next#"$part"}
  done
  for i in "\${!words[@]}"; do
    part=\${words[i]}
    for quote in '"' "'"; do
      if [[ $part == "$quote"* ]]; then part=\${part#"$quote"}; part=\${part%"$quote"}; fi
    done
    if [[ $part == '~/'* ]]; then part=$HOME/\${part#'~/'}; fi
    words[i]=$part
  done
  local current=\${words[\${#words[@]} - 1]} program=\${words[0]} kind= line prefix=
  if [[ $current == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]]; then prefix=\${current%"\${current##*[=:]}"}; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; continue; fi
    line=\${line%%$'\\t'*}
    COMPREPLY+=("\${line#"$prefix"}")
  done < <("$program" __complete "\${words[@]:1}" 2>/dev/null </dev/null)
  if [[ $kind == files && \${#COMPREPLY[@]} -eq 0 ]] && type compopt >/dev/null 2>&1; then
    compopt -o default 2>/dev/null
  fi
}
if ((BASH_VERSINFO[0] < 4)); then
  complete -o default -F _calictl calictl
else
  complete -F _calictl calictl
fi
`;

const zsh = `#compdef calictl
# zsh completion for calictl
_calictl() {
  local -a lines found shown typed
  local line word
  typed=("\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}")
  typed=("\${(@)typed/#\\~\\//$HOME/}")
  lines=("\${(@f)$("\${(Q)words[1]}" __complete "\${typed[@]}" 2>/dev/null </dev/null)}")
  for line in "\${(@)lines[2,-1]}"; do
    word=\${line%%$'\\t'*}
    [[ -n $word ]] || continue
    found+=("$word")
    if [[ $line == *$'\\t'?* ]]; then shown+=("$word  -- \${line#*$'\\t'}"); else shown+=("$word"); fi
  done
  if (( \${#found} )); then compadd -l -d shown -a -- found; fi
  if [[ \${lines[1]} == files ]]; then
    compset -P '--[^=]#='
    _files
  fi
}
if [[ \${funcstack[1]} == _calictl ]]; then _calictl "$@"; else compdef _calictl calictl; fi
`;

const fish = `# fish completion for calictl
function __calictl_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct | string unescape)
    test (count $current) -eq 1; or set current ''
    set -l home (string replace -r -- '^~/' "$HOME/" $typed[2..-1])
    set -l lines ($typed[1] __complete $home $current 2>/dev/null </dev/null)
    if test "$lines[1]" = files
        set -l prefix (string match -r -- '^--[^=]*=' $current)
        set -l paths (__fish_complete_path (string replace -- "$prefix" '' $current))
        test (count $paths) -gt 0; and printf "$prefix"'%s\\n' $paths
    end
    test (count $lines) -gt 1; and printf '%s\\n' $lines[2..-1]
end
complete -c calictl -f -a '(__calictl_complete)'
`;

/**
 * PowerShell passes no empty argument to a program before version 7.3: a word that is not begun is sent as a space, which
 * no candidate begins with, so it is cut off again by calictl.
 */
const powershell = `# PowerShell completion for calictl
Register-ArgumentCompleter -Native -CommandName 'calictl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        } else {
            $words += $element.Extent.Text
        }
    }
    $program = $words[0]
    $typed = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') { $typed += ' ' }
    $lines = @(& $program __complete @typed 2>$null)
    if ($lines.Count -eq 0) { return }
    foreach ($line in @($lines | Select-Object -Skip 1)) {
        $parts = $line -split "\`t", 2
        $about = if ($parts.Count -gt 1 -and $parts[1] -ne '') { $parts[1] } else { $parts[0] }
        [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', $about)
    }
    if ($lines[0] -eq 'files') {
        $prefix = if ($wordToComplete -match '^--[^=]*=') { $Matches[0] } else { '' }
        $path = $wordToComplete.Substring($prefix.Length)
        $directory = if ($path -match '[/\\\\]') { $path -replace '[^/\\\\]*$', '' } else { '' }
        foreach ($file in @(Get-ChildItem -Path "$path*" -ErrorAction SilentlyContinue)) {
            $found = $prefix + $directory + $file.Name
            if ($found -match '[^\\w./\\\\:=~-]') { $found = "'" + $found.Replace("'", "''") + "'" }
            [System.Management.Automation.CompletionResult]::new($found, $file.Name, 'ProviderItem', $file.FullName)
        }
    }
}
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };

/** The whole script, ready to be loaded. */
export function scriptOf(shell: Shell): string {
  return scripts[shell];
}
