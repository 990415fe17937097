import { readFile } from 'node:fs/promises'
import type { Logger } from '@orrery/kube/log'
import { parseCertificateBundle } from '@orrery/kube/pki'
import { keyPairOf } from '@orrery/kube/serving'
import { watchFiles } from './watched-files.js'

/** What a TLS port uses, in PEM. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
  /** The authority of client certificates. Undefined if clients are not asked for one. */
  readonly clientCa?: string
}

/** The certificate of a port. It can be replaced at any time. */
export interface TlsSource {
  readonly current: TlsMaterial
  /** Calls back with every later one. Returns a function that stops this. */
  onChange(use: (material: TlsMaterial) => void): () => void
}

export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly clientCaFile?: string | undefined
}

/** Certificates in files, read again when they change. A version that cannot be used is logged and the last one kept. */
export async function openTlsFiles(files: TlsFiles, log: Logger): Promise<TlsSource & { close(): void }> {
  const { certFile, keyFile, clientCaFile } = files
  let current = await readMaterial(files)
  const listeners = new Set<(material: TlsMaterial) => void>()
  const refresh = async () => {
    try {
      const next = await readMaterial(files)
      if (next.cert === current.cert && next.key === current.key && next.clientCa === current.clientCa) return
      current = next
      for (const use of listeners) use(next)
      log.info('certificate loaded', { certFile })
    } catch (error) {
      log.warn('certificate is not valid, the last one is still used', { problem: (error as Error).message })
    }
  }
  const all = [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])]
  const close = watchFiles(all, log, refresh)
  return {
    get current() {
      return current
    },
    onChange(use) {
      listeners.add(use)
      return () => listeners.delete(use)
    },
    close,
  }
}

async function readMaterial({ certFile, keyFile, clientCaFile }: TlsFiles): Promise<TlsMaterial> {
  const [cert, key] = [await readText(certFile), await readText(keyFile)]
  try {
    keyPairOf(cert, key, undefined)
  } catch (error) {
    throw new Error(`${certFile} and ${keyFile}: ${(error as Error).message}`)
  }
  if (clientCaFile === undefined) return { cert, key }
  const clientCa = await readText(clientCaFile)
  if (parseCertificateBundle(clientCa).length === 0) throw new Error(`${clientCaFile} has no certificate`)
  return { cert, key, clientCa }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
