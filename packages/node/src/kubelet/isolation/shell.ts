/** Quotes a text as one word of a shell command. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes a command for a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

/** Names that a shell accepts for variables; Kubernetes accepts more. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Names with a meaning to the shell itself: it may refuse them or act on them. */
const SPECIAL =
  /^(_|BASH.*|COMP_.*|DIRSTACK|EUID|FUNCNAME|GROUPS|IFS|LINENO|OPTARG|OPTERR|OPTIND|PPID|PS4|RANDOM|SECONDS|SHELLOPTS|UID)$/

/** Returns whether a shell can export a variable of this name. */
export function canExport(name: string): boolean {
  return NAME.test(name) && !SPECIAL.test(name)
}
