/** Who holds an answer that has not been read yet. */
export interface AnswerHolder {
  /** Undefined when the client has not authenticated. */
  readonly username: string | undefined
  /** Gives the answer up: the client sees a broken connection or stream. */
  cut(): void
}

/** An answer in memory whose reader has not taken it all yet. */
export interface HeldAnswer {
  /** The reader has taken some. */
  progressed(): void
  /** There is so much more of it. */
  grew(bytes: number): void
  release(): void
}

/** What answers may hold by default, all connections of the process together. */
export const HELD_ANSWER_BYTES = 256 * 1024 * 1024

/** An answer of which nothing is taken for this long is given up: kube-apiserver's time for a whole request. */
const STALL_MILLISECONDS = 60_000
const SWEEP_MILLISECONDS = 1000

/** Readers get this long before they count as slow. Fast ones take less, so a burst of large lists costs nobody anything. */
const GRACE_MILLISECONDS = 1000

class Held implements HeldAnswer {
  readonly account: Account
  readonly cut: () => void
  bytes: number
  since: number
  readonly #answers: HeldAnswers

  constructor(answers: HeldAnswers, account: Account, bytes: number, cut: () => void) {
    this.#answers = answers
    this.account = account
    this.bytes = bytes
    this.cut = cut
    this.since = performance.now()
  }

  progressed(): void {
    // The account keeps them in the order of their last progress.
    if (!this.account.held.delete(this)) return
    this.since = performance.now()
    this.account.held.add(this)
  }

  grew(bytes: number): void {
    this.progressed()
    this.#answers.grew(this, bytes)
  }

  release(): void {
    this.#answers.released(this)
  }
}

class Account {
  readonly username: string | undefined
  readonly held = new Set<Held>()
  bytes = 0

  constructor(username: string | undefined) {
    this.username = username
  }
}

/**
 * The memory of answers that wait for slow readers. None waits for ever for a reader that takes nothing. Beyond the limit the user who holds the most loses the answer that
 * has made no progress for longest, once it has waited for a second; beyond twice the limit at once.
 */
export class HeldAnswers {
  readonly #limit: number
  readonly #stallMilliseconds: number
  readonly #accounts = new Map<string | undefined, Account>()
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limit = HELD_ANSWER_BYTES, stallMilliseconds = STALL_MILLISECONDS) {
    this.#limit = limit
    this.#stallMilliseconds = stallMilliseconds
  }

  get bytes(): number {
    return this.#bytes
  }

  hold(holder: AnswerHolder, bytes: number): HeldAnswer {
    const { username } = holder
    let account = this.#accounts.get(username)
    if (account === undefined) {
      account = new Account(username)
      this.#accounts.set(username, account)
    }
    const held = new Held(this, account, bytes, () => holder.cut())
    account.held.add(held)
    account.bytes += bytes
    this.#bytes += bytes
    this.#timer ??= this.#sweepLater()
    if (this.#bytes > this.#limit) this.#makeRoom()
    return held
  }

  grew(held: Held, bytes: number): void {
    const { account } = held
    if (!account.held.has(held)) return
    held.bytes += bytes
    account.bytes += bytes
    this.#bytes += bytes
    if (this.#bytes > this.#limit) this.#makeRoom()
  }

  released(held: Held): void {
    const { account } = held
    if (!account.held.delete(held)) return
    account.bytes -= held.bytes
    this.#bytes -= held.bytes
    if (account.held.size === 0) this.#accounts.delete(account.username)
  }

  #makeRoom(): void {
    while (this.#bytes > this.#limit) {
      const [slowest] = this.#largest()?.held ?? []
      if (slowest === undefined) return
      const isSlow = performance.now() - slowest.since >= GRACE_MILLISECONDS
      // The sweep comes back to it.
      if (!isSlow && this.#bytes <= 2 * this.#limit) return
      this.#cut(slowest)
    }
  }

  #sweepLater(): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.#makeRoom()
        const stalled = performance.now() - this.#stallMilliseconds
        for (const account of this.#accounts.values()) {
          for (const held of account.held) {
            if (held.since > stalled) break
            this.#cut(held)
          }
        }
        this.#timer = this.#accounts.size === 0 ? undefined : this.#sweepLater()
      },
      Math.min(SWEEP_MILLISECONDS, this.#stallMilliseconds),
    ).unref()
  }

  #cut(held: Held): void {
    this.released(held)
    held.cut()
  }

  #largest(): Account | undefined {
    let largest: Account | undefined
    for (const account of this.#accounts.values()) {
      if (largest === undefined || account.bytes > largest.bytes) largest = account
    }
    return largest
  }
}
