import type { History, Step } from './history.js'
import { comparePlaces, type KeyIndex, type Place } from './key-index.js'
import type { Entry, Page, PageRequest } from './types.js'

/** Returns a page of the newest state. */
export function newestPage(keyIndex: KeyIndex, revision: number, request: PageRequest): Page {
  const collector = new Collector(request)
  keyIndex.visit(request.bucket, request.namespace, request.after, (entry) => collector.offer(entry))
  const remaining = collector.full ? keyIndex.countAfter(request.bucket, request.namespace, collector.last) : 0
  return { entries: collector.entries, revision, remaining }
}

/** Returns a page of the state at an earlier revision: the newest state with later changes undone. */
export function pastPage(keyIndex: KeyIndex, history: History, revision: number, request: PageRequest): Page {
  const changed = history.firstChangesSince(request.bucket, revision)
  const gone = goneSince(keyIndex, changed, request)
  const collector = new Collector(request)
  let nextGone = 0

  const offerGoneBefore = (place: Place | undefined): boolean => {
    for (; nextGone < gone.length; nextGone++) {
      const step = gone[nextGone] as Step
      if (place !== undefined && comparePlaces(step, place) > 0) return true
      if (!collector.offer(history.before(step) as Entry)) return false
    }
    return true
  }
  keyIndex.visit(request.bucket, request.namespace, request.after, (live) => {
    if (!offerGoneBefore(live)) return false
    const step = changed.get(live.namespace)?.get(live.name)
    if (step === undefined) return collector.offer(live)
    return step.previous === 0 || collector.offer(history.before(step) as Entry)
  })
  if (!collector.full) offerGoneBefore(undefined)
  const remaining = collector.full ? countPastAfter(keyIndex, changed, gone, request, collector.last) : 0
  return { entries: collector.entries, revision, remaining }
}

class Collector {
  readonly entries: Entry[] = []
  /** The last visited entry. */
  last: Entry | undefined
  readonly #limit: number
  readonly #matches: PageRequest['matches']

  constructor(request: PageRequest) {
    this.#limit = request.limit || Number.POSITIVE_INFINITY
    this.#matches = request.matches
  }

  get full(): boolean {
    return this.entries.length >= this.#limit
  }

  /** Adds the entry if it matches. Returns false once the page is full. */
  offer(entry: Entry): boolean {
    this.last = entry
    if (this.#matches === undefined || this.#matches(entry)) this.entries.push(entry)
    return !this.full
  }
}

/** Returns the objects in range that existed then and no longer exist, in order. */
function goneSince(keyIndex: KeyIndex, changed: Map<string, Map<string, Step>>, request: PageRequest): Step[] {
  const gone: Step[] = []
  for (const step of stepsInRange(changed, request)) {
    const isGone = step.previous !== 0 && keyIndex.get(step.bucket, step.namespace, step.name) === undefined
    if (isGone && isAfter(step, request.after)) gone.push(step)
  }
  return gone.sort(comparePlaces)
}

function countPastAfter(
  keyIndex: KeyIndex,
  changed: Map<string, Map<string, Step>>,
  gone: readonly Step[],
  request: PageRequest,
  last: Place | undefined,
): number {
  let count = keyIndex.countAfter(request.bucket, request.namespace, last)
  for (const step of gone) if (isAfter(step, last)) count++
  for (const step of stepsInRange(changed, request)) {
    const isNew = step.previous === 0 && keyIndex.get(step.bucket, step.namespace, step.name) !== undefined
    if (isNew && isAfter(step, last)) count--
  }
  return count
}

function* stepsInRange(changed: Map<string, Map<string, Step>>, request: PageRequest): Generator<Step> {
  if (request.namespace !== undefined) {
    yield* changed.get(request.namespace)?.values() ?? []
    return
  }
  for (const names of changed.values()) yield* names.values()
}

function isAfter(place: Place, after: Place | undefined): boolean {
  return after === undefined || comparePlaces(place, after) > 0
}
