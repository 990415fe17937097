import { canExport, commandLine, quoted } from './shell.js'
import type { SandboxTools } from './tools.js'

/** Printed to descriptor 5 when the program is about to start. */
export const READY = 'ready'

export interface RunScriptOptions {
  readonly command: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  /** The working directory in the sandbox. It is created if missing. */
  readonly directory: string
  /** Whether this is the program itself: `READY` is printed to descriptor 5, and its standard error is descriptor 7. */
  readonly isMain: boolean
  /** Whether standard input comes from descriptor 3. */
  readonly hasInput: boolean
}

/**
 * Returns the script for the shell inside a sandbox: it sets the environment of the container and executes its program.
 * The script is passed by a descriptor, since every user of the machine can see arguments and variables may be secret.
 * Only variables whose names no shell accepts are arguments of `env`, until the program is executed.
 */
export function runScript(options: RunScriptOptions, tools: SandboxTools): string {
  const { command, environment, directory, isMain, hasInput } = options
  const exported: string[] = []
  const others: string[] = []
  for (const [name, value] of environment) {
    if (canExport(name)) exported.push(`export ${name}=${quoted(value)}`)
    else others.push(`${name}=${value}`)
  }
  const file = quoted(command[0] ?? '')
  const notFound = `printf '%s: executable file not found\\n' ${file}`
  const input = hasInput ? '<&3 3<&-' : '</dev/null'
  const lines = [
    ...(isMain ? ['exec 2>&7 7>&-'] : []),
    `${quoted(tools.mkdir)} -p ${quoted(directory)} 2>/dev/null`,
    `cd ${quoted(directory)} || exit 126`,
    'unset OLDPWD SHLVL',
    ...exported,
    `command -v ${file} >/dev/null 2>&1 || { ${notFound} >&${isMain ? 5 : 2}; exit 127; }`,
    ...(isMain ? [`echo ${READY} >&5`] : []),
    `exec ${commandLine([...(others.length === 0 ? [] : [tools.env, '--', ...others]), ...command])} ${input}${isMain ? ' 5>&-' : ''}`,
  ]
  return `${lines.join('\n')}\n`
}
