import { unpooledCopy } from './entry.js'
import { History, type ReadVersion } from './history.js'
import { KeyIndex } from './key-index.js'
import { readLmdbFile } from './lmdb-file.js'
import { FileDamaged } from './lmdb-format.js'
import { dataFile } from './log.js'
import { type LogMeta, readMeta } from './meta.js'
import { type Keeping, type LogRecord, RecordDamaged, readRecord } from './record.js'
import type { LoadedState } from './store.js'

/** The data on disk is damaged. */
export class StoreDamaged extends Error {
  readonly file: string
  constructor(file: string, cause: Error) {
    super(
      `the store file ${file} is damaged (${cause.message}). Nothing was changed. ` +
        'Restore the newest backup over it, or replace it with a copy of the file that was made while no process used it.',
      { cause },
    )
    this.name = 'StoreDamaged'
    this.file = file
  }
}

/** Reads the log of a store that no process has open, from the first record to the last. */
export function loadState(directory: string, warmBytes: number, readVersion: ReadVersion): LoadedState {
  const file = dataFile(directory)
  const keeping = new Slabs()
  let loading: Loading | undefined
  try {
    readLmdbFile(file, (revision, value) => {
      if (loading === undefined) loading = new Loading(parseMeta(revision, value), warmBytes, readVersion)
      else loading.add(readRecord(revision, value, keeping))
    })
    if (loading === undefined) throw new FileDamaged('it is empty')
    return loading.finish()
  } catch (error) {
    if (error instanceof FileDamaged || error instanceof RecordDamaged) throw new StoreDamaged(file, error)
    throw error
  }
}

const SLAB = 32 * 1024

/**
 * Allocates what is read at the start in large slabs: most of it stays alive, and tens of thousands of small buffers
 * are slow to create.
 */
class Slabs implements Keeping {
  readonly #texts = new Map<string, string>()
  #slab = Buffer.alloc(0)
  #used = 0

  text(text: string): string {
    const known = this.#texts.get(text)
    if (known === undefined) this.#texts.set(text, text)
    return known ?? text
  }

  bytes(bytes: Buffer): Buffer {
    if (bytes.length > SLAB / 4) return unpooledCopy(bytes)
    if (this.#used + bytes.length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB)
      this.#used = 0
    }
    const start = this.#used
    this.#used += bytes.copy(this.#slab, start)
    return this.#slab.subarray(start, this.#used)
  }
}

/** The state while records are added to it, oldest first. */
class Loading {
  readonly #meta: LogMeta
  readonly #keyIndex = new KeyIndex()
  readonly #history: History
  readonly #garbage: number[] = []
  #revision: number

  constructor(meta: LogMeta, warmBytes: number, readVersion: ReadVersion) {
    this.#meta = meta
    this.#history = new History(meta.compacted, warmBytes, readVersion)
    this.#revision = meta.revision
  }

  add({ entry, remove }: LogRecord): void {
    const previous = this.#keyIndex.get(entry.bucket, entry.namespace, entry.name)
    if (remove) this.#keyIndex.delete(entry)
    else this.#keyIndex.set(entry)
    this.#revision = Math.max(this.#revision, entry.revision)
    if (entry.revision > this.#meta.compacted) {
      const type = remove ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED'
      this.#history.addCold(type, entry, previous?.revision ?? 0)
      return
    }
    if (previous !== undefined) this.#garbage.push(previous.revision)
    if (remove) this.#garbage.push(entry.revision)
  }

  finish(): LoadedState {
    return {
      cluster: this.#meta.cluster,
      revision: this.#revision,
      keyIndex: this.#keyIndex,
      history: this.#history,
      garbage: this.#garbage,
    }
  }
}

function parseMeta(revision: number, value: Buffer): LogMeta {
  if (revision !== 0) throw new FileDamaged('its metadata record is missing')
  const meta = readMeta(value)
  if (meta === undefined) throw new FileDamaged('its metadata record is not readable by this version')
  return meta
}
