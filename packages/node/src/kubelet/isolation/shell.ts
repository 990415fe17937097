/** A text as one word of a shell command, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A command as a shell reads it. */
export function commandLine(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

/** Names that a shell can have as variables; Kubernetes allows many more. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Names that mean something to the shell itself: it may refuse them, or act on them. */
const SPECIAL =
  /^(_|BASH.*|COMP_.*|DIRSTACK|EUID|FUNCNAME|GROUPS|IFS|LINENO|OPTARG|OPTERR|OPTIND|PPID|PS4|RANDOM|SECONDS|SHELLOPTS|UID)$/

/** Whether a shell can hand a variable of this name on to what it runs. */
export function canExport(name: string): boolean {
  return NAME.test(name) && !SPECIAL.test(name)
}
