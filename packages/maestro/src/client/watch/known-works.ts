import { isConditionTrue } from '@orrery/kinds/values'
import { CodecError } from '../../codec/codec-error.js'
import { compareSequence } from '../../codec/sequence.js'
import type { StatusMessage } from '../../codec/work-events.js'
import type { StoredWork } from '../bundle.js'

/** The condition of the last status of a work: its objects are deleted. */
const DELETED = 'Deleted'
const DELETING = 'Deleting'

/** What has to be done after an event. */
export type Outcome = 'changed' | 'unchanged' | 'read'

interface Known {
  /** Undefined for a work that is gone, until the next list: events that come late must not bring it back. */
  readonly stored: StoredWork | undefined
  /** Counts up with each change, to find changes that are newer than a list. */
  readonly turn: number
}

/** The newest known state of works, from lists, reads and events that arrive in any order. */
export class KnownWorks {
  readonly #works = new Map<string, Known>()
  #turn = 0

  get(id: string): StoredWork | undefined {
    return this.#works.get(id)?.stored
  }

  /** To be passed with what is read from now on. */
  get turn(): number {
    return this.#turn
  }

  /** Takes a state that was requested at a turn. What changed since then is kept if it is newer. */
  accept(stored: StoredWork, requestedAt: number): Outcome {
    const known = this.#works.get(stored.id)
    if (known !== undefined && known.turn > requestedAt) {
      if (known.stored === undefined || isOlder(stored, known.stored)) return 'unchanged'
    }
    return this.#set(stored.id, stored)
  }

  /** The server did not have the work when it was requested at a turn. */
  remove(id: string, requestedAt: number): Outcome {
    const known = this.#works.get(id)
    if (known === undefined || known.stored === undefined || known.turn > requestedAt) return 'unchanged'
    return this.#set(id, undefined)
  }

  /** Takes a status event. Specs are read from the server, since the event has no version of its spec. */
  receive(message: StatusMessage): Outcome {
    const { resourceId: id, resourceVersion, sequenceId, status, metadata } = message
    const known = this.#works.get(id)
    const stored = known?.stored
    if (isConditionTrue(status.conditions, DELETED)) {
      if (stored === undefined || isOtherWork(message, stored)) return 'unchanged'
      return this.#set(id, undefined)
    }
    if (stored === undefined) return 'read'
    if (resourceVersion > stored.version || isOtherWork(message, stored)) return 'read'
    if (!isNewerSequence(sequenceId, stored.sequenceId)) return 'unchanged'
    const deletionTimestamp = stored.work.metadata.deletionTimestamp ?? metadata?.deletionTimestamp
    if (deletionTimestamp === undefined && isConditionTrue(status.conditions, DELETING)) return 'read'
    const work = {
      ...stored.work,
      metadata: { ...stored.work.metadata, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
      status,
    }
    return this.#set(id, { ...stored, sequenceId, work })
  }

  /** The IDs of works that a list, which was requested at a turn, does not have. Forgets works that are gone. */
  missing(listed: ReadonlySet<string>, requestedAt: number): string[] {
    const missing: string[] = []
    for (const [id, { stored, turn }] of this.#works) {
      if (turn > requestedAt || listed.has(id)) continue
      if (stored === undefined) this.#works.delete(id)
      else missing.push(id)
    }
    return missing
  }

  #set(id: string, stored: StoredWork | undefined): Outcome {
    const before = this.#works.get(id)?.stored
    this.#turn += 1
    this.#works.set(id, { stored, turn: this.#turn })
    return isSameState(before, stored) ? 'unchanged' : 'changed'
  }
}

/** Each change of a spec has a new version, each status a new sequence ID. */
export function isSameState(a: StoredWork | undefined, b: StoredWork | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.version === b.version &&
    a.sequenceId === b.sequenceId &&
    isSameWork(a, b) &&
    a.work.metadata.deletionTimestamp === b.work.metadata.deletionTimestamp
  )
}

/** False for a work that was deleted and created again: it has the same ID. */
export function isSameWork(a: StoredWork, b: StoredWork): boolean {
  return a.work.metadata.creationTimestamp === b.work.metadata.creationTimestamp
}

function isOtherWork({ metadata }: StatusMessage, { work }: StoredWork): boolean {
  const created = metadata?.creationTimestamp
  return typeof created === 'string' && created !== work.metadata.creationTimestamp
}

function isOlder(a: StoredWork, b: StoredWork): boolean {
  if (!isSameWork(a, b)) return a.work.metadata.creationTimestamp < b.work.metadata.creationTimestamp
  if (a.version !== b.version) return a.version < b.version
  const isDeleting = a.work.metadata.deletionTimestamp !== undefined
  if (!isDeleting && b.work.metadata.deletionTimestamp !== undefined) return true
  return a.sequenceId !== b.sequenceId && !isNewerSequence(a.sequenceId, b.sequenceId)
}

function isNewerSequence(a: string, b: string): boolean {
  if (b === '') return a !== ''
  if (a === '') return false
  try {
    return compareSequence(a, b) > 0
  } catch (error) {
    // From another agent: what arrives last is the best guess.
    if (error instanceof CodecError) return a !== b
    throw error
  }
}
