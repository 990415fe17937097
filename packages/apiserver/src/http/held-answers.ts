/** The holder of a response that was not read completely. */
export interface AnswerHolder {
  /** Undefined for an unauthenticated client. */
  readonly username: string | undefined
  /** Cuts the response: the client sees a closed connection or stream. */
  cut(): void
}

/** A response in memory that its client has not read completely. */
export interface HeldAnswer {
  /** Called when the client has read some of it. */
  progressed(): void
  /** Called when bytes are added. */
  grew(bytes: number): void
  release(): void
}

/** The default limit of held bytes for all connections of the process. */
const HELD_ANSWER_BYTES = 256 * 1024 * 1024

/** A response without progress for this long is cut: kube-apiserver's time limit for a whole request. */
const STALL_MILLISECONDS = 60_000
const SWEEP_MILLISECONDS = 1000

/**
 * The grace period before a client counts as slow. Fast clients need less, so a burst of large lists affects nobody.
 */
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
    // The account keeps responses in the order of their last progress.
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
 * The memory of responses that wait for slow clients. A response without progress is cut after a time limit. Beyond the
 * byte limit, the user who holds the most loses the response without progress for the longest time, once it has waited
 * for a second; beyond twice the limit immediately.
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
      // The sweep handles it later.
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
