import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/**
 * Notices that files have changed since the program started, for what a program reads only once. The clients of `runAddonAgent` need
 * no restart: they read their kubeconfigs, certificates and tokens again when these change.
 */
export class ConfigChecker {
  readonly #files: readonly string[]
  readonly #known: Map<string, string>

  private constructor(files: readonly string[], known: Map<string, string>) {
    this.#files = files
    this.#known = known
  }

  /** Reads the files for the first time. A file that does not exist is an empty one. */
  static async start(files: readonly string[]): Promise<ConfigChecker> {
    return new ConfigChecker(files, await hashesOf(files))
  }

  /** A problem for each file that has changed: for a health check, so that the kubelet restarts the agent. */
  async problems(): Promise<string[]> {
    const now = await hashesOf(this.#files)
    return this.#files.flatMap((file) =>
      now.get(file) === this.#known.get(file) ? [] : [`${file} has changed since the agent started`],
    )
  }
}

async function hashesOf(files: readonly string[]): Promise<Map<string, string>> {
  const hashes = files.map(async (file) => [file, hashOf(await contentOf(file))] as const)
  return new Map(await Promise.all(hashes))
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
