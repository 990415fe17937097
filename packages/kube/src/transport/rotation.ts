import type { ClientConfig } from '../kubeconfig/client-config.js'
import type { ConfigSource } from '../kubeconfig/source.js'
import type { Logger } from '../log.js'
import { ExecPlugin } from './exec-plugin.js'
import { signatureOf } from './file-signature.js'
import { filesOf, readSecrets, type Secrets, usesExec, withExecCredentials } from './identity.js'
import { type ConnectionOptions, openSession, type Session } from './session.js'

export interface RotationOptions extends ConnectionOptions {
  readonly log: Logger
  /** How often files are checked, in milliseconds; only when there are requests. */
  readonly checkInterval: number
  /** Whether there is a terminal. */
  readonly isTerminal: () => Promise<boolean>
}

/** What was last read, and the signatures of its files. */
interface Loaded {
  readonly config: ClientConfig
  readonly secrets: Secrets
  readonly exec: { readonly plugin: ExecPlugin; readonly key: string } | undefined
  readonly files: readonly string[]
  readonly signature: string
}

/** The current server and identity: all their files may change at any time. */
export class Rotation {
  readonly #source: ConfigSource
  readonly #options: RotationOptions
  #loaded: Loaded | undefined
  #loading: Promise<Loaded> | undefined
  #session: Session | undefined
  #opening: Promise<Session> | undefined
  #checkedAt = 0
  #lastProblem = ''
  /** Earlier sessions with active requests. */
  readonly #former = new Set<Session>()
  #closed = false

  constructor(source: ConfigSource, options: RotationOptions) {
    this.#source = source
    this.#options = options
  }

  /** The session for the next request. */
  current(): Session | Promise<Session> {
    const loaded = this.#loaded
    if (loaded === undefined || this.#isDue(loaded)) return this.#load(false).then((now) => this.#sessionFor(now))
    return this.#sessionFor(loaded)
  }

  /** The session to try after the server rejected one; the same if there is no other. */
  async renew(refused: Session): Promise<Session> {
    if (this.#session !== refused && this.#session !== undefined) return this.current()
    const loaded = await this.#load(true)
    if (refused.credentials !== undefined) await loaded.exec?.plugin.renew(refused.credentials)
    return this.#sessionFor(loaded)
  }

  close(): void {
    this.#closed = true
    this.#loaded?.exec?.plugin.close()
    for (const { pool } of this.#former) pool.close()
    this.#session?.pool.close()
  }

  #isDue({ files }: Loaded): boolean {
    // The system time may have been set back since.
    return files.length > 0 && Math.abs(this.#now() - this.#checkedAt) >= this.#options.checkInterval
  }

  #load(force: boolean): Promise<Loaded> {
    this.#loading ??= this.#reload(force).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #reload(force: boolean): Promise<Loaded> {
    const before = this.#loaded
    const signature = await signatureOf(before?.files ?? [])
    this.#checkedAt = this.#now()
    if (before !== undefined && signature === before.signature && !force) return before
    try {
      this.#loaded = await this.#read(before)
      if (this.#closed) this.#loaded.exec?.plugin.close()
      this.#lastProblem = ''
      return this.#loaded
    } catch (error) {
      if (before === undefined) throw error
      // Files are often replaced one after the other: until they match again, the old identity is kept.
      this.#report((error as Error).message)
      return before
    }
  }

  async #read(before: Loaded | undefined): Promise<Loaded> {
    // Signatures are read first: what changes during the read is read again.
    const sourceSignature = await signatureOf(this.#source.files)
    const config = await this.#source.read()
    const files = [...this.#source.files, ...filesOf(config)]
    const signature = await signatureOf(filesOf(config))
    const secrets = await readSecrets(config)
    const exec = this.#execFor(config, secrets, before)
    const all = [sourceSignature, signature].filter((one) => one !== '').join('\n')
    const loaded = { config, secrets, exec, files, signature: all }
    // Fails here, while the old session is still there, if a key and a certificate do not match.
    if (exec === undefined) await this.#open(loaded, secrets, undefined)
    return loaded
  }

  #execFor(config: ClientConfig, secrets: Secrets, before: Loaded | undefined): Loaded['exec'] {
    if (config.exec === undefined || !usesExec(config)) return undefined
    const cluster = clusterInfo(config, secrets)
    const key = JSON.stringify([config.exec, cluster])
    // The same command for the same cluster would return the same credentials: they are kept.
    if (before?.exec?.key === key) return before.exec
    const { clock, environment, isTerminal } = this.#options
    const origin = config.origin ?? 'client'
    return { plugin: new ExecPlugin(config.exec, { clock, environment, isTerminal, origin, cluster }), key }
  }

  #sessionFor(loaded: Loaded): Session | Promise<Session> {
    const { exec, secrets } = loaded
    if (exec === undefined) return this.#session as Session
    const credentials = exec.plugin.current()
    if (!(credentials instanceof Promise) && this.#session?.credentials === credentials) return this.#session
    return Promise.resolve(credentials).then((given) => this.#open(loaded, withExecCredentials(secrets, given), given))
  }

  /** Makes another session the current one, one at a time. */
  async #open(loaded: Loaded, secrets: Secrets, credentials: Session['credentials']): Promise<Session> {
    while (this.#opening !== undefined) await this.#opening.catch(() => undefined)
    const before = this.#session
    if (before !== undefined && isSame(before, loaded.config, secrets, credentials)) return before
    this.#opening = openSession(loaded.config, secrets, credentials, before, this.#options)
    try {
      const session = await this.#opening
      if (this.#closed) session.pool.close()
      this.#session = session
      if (before !== undefined && before.pool !== session.pool) this.#leave(before)
      return session
    } finally {
      this.#opening = undefined
    }
  }

  #leave(before: Session): void {
    before.pool.retire()
    this.#former.add(before)
    for (const former of this.#former) {
      if (former.pool.size === 0) this.#former.delete(former)
    }
  }

  #report(problem: string): void {
    if (problem === this.#lastProblem) return
    this.#lastProblem = problem
    this.#options.log.warn('credentials changed but cannot be used: keeping the old ones', { problem })
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

function isSame(session: Session, config: ClientConfig, secrets: Secrets, credentials: Session['credentials']) {
  if (session.credentials !== credentials) return false
  return JSON.stringify([session.config, session.secrets]) === JSON.stringify([config, secrets])
}

/** The cluster information for an exec plugin. */
function clusterInfo(config: ClientConfig, { authority }: Secrets): object {
  return {
    server: config.server,
    ...(config.tlsServerName !== undefined && { 'tls-server-name': config.tlsServerName }),
    ...(config.insecureSkipTlsVerify === true && { 'insecure-skip-tls-verify': true }),
    ...(authority !== undefined && { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(config.proxyUrl !== undefined && { 'proxy-url': config.proxyUrl }),
    ...(config.disableCompression === true && { 'disable-compression': true }),
    config: config.execClusterConfig ?? null,
  }
}
