import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Logger, silentLogger } from '../log.js'
import { type KeyPair, keyPairOf } from './key-pair.js'
import { LastGood, type ServingCertificate } from './serving-certificate.js'

/**
 * The certificate in a directory, such as a mounted Secret: `tls.crt`, `tls.key` and, if there is one, the `ca.crt`
 * that clients trust. It is reloaded when the files change. Throws if there is no valid certificate. Corresponds to
 * controller-runtime's certwatcher.
 */
export async function certificateInDirectory(directory: string, log = silentLogger): Promise<ServingCertificate> {
  const pair = await readPair(directory)
  return new DirectoryCertificate(directory, pair, log)
}

class DirectoryCertificate implements ServingCertificate {
  readonly #directory: string
  readonly #log: Logger
  readonly #watcher: FSWatcher | undefined
  readonly #lastGood: LastGood
  #reading: Promise<void> | undefined
  #isOutdated = false

  constructor(directory: string, pair: KeyPair, log: Logger) {
    this.#directory = directory
    this.#log = log
    this.#lastGood = new LastGood(log, { directory })
    this.#lastGood.take(() => pair)
    this.#watcher = this.#watch()
  }

  get current(): KeyPair | undefined {
    return this.#lastGood.pair
  }

  onChange(use: (pair: KeyPair) => void): () => void {
    return this.#lastGood.onChange(use)
  }

  /** Changes during a read are read as well. */
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

  /** The machine may have no file watches left. Then the certificate is read by `refresh` only. */
  #watch(): FSWatcher | undefined {
    const warn = (error: unknown) =>
      this.#log.warn('cannot watch the serving certificate', { directory: this.#directory, error })
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
        const pair = await readPair(this.#directory)
        this.#lastGood.take(() => pair)
      } catch (error) {
        this.#lastGood.report((error as Error).message)
      }
    }
  }
}

async function readPair(directory: string): Promise<KeyPair> {
  // One after the other, so that the error for a missing directory is always about the same file.
  const cert = await readText(directory, 'tls.crt')
  const key = await readText(directory, 'tls.key')
  return keyPairOf(cert ?? '', key ?? '', await readText(directory, 'ca.crt'))
}

async function readText(directory: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(directory, name), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && name === 'ca.crt') return undefined
    throw new Error(`${join(directory, name)} cannot be read (${code})`)
  }
}
