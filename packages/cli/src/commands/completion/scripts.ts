/** The supported shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const BASH = `# bash completion for orrery
_orrery() {
  local IFS=$'\\n'
  COMPREPLY=($(orrery __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _orrery orrery
`

const ZSH = `#compdef orrery
# zsh completion for orrery
_orrery() {
  local -a found
  found=(\${(f)"$(orrery __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -Q -- "\${found[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_orrery" ]; then _orrery "$@"; else compdef _orrery orrery; fi
`

const FISH = `# fish completion for orrery
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

/** The completion script of each shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
