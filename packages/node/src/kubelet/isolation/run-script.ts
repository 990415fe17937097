import { canExport, commandLine, quoted } from './shell.js'
import type { SandboxTools } from './tools.js'

/** Printed to descriptor 5 when a program is about to start. */
export const READY = 'ready'

export interface RunScriptOptions {
  readonly command: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  /** Where it runs, as the sandbox has it. It is made when it is not there. */
  readonly directory: string
  /** Whether this is the program itself: `READY` is printed to descriptor 5, and its standard error is descriptor 7. */
  readonly isMain: boolean
  /** Whether it reads descriptor 3. */
  readonly hasInput: boolean
}

/**
 * What the shell inside a sandbox reads: it takes on the environment of a container and becomes its program. It comes by a
 * descriptor, since everybody on the machine can see arguments, and variables may be secret; only those with names that
 * no shell knows have to be arguments, of `env`, for the moment until the program is there.
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
