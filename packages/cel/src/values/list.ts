import type { CelValue } from './value.js'

export abstract class CelList {
  abstract readonly length: number
  /** The item at an index that exists. */
  abstract at(index: number): CelValue
  /** How lists of this field compare and concatenate, by the schema. */
  get listType(): 'atomic' | 'set' | 'map' {
    return 'atomic'
  }
  /** The key fields of a `map` list. */
  get keys(): readonly string[] {
    return []
  }

  *[Symbol.iterator](): IterableIterator<CelValue> {
    for (let i = 0; i < this.length; i++) yield this.at(i)
  }
}

/** A list created by an expression. */
export class ArrayList extends CelList {
  readonly #items: CelValue[]

  constructor(items: CelValue[]) {
    super()
    this.#items = items
  }

  get length(): number {
    return this.#items.length
  }

  at(index: number): CelValue {
    return this.#items[index] as CelValue
  }

  /** Only for a list without other references, such as the accumulator of a fold. */
  push(item: CelValue): void {
    this.#items.push(item)
  }
}
