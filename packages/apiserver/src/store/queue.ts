/** A FIFO queue with positions: items are removed at the front in constant time. */
export class Queue<T> {
  #items: (T | undefined)[] = []
  #front = 0

  get length(): number {
    return this.#items.length - this.#front
  }

  push(item: T): void {
    this.#items.push(item)
  }

  at(index: number): T | undefined {
    return this.#items[this.#front + index]
  }

  shift(): T | undefined {
    const item = this.#items[this.#front]
    if (item === undefined) return undefined
    this.#items[this.#front++] = undefined
    if (this.#front > 1024 && this.#front * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#front)
      this.#front = 0
    }
    return item
  }

  /** Returns the first position for which `holds` is true; the length if there is none. `holds` must be monotonic. */
  search(holds: (item: T) => boolean): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (holds(this.at(middle) as T)) high = middle
      else low = middle + 1
    }
    return low
  }
}
