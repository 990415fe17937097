/** The result of a command: its exit code, and after how many milliseconds it ends; Infinity if it does not end. */
export interface Ending {
  readonly after: number
  readonly exitCode: number
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'ash', 'bash', 'dash'])
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const RUNS_ON: Ending = { after: Number.POSITIVE_INFINITY, exitCode: 0 }
/** A loop that keeps a container running: `while true; do sleep 30; done`. */
const ENDLESS = /^while (?:true|:|\[ 1 \]) *; *do\b.*\bdone$/s
/** Characters with a special meaning in a shell line. */
const MEANINGFUL = /[`$|<>&(){}*?"'\\]/

/**
 * Returns how a command ends, if that is evident from its text: `sleep`, `exit`, `true`, `false`, `echo` and commands
 * that keep a container running, alone or in a shell line. Returns undefined for everything else, since this does not
 * interpret shell scripts.
 */
export function endingOf(command: readonly string[]): Ending | undefined {
  const [name = '', ...args] = command
  const [option = '', script] = args
  if (!SHELLS.has(baseName(name))) return endingOfWords(command)
  return /^-[a-z]*c$/.test(option) && script !== undefined ? endingOfScript(script.trim()) : undefined
}

function endingOfScript(script: string): Ending | undefined {
  if (ENDLESS.test(script)) return RUNS_ON
  let after = 0
  let exitCode = 0
  let operator = ';'
  for (const [index, part] of script.split(/(;|\n|&&)/).entries()) {
    if (index % 2 === 1) {
      operator = part
      continue
    }
    const words = part.split(/\s+/).filter((word) => word !== '')
    if (words.length === 0 || (operator === '&&' && exitCode !== 0)) continue
    const isEnd = words[0] === 'exit'
    const ending = isEnd ? exitOf(words, exitCode) : endingOfWords(words, part)
    if (ending === undefined) return undefined
    after += ending.after
    exitCode = ending.exitCode
    if (isEnd || after === RUNS_ON.after) break
  }
  return { after, exitCode }
}

function endingOfWords(words: readonly string[], line = ''): Ending | undefined {
  const [name = '', ...args] = words
  switch (baseName(name)) {
    case 'true':
    case ':':
      return { after: 0, exitCode: 0 }
    case 'false':
      return { after: 0, exitCode: 1 }
    case 'echo':
      return MEANINGFUL.test(line) ? undefined : { after: 0, exitCode: 0 }
    case 'sleep':
      return sleepOf(args)
    case 'pause':
    // The processes of the pod of a virtual machine.
    case 'virt-launcher-monitor':
    case 'container-disk':
      return RUNS_ON
    case 'tail':
      return args.join(' ') === '-f /dev/null' ? RUNS_ON : undefined
    default:
      return undefined
  }
}

function sleepOf([time = '', ...others]: readonly string[]): Ending | undefined {
  if (others.length > 0) return undefined
  if (time === 'infinity' || time === 'inf') return RUNS_ON
  const [, number, unit = 's'] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])?$/.exec(time) ?? []
  return number === undefined ? undefined : { after: Number(number) * 1_000 * (SECONDS[unit] ?? 1), exitCode: 0 }
}

function exitOf([, code, ...others]: readonly string[], before: number): Ending | undefined {
  if (code === undefined) return { after: 0, exitCode: before }
  return /^\d{1,3}$/.test(code) && others.length === 0 ? { after: 0, exitCode: Number(code) % 256 } : undefined
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
