import type { ChildProcess } from 'node:child_process'
import type { Clock } from '../clock.js'
import type { ExecConfig } from '../kubeconfig/types.js'
import { ConnectionError } from './connection-error.js'
import { type ExecCredentials, parseExecCredential } from './exec-credential.js'

export interface ExecPluginOptions {
  readonly clock: Clock
  /** The environment of this process, which the command inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether there is a terminal. */
  readonly isTerminal: () => Promise<boolean>
  /** The file and the user, for errors. */
  readonly origin: string
  /** The cluster information for the command, if it is requested. */
  readonly cluster: unknown
}

/** More than any credential needs. */
const MAX_OUTPUT = 1024 * 1024
/** A server that rejects every credential must not cause the command to run all the time. */
const MIN_PAUSE_MS = 1000

/** Gets credentials from a command, and caches them until they expire (KEP-541). */
export class ExecPlugin {
  readonly #config: ExecConfig
  readonly #options: ExecPluginOptions
  #credentials: ExecCredentials | undefined
  #running: Promise<ExecCredentials> | undefined
  /** Kills the running command. */
  #stop: () => void = () => undefined
  #closed = false
  #ranAt = Number.NEGATIVE_INFINITY

  constructor(config: ExecConfig, options: ExecPluginOptions) {
    this.#config = config
    this.#options = options
  }

  /** Credentials that have not expired. */
  current(): ExecCredentials | Promise<ExecCredentials> {
    const known = this.#credentials
    if (known !== undefined && this.#options.clock.now().getTime() < known.expiresAt) return known
    return this.#run()
  }

  /** Other credentials than the rejected ones, if the command has them. */
  async renew(refused: ExecCredentials): Promise<ExecCredentials> {
    if (this.#credentials !== refused) return this.current()
    if (this.#options.clock.elapsed() - this.#ranAt < MIN_PAUSE_MS) return refused
    return this.#run()
  }

  /** Kills the running command, and does not run it again. */
  close(): void {
    this.#closed = true
    this.#stop()
  }

  #run(): Promise<ExecCredentials> {
    // An interactive command must not run twice at a time.
    this.#running ??= this.#execute().finally(() => {
      this.#running = undefined
      this.#ranAt = this.#options.clock.elapsed()
    })
    return this.#running
  }

  async #execute(): Promise<ExecCredentials> {
    const { apiVersion = '' } = this.#config
    const output = await this.#output()
    try {
      this.#credentials = parseExecCredential(output, apiVersion)
    } catch (error) {
      throw this.#failure((error as Error).message)
    }
    return this.#credentials
  }

  async #output(): Promise<string> {
    const { command = '', args, env, interactiveMode } = this.#config
    const { environment } = this.#options
    const isTerminal = interactiveMode !== 'Never' && (await this.#options.isTerminal())
    if (interactiveMode === 'Always' && !isTerminal) throw this.#failure('it needs a terminal, and there is none')
    const { spawn } = await import('node:child_process')
    if (this.#closed) throw closedError()
    const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value ?? '']))
    try {
      const child = spawn(command, args ?? [], {
        env: { ...environment, ...own, KUBERNETES_EXEC_INFO: this.#info(isTerminal) },
        // Its messages go to the user.
        stdio: [isTerminal ? 'inherit' : 'ignore', 'pipe', 'inherit'],
        windowsHide: true,
      })
      return this.#read(child)
    } catch (error) {
      // The original error quotes the invalid argument, which may be a secret.
      throw this.#failure(`it cannot be run (${(error as NodeJS.ErrnoException).code})`)
    }
  }

  #read(child: ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#stop = () => {
        child.kill()
        // Its children may keep the pipe open for longer: do not wait for them.
        child.stdout?.destroy()
        child.unref()
        reject(closedError())
      }
      let output = ''
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.length <= MAX_OUTPUT) return
        child.kill()
        reject(this.#failure(`it printed more than ${MAX_OUTPUT} characters`))
      })
      child.once('error', (error: NodeJS.ErrnoException) => {
        const hint = cleanText(this.#config.installHint ?? '')
        if (error.code === 'ENOENT') reject(this.#failure(`it is not installed${hint === '' ? '' : `: ${hint}`}`))
        else reject(this.#failure(`it cannot be run (${error.code})`))
      })
      child.once('close', (code, signal) => {
        if (code === 0) resolve(output)
        else reject(this.#failure(`it failed with ${code === null ? `signal ${signal}` : `exit code ${code}`}`))
      })
    })
  }

  #info(interactive: boolean): string {
    const { apiVersion, provideClusterInfo } = this.#config
    const spec = { ...(provideClusterInfo === true && { cluster: this.#options.cluster }), interactive }
    return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec })
  }

  #failure(problem: string): Error {
    return new Error(`${this.#options.origin}: exec: ${JSON.stringify(this.#config.command)}: ${problem}`)
  }
}

function closedError(): ConnectionError {
  return new ConnectionError('the client was closed', { code: 'ECLOSED', sent: false })
}

/** Text from a foreign file, without control characters of the terminal. */
function cleanText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => (/[\t\n\r]/.test(character) ? character : '?'))
}
