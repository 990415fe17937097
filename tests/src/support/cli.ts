import { spawn } from 'node:child_process'

const CLI = new URL('../../../packages/cli/bin/orrery.js', import.meta.url).pathname

export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly errors: string
}

/** Runs `orrery` with arguments until it ends by itself. */
export function orrery(...args: readonly string[]): Promise<CommandResult> {
  return orreryIn({}, ...args)
}

/** The same, with further environment variables. */
export function orreryIn(variables: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...variables }
    const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
    let out = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, errors }))
  })
}
