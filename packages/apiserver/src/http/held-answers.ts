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
  /** Called when it keeps a buffer that others may keep too. Only one of them pays for it at a time. */
  keeps(buffer: Buffer): void
  release(): void
}

/** The default limit of held bytes for all connections of the process. */
const HELD_ANSWER_BYTES = 256 * 1024 * 1024

/** A response without progress for this long is cut: kube-apiserver's time limit for a whole request. */
const STALL_MILLISECONDS = 60_000
const SWEEP_MILLISECONDS = 1000

/**
 * The grace period before a client counts as slow. Fast clients need less, so a burst of large lists affects no client.
 */
const GRACE_MILLISECONDS = 1000

class Held implements HeldAnswer {
  readonly account: Account
  readonly cut: () => void
  bytes: number
  since: number
  readonly buffers = new Set<Buffer>()
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

  keeps(buffer: Buffer): void {
    this.progressed()
    this.#answers.kept(this, buffer)
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
  /** Responses that keep the same buffer, such as watches with the same event. The first one pays for it. */
  readonly #keepers = new Map<Buffer, Set<Held>>()
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
    if (!held.account.held.has(held)) return
    this.#charge(held, bytes)
    if (this.#bytes > this.#limit) this.#makeRoom()
  }

  kept(held: Held, buffer: Buffer): void {
    if (!held.account.held.has(held) || held.buffers.has(buffer)) return
    held.buffers.add(buffer)
    const keepers = this.#keepers.get(buffer)
    if (keepers !== undefined) {
      keepers.add(held)
      return
    }
    this.#keepers.set(buffer, new Set([held]))
    this.grew(held, buffer.length)
  }

  released(held: Held): void {
    const { account } = held
    if (!account.held.delete(held)) return
    account.bytes -= held.bytes
    this.#bytes -= held.bytes
    if (account.held.size === 0) this.#accounts.delete(account.username)
    for (const buffer of held.buffers) this.#passOn(buffer, held)
  }

  #charge(held: Held, bytes: number): void {
    held.bytes += bytes
    held.account.bytes += bytes
    this.#bytes += bytes
  }

  /** If the response paid for the buffer, the next one that keeps it does. */
  #passOn(buffer: Buffer, held: Held): void {
    const keepers = this.#keepers.get(buffer) as Set<Held>
    const [payer] = keepers
    keepers.delete(held)
    const [next] = keepers
    if (next === undefined) this.#keepers.delete(buffer)
    else if (payer === held) this.#charge(next, buffer.length)
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
