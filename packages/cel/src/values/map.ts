import { CelDouble, CelEvalError, CelUint, type CelValue, intOf } from './value.js'

export abstract class CelMap {
  abstract readonly size: number
  /** The value of a key; undefined if it does not exist. Throws for a value that cannot be a key. */
  abstract find(key: CelValue): CelValue | undefined
  abstract keys(): Iterable<CelValue>

  /** `map.name`. */
  field(name: string): CelValue | undefined {
    return this.find(name)
  }
}

export type HashKey = string | boolean | number | bigint

/** A map created by an expression. Equal numbers are the same key, whatever their type. */
export class HashMap extends CelMap {
  readonly #entries = new Map<HashKey, [CelValue, CelValue]>()

  get size(): number {
    return this.#entries.size
  }

  find(key: CelValue): CelValue | undefined {
    const hash = hashKey(key)
    return hash === undefined ? undefined : this.#entries.get(hash)?.[1]
  }

  *keys(): IterableIterator<CelValue> {
    for (const [key] of this.#entries.values()) yield key
  }

  /** Only for a map without other references. Throws if the key exists. */
  insert(key: CelValue, value: CelValue): void {
    const hash = hashKey(key)
    if (hash === undefined) throw new CelEvalError('unsupported key type')
    if (this.#entries.has(hash)) throw new CelEvalError(`insert failed: key ${String(hash)} already exists`)
    this.#entries.set(hash, [key, value])
  }

  /** Like `insert`, with the message for a literal. */
  add(key: CelValue, value: CelValue): void {
    const hash = hashKey(key)
    if (hash === undefined) throw new CelEvalError('unsupported key type')
    if (this.#entries.has(hash)) throw new CelEvalError(`Failed with repeated key: ${String(hash)}`)
    this.#entries.set(hash, [key, value])
  }
}

/** The hash key of a value; undefined if it cannot be a key. */
export function hashKey(key: CelValue): HashKey | undefined {
  if (typeof key === 'string' || typeof key === 'boolean' || typeof key === 'number' || typeof key === 'bigint') {
    return key
  }
  if (key instanceof CelUint) return key.value < 1n << 63n ? intOf(key.value) : key.value
  if (key instanceof CelDouble && Number.isInteger(key.value)) {
    return Number.isSafeInteger(key.value) ? key.value : BigInt(key.value)
  }
  return undefined
}
