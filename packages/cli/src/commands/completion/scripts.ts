/** The shells that completion is there for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const BASH = `# Completion of orrery for bash
_orrery() {
  local IFS=$'\\n'
  COMPREPLY=($(orrery __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _orrery orrery
`

const ZSH = `#compdef orrery
# Completion of orrery for zsh
_orrery() {
  local -a found
  found=(\${(f)"$(orrery __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -Q -- "\${found[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_orrery" ]; then _orrery "$@"; else compdef _orrery orrery; fi
`

const FISH = `# Completion of orrery for fish
function __orrery_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l found (orrery __complete -- $before[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c orrery -f -a '(__orrery_complete)'
`

/** What a shell reads to complete commands, options and names. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
