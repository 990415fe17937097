import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Logger } from '@orrery/kube'
import { parseCertificateBundle } from '@orrery/kube/pki'

/** What a server shows its clients. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
  readonly notAfter: Date
}

/**
 * The certificate in a directory, as a mounted Secret has it: `tls.crt` and `tls.key`. Read again when something happens
 * there; what cannot be used is told in the log, and the last good one stays.
 */
export class ServingCertificate {
  readonly #directory: string
  readonly #log: Logger
  readonly #watcher: FSWatcher | undefined
  #pair: KeyPair
  #use: (pair: KeyPair) => void = () => undefined
  #reading: Promise<void> | undefined
  #isOutdated = false
  #problem = ''

  private constructor(directory: string, pair: KeyPair, log: Logger) {
    this.#directory = directory
    this.#pair = pair
    this.#log = log
    this.#watcher = this.#watch()
  }

  /** Reads the certificate. Throws when there is none that can be used. */
  static async open(directory: string, log: Logger): Promise<ServingCertificate> {
    return new ServingCertificate(directory, await readPair(directory), log)
  }

  get pair(): KeyPair {
    return this.#pair
  }

  /** Calls back with every certificate that comes after this one. */
  onChange(use: (pair: KeyPair) => void): void {
    this.#use = use
  }

  /** Reads the certificate again. What happens meanwhile is read as well. */
  refresh(): Promise<void> {
    this.#isOutdated = true
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  close(): void {
    this.#watcher?.close()
  }

  /** A machine may have no watches left to give. Then the certificate is read when somebody asks for it to be. */
  #watch(): FSWatcher | undefined {
    const warn = (error: unknown) =>
      this.#log.warn('the certificate cannot be watched', { directory: this.#directory, error })
    try {
      const watcher = watch(this.#directory, { persistent: false }, () => void this.refresh())
      return watcher.on('error', warn)
    } catch (error) {
      warn(error)
      return undefined
    }
  }

  async #read(): Promise<void> {
    while (this.#isOutdated) {
      this.#isOutdated = false
      try {
        this.#take(await readPair(this.#directory))
      } catch (error) {
        this.#report((error as Error).message)
      }
    }
  }

  #take(pair: KeyPair): void {
    this.#problem = ''
    if (pair.cert === this.#pair.cert && pair.key === this.#pair.key) return
    this.#pair = pair
    this.#use(pair)
    this.#log.info('the certificate was read again', { notAfter: pair.notAfter })
  }

  /** Each problem is told once. */
  #report(problem: string): void {
    if (problem === this.#problem) return
    this.#problem = problem
    this.#log.warn('the certificate cannot be used', { directory: this.#directory, problem })
  }
}

async function readPair(directory: string): Promise<KeyPair> {
  const [cert, key] = await Promise.all([readText(join(directory, 'tls.crt')), readText(join(directory, 'tls.key'))])
  const [leaf] = parseCertificateBundle(cert)
  if (leaf === undefined) throw new Error('tls.crt has no certificate')
  // A file that is being written is empty at first, and an empty key counts as none.
  if (key.trim() === '') throw new Error('tls.key has no key')
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new Error(`tls.crt and tls.key cannot be used together (${(error as NodeJS.ErrnoException).code})`)
  }
  return { cert, key, notAfter: leaf.notAfter }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
