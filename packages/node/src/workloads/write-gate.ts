interface Waiter {
  readonly bytes: number
  readonly resolve: () => void
}

/**
 * Limits how many bytes are written at the same time. Hundreds of concurrent writes are cheap for ordinary objects, but
 * the API server of this process does not answer others for seconds while it stores hundreds of large ones together.
 */
export class WriteGate {
  readonly #most: number
  readonly #waiting: Waiter[] = []
  #used = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Runs a write once there is room for it. A write that is larger than the limit runs alone. */
  async run<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#hasRoom(bytes)) this.#used += bytes
    else await new Promise<void>((resolve) => this.#waiting.push({ bytes, resolve }))
    try {
      return await write()
    } finally {
      this.#used -= bytes
      this.#admit()
    }
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#hasRoom(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#used += next.bytes
      next.resolve()
    }
  }

  #hasRoom(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#most
  }
}
