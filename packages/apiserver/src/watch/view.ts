import { restamp } from '../store/entry.js'
import { changeFrame, eventFrame } from './frame.js'
import type { Change, WatchEncoding, WatchEventType, WatchFilter } from './types.js'

type Transition = 'ADDED' | 'MODIFIED' | 'DELETED' | 'UNSEEN'

/** One change as watchers see it: each filter and each encoding is evaluated once for all of them. */
export class ChangeView {
  readonly change: Change
  readonly #transitions = new Map<string, Transition>()
  readonly #frames = new Map<string, Buffer>()

  constructor(change: Change) {
    this.change = change
  }

  /** Returns the event for watchers with this filter and encoding; undefined if there is none. */
  frame(filter: WatchFilter | undefined, encoding: WatchEncoding): Buffer | undefined {
    const type = filter === undefined ? this.change.type : this.#transition(filter)
    if (type === 'UNSEEN') return undefined
    const key = `${type} ${encoding.key}`
    const known = this.#frames.get(key)
    if (known !== undefined) return known
    const frame = this.#encoded(type, encoding)
    this.#frames.set(key, frame)
    return frame
  }

  #encoded(type: WatchEventType, encoding: WatchEncoding): Buffer {
    const object = encoding.object(this.#shown(type))
    const { previous } = this.change
    if (encoding.carriesPrevious !== true || previous === undefined) return eventFrame(type, object)
    return changeFrame(type, object, encoding.object(previous))
  }

  #transition(filter: WatchFilter): Transition {
    const known = this.#transitions.get(filter.key)
    if (known !== undefined) return known
    const { type, entry, previous } = this.change
    const before = previous !== undefined && filter.matches(previous)
    const after = type !== 'DELETED' && filter.matches(entry)
    const transition = after ? (before ? 'MODIFIED' : 'ADDED') : before ? 'DELETED' : 'UNSEEN'
    this.#transitions.set(filter.key, transition)
    return transition
  }

  /** An object that stops to match is sent with its last matching state, at the revision of the change. */
  #shown(type: WatchEventType) {
    const { entry, previous } = this.change
    const left = type === 'DELETED' && this.change.type !== 'DELETED' && previous !== undefined
    return left ? restamp(previous, this.change.revision) : entry
  }
}
