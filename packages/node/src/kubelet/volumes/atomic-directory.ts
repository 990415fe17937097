import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface VolumeFile {
  readonly bytes: Buffer
  readonly mode: number
}

/** The files of a volume by path. */
export type Payload = ReadonlyMap<string, VolumeFile>

const DATA = '..data'
const NEXT = '..data_next'

/**
 * A directory whose files change atomically, with the layout of the kubelet's atomic writer: the files are links
 * through `..data`, which points to the current generation.
 */
export class AtomicDirectory {
  readonly path: string
  #current: Payload | undefined
  #generation = 0

  constructor(path: string) {
    this.path = path
  }

  /** Makes the directory contain exactly this payload. Writes nothing if it already does. */
  async write(payload: Payload): Promise<void> {
    if (this.#current !== undefined && samePayload(this.#current, payload)) return
    await mkdir(this.path, { recursive: true })
    const before = (await readdir(this.path)).filter((name) => name.startsWith('..') && name !== DATA)
    const generation = `..${Date.now()}_${process.pid}_${this.#generation++}`
    for (const [path, { bytes, mode }] of payload) {
      const file = join(this.path, generation, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, bytes, { mode })
    }
    await mkdir(join(this.path, generation), { recursive: true })
    await rm(join(this.path, NEXT), { force: true })
    await symlink(generation, join(this.path, NEXT))
    await rename(join(this.path, NEXT), join(this.path, DATA))
    await this.#link(payload)
    for (const name of before) await rm(join(this.path, name), { recursive: true, force: true })
    this.#current = payload
  }

  async #link(payload: Payload): Promise<void> {
    const wanted = new Set(Array.from(payload.keys(), (path) => path.split('/')[0] ?? ''))
    for (const name of await readdir(this.path)) {
      if (name.startsWith('..')) continue
      if (!wanted.delete(name)) await rm(join(this.path, name), { force: true })
    }
    for (const name of wanted) await symlink(join(DATA, name), join(this.path, name))
  }
}

function samePayload(a: Payload, b: Payload): boolean {
  if (a.size !== b.size) return false
  for (const [path, file] of a) {
    const other = b.get(path)
    if (other === undefined || other.mode !== file.mode || !other.bytes.equals(file.bytes)) return false
  }
  return true
}
