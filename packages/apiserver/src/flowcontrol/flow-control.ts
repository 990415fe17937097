import { StatusError } from '@orrery/kinds/values'
import type { Seats } from '../http/seats.js'
import type { Identity } from '../identity/identity.js'
import { MANDATORY_LEVELS, MANDATORY_SCHEMAS, SUGGESTED_LEVELS, SUGGESTED_SCHEMAS } from './bootstrap.js'
import { type FlowRequest, matcherFor } from './flow-matcher.js'
import { PriorityLevel, type SeatPool } from './priority-level.js'
import { SchemaCounts } from './schema-counts.js'
import type { FlowSchema, PriorityLevelConfiguration } from './types.js'
import { WaitingRequests } from './waiting-requests.js'

/** The sum of kube-apiserver's `--max-requests-inflight` and `--max-mutating-requests-inflight`. */
const DEFAULT_CONCURRENCY = 600

/** A flow schema with its priority level. */
interface Lane {
  readonly schema: FlowSchema
  readonly uid: string
  readonly level: PriorityLevel
  readonly counts: SchemaCounts
}

/** A lane that matches an identity, with its rules for requests. */
interface Candidate {
  readonly lane: Lane
  readonly matches: (request: FlowRequest) => boolean
}

/** The seats of a request. It releases them while it waits for its client, and after it was served. */
export class Seat implements Seats {
  readonly lane: Lane
  readonly #seats: number
  readonly #identity: Identity
  readonly #request: FlowRequest
  readonly #waiting: WaitingRequests
  /** How many parts of the request wait for other servers. */
  #waits = 0
  #isTaken = true
  #isOver = false
  #retaking: Promise<void> | undefined

  constructor(lane: Lane, seats: number, identity: Identity, request: FlowRequest, waiting: WaitingRequests) {
    this.#waiting = waiting
    this.lane = lane
    this.#seats = seats
    this.#identity = identity
    this.#request = request
    lane.counts.dispatched++
    lane.counts.executing++
  }

  get schemaUid(): string {
    return this.lane.uid
  }

  get levelUid(): string {
    return this.lane.level.uid
  }

  release(): void {
    this.#isOver = true
    this.leave()
  }

  leave(): void {
    if (!this.#isTaken) return
    this.#isTaken = false
    this.lane.counts.executing--
    this.lane.level.release(this.#seats)
  }

  /** Several parts of a request can ask for its seats at the same time. */
  retake(onGone: OnGone): Promise<void> {
    this.#retaking ??= this.#retake(onGone).finally(() => {
      this.#retaking = undefined
    })
    return this.#retaking
  }

  /**
   * Waits for another server without the seats: a webhook that does not answer must not keep other requests waiting.
   * Rejects with a 429 if too many requests of the tenant wait, or if there are no seats afterwards.
   */
  async waitFor<T>(answer: () => Promise<T>, onGone: OnGone): Promise<T> {
    const { lane } = this
    if (lane.level.isExempt) return answer()
    const { username } = this.#identity
    if (this.#waits === 0 && !this.#waiting.add(username, this.#seats)) {
      throw new TooManyRequests(lane.uid, lane.level.uid, lane.level.retryAfter.next())
    }
    this.#waits++
    this.leave()
    try {
      return await answer()
    } finally {
      if (--this.#waits === 0) {
        this.#waiting.remove(username, this.#seats)
        await this.retake(onGone)
      }
    }
  }

