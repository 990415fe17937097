import type { KubeObject } from '@orrery/kinds'
import type { Labels } from '@orrery/kinds/values'
import { sharedLabels } from './shared-labels.js'
import type { Entry } from './types.js'

const OWNERS = Buffer.from('"ownerReferences"')

/** An entry with its bytes in memory. */
export class StoredEntry implements Entry {
  readonly bucket: string
  readonly namespace: string
  readonly name: string
  readonly revision: number
  readonly bytes: Buffer
  readonly #mayHaveOwners: boolean | undefined
  #parsed: WeakRef<KubeObject> | undefined
  #labels: Labels | undefined

  constructor(
    bucket: string,
    namespace: string,
    name: string,
    revision: number,
    bytes: Buffer,
    mayHaveOwners?: boolean,
  ) {
    this.bucket = bucket
    this.namespace = namespace
    this.name = name
    this.revision = revision
    this.bytes = bytes
    this.#mayHaveOwners = mayHaveOwners
  }

  get mayHaveOwners(): boolean {
    return this.#mayHaveOwners ?? this.bytes.includes(OWNERS)
  }

  object(): KubeObject {
    const held = this.#parsed?.deref()
    if (held !== undefined) return held
    const object = this.#parse()
    this.#parsed = new WeakRef(object)
    return object
  }

  labels(): Labels {
    this.#labels ??= sharedLabels((this.#parsed?.deref() ?? this.#parse()).metadata.labels)
    return this.#labels
  }

  #parse(): KubeObject {
    return JSON.parse(this.bytes.toString('utf8')) as KubeObject
  }
}

/**
 * Returns the same state with another revision: what a watcher gets for an object that no longer matches its selector.
 */
export function restamp(entry: Entry, revision: number): Entry {
  const object = entry.object()
  const stamped = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
  return new StoredEntry(entry.bucket, entry.namespace, entry.name, revision, Buffer.from(JSON.stringify(stamped)))
}

/** Copies a small Buffer out of the shared pool: a long-lived slice would keep its whole pool in memory. */
export function unpooled(bytes: Buffer): Buffer {
  return bytes.length === bytes.buffer.byteLength ? bytes : unpooledCopy(bytes)
}

export function unpooledCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
