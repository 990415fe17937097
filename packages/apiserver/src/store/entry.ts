import type { KubeObject } from '@orrery/kinds'
import type { Labels } from '@orrery/kinds/values'
import { sharedLabels } from './shared-labels.js'
import type { Entry } from './types.js'

const OWNERS = Buffer.from('"ownerReferences"')

abstract class ParsedEntry implements Entry {
  readonly bucket: string
  readonly namespace: string
  readonly name: string
  readonly revision: number
  #parsed: WeakRef<KubeObject> | undefined
  #labels: Labels | undefined

  constructor(bucket: string, namespace: string, name: string, revision: number) {
    this.bucket = bucket
    this.namespace = namespace
    this.name = name
    this.revision = revision
  }

  abstract readonly bytes: Buffer

  get mayHaveOwners(): boolean {
    return this.bytes.includes(OWNERS)
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

/** An entry with its bytes in memory. */
export class StoredEntry extends ParsedEntry {
  readonly bytes: Buffer
  readonly #mayHaveOwners: boolean | undefined

  constructor(
    bucket: string,
    namespace: string,
    name: string,
    revision: number,
    bytes: Buffer,
    mayHaveOwners?: boolean,
  ) {
    super(bucket, namespace, name, revision)
    this.bytes = bytes
    this.#mayHaveOwners = mayHaveOwners
  }

  override get mayHaveOwners(): boolean {
    return this.#mayHaveOwners ?? super.mayHaveOwners
  }
}

/**
 * An entry whose bytes are read whenever they are needed: many lists can hold the earlier versions of large objects
 * while they wait for their turns.
 */
export class UnreadEntry extends ParsedEntry {
  readonly #read: () => Entry

  constructor(
    { bucket, namespace, name }: Pick<Entry, 'bucket' | 'namespace' | 'name'>,
    revision: number,
    read: () => Entry,
  ) {
    super(bucket, namespace, name, revision)
    this.#read = read
  }

  get bytes(): Buffer {
    return this.#read().bytes
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
