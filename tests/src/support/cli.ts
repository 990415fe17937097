import { spawn } from 'node:child_process'

export const CLI = new URL('../../../packages/cli/bin/orrery.js', import.meta.url).pathname

export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly errors: string
}

/** Starts the executable with arguments, and further environment variables, and waits until it ends by itself. */
export function startOrrery(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
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