  /**
   * Waits for another server after the request has written. It can no longer be refused, and needs no seats afterwards.
   * Others of the tenant are refused instead.
   */
  async waitAtEnd<T>(answer: () => Promise<T>): Promise<T> {
    if (this.lane.level.isExempt) return answer()
    const { username } = this.#identity
    if (this.#waits === 0) this.#waiting.addAnyway(username, this.#seats)
    this.#waits++
    this.release()
    try {
      return await answer()
    } finally {
      if (--this.#waits === 0) this.#waiting.remove(username, this.#seats)
    }
  }

  async #retake(onGone: OnGone): Promise<void> {
    if (this.#isTaken || this.#isOver) return
    const { lane } = this
    if (!lane.level.tryTake(this.#seats)) await waitIn(lane, this.#identity, this.#request, this.#seats, onGone)
    this.#isTaken = true
    lane.counts.executing++
    if (this.#isOver) this.leave()
  }
}

/** Registers a callback for the disconnect of a waiting request's client. */
type OnGone = (callback: () => void) => void

/**
 * API Priority and Fairness: decides which requests are served now, which wait, and which are refused. FlowSchemas
 * classify requests into flows, PriorityLevelConfigurations divide the seats of the server among them.
 */
export class FlowControl implements SeatPool {
  readonly #concurrency: number
  readonly #levels = new Map<string, PriorityLevel>()
  readonly #counts = new Map<string, SchemaCounts>()
  readonly #waiting = new WaitingRequests()
  #lanes: readonly Lane[] = []
  /** Caches which schemas match an identity. */
  #candidates = new WeakMap<Identity, readonly Candidate[]>()

  constructor(concurrency = DEFAULT_CONCURRENCY) {
    this.#concurrency = concurrency
    this.configure([...MANDATORY_SCHEMAS, ...SUGGESTED_SCHEMAS], [...MANDATORY_LEVELS, ...SUGGESTED_LEVELS])
  }

  get levels(): Iterable<PriorityLevel> {
    return this.#levels.values()
  }

  get counts(): Iterable<SchemaCounts> {
    return this.#counts.values()
  }

  /** Applies a configuration. The mandatory objects are always included. */
  configure(schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[]): void {
    this.#configureLevels(withMandatory(levels, MANDATORY_LEVELS))
    this.#lanes = withMandatory(schemas, MANDATORY_SCHEMAS)
      .sort(byPrecedence)
      .flatMap((schema) => {
        const level = this.#levels.get(schema.spec.priorityLevelConfiguration.name)
        // A schema without its level is skipped.
        return level === undefined ? [] : [this.#lane(schema, level)]
      })
    this.#candidates = new WeakMap()
  }

  lendable(except: PriorityLevel): number {
    let lendable = 0
    for (const level of this.#levels.values()) {
      if (level === except || level.isExempt) continue
      lendable += level.spareSeats - level.borrowedSeats
    }
    return lendable
  }

  /** Takes seats for a request, synchronously if some are free. Throws or rejects with a 429 if there are none. */
  enter(identity: Identity, request: FlowRequest, seats: number, onGone: OnGone): Seat | Promise<Seat> {
    const lane = this.#laneOf(identity, request)
    const seat = () => new Seat(lane, seats, identity, request, this.#waiting)
    if (lane.level.tryTake(seats)) return seat()
    return waitIn(lane, identity, request, seats, onGone).then(seat)
  }

  #laneOf(identity: Identity, request: FlowRequest): Lane {
    let candidates = this.#candidates.get(identity)
    if (candidates === undefined) {
      candidates = this.#candidatesFor(identity)
      this.#candidates.set(identity, candidates)
    }
    for (const { lane, matches } of candidates) if (matches(request)) return lane
    return this.#lanes.at(-1) as Lane
  }

  #candidatesFor(identity: Identity): Candidate[] {
    return this.#lanes.flatMap((lane) => {
      const matches = matcherFor(lane.schema.spec, identity)
      return matches === undefined ? [] : [{ lane, matches }]
    })
  }

  #lane(schema: FlowSchema, level: PriorityLevel): Lane {
    const name = schema.metadata.name ?? ''
    const key = `${name} ${level.name}`
    let counts = this.#counts.get(key)
    if (counts === undefined) {
      counts = new SchemaCounts(name, level.name)
      this.#counts.set(key, counts)
    }
    return { schema, uid: schema.metadata.uid ?? '', level, counts }
  }

  #configureLevels(levels: readonly PriorityLevelConfiguration[]): void {
    const sum = levels.reduce((shares, { spec }) => shares + sharesOf(spec), 0)
    const names = new Set<string>()
    for (const { metadata, spec } of levels) {
      const { name = '', uid = '' } = metadata
      names.add(name)
      let level = this.#levels.get(name)
      if (level === undefined) {
        level = new PriorityLevel(name, uid, this)
        this.#levels.set(name, level)
      }
      level.configure(spec, uid, Math.ceil((this.#concurrency * sharesOf(spec)) / Math.max(1, sum)))
    }
    // Running requests return their seats to their removed level.
    for (const name of this.#levels.keys()) if (!names.has(name)) this.#levels.delete(name)
  }
}

/** Waits for seats. Rejects with a 429 if there are none. */
async function waitIn(
  lane: Lane,
  identity: Identity,
  request: FlowRequest,
  seats: number,
  onGone: OnGone,
): Promise<void> {
  const { level, counts } = lane
  counts.waiting++
  const start = performance.now()
  const rejection = await level.wait({ flow: flowOf(lane, identity, request), seats, onGone })
  counts.waiting--
  counts.waited((performance.now() - start) / 1000, rejection)
  if (rejection === undefined) return
  throw new TooManyRequests(lane.uid, level.uid, level.retryAfter.next())
}

/** The flow has too many requests. */
export class TooManyRequests extends StatusError {
  readonly schemaUid: string
  readonly levelUid: string

  constructor(schemaUid: string, levelUid: string, retryAfterSeconds: number) {
    super({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Too many requests, please try again later.',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds },
      code: 429,
    })
    this.schemaUid = schemaUid
    this.levelUid = levelUid
  }
}

function sharesOf({ limited, exempt }: PriorityLevelConfiguration['spec']): number {
  return limited === undefined ? (exempt?.nominalConcurrencyShares ?? 0) : (limited.nominalConcurrencyShares ?? 30)
}

function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const order = a.spec.matchingPrecedence - b.spec.matchingPrecedence
  return order !== 0 ? order : (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}

function flowOf({ schema }: Lane, identity: Identity, { namespace }: FlowRequest): string {
  const name = schema.metadata.name ?? ''
  switch (schema.spec.distinguisherMethod?.type) {
    case 'ByUser':
      return `${name} ${identity.username}`
    case 'ByNamespace':
      return `${name} ${namespace}`
    default:
      return name
  }
}

function withMandatory<T extends { readonly metadata: { readonly name?: string } }>(
  objects: readonly T[],
  mandatory: readonly T[],
): T[] {
  const names = new Set(objects.map(({ metadata }) => metadata.name))
  return [...objects, ...mandatory.filter(({ metadata }) => !names.has(metadata.name))]
}
