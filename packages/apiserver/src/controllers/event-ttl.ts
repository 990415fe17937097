import type { KubeObject } from '@orrery/kinds'
import { keyOf, refOf } from '@orrery/kinds/values'
import { startInSlices } from '../fairness/started-in-slices.js'
import { encodeObject, shallowCopy } from '../registry/object-meta.js'
import { HeadMoved } from '../store/types.js'
import type { Controller, ControllerContext } from './controller.js'

const BUCKET = 'events'
const LIFETIME = 3_600_000
/** Events that expire within this time of each other are deleted together. */
const GRANULARITY = 10_000
const CONCURRENCY = 500

/** Deletes events an hour after their last write. */
export function eventExpiry(context: ControllerContext): Controller {
  const { store, feed, clock } = context
  const log = context.log.child('event-expiry')
  /** The time of the last write of each event, oldest first. */
  const written = new Map<string, number>()
  let cancel: (() => void) | undefined
  let running: Promise<void> = Promise.resolve()
  let unfollow: (() => void) | undefined

  function arm(): void {
    const oldest = written.values().next()
    if (cancel !== undefined || unfollow === undefined || oldest.done === true) return
    const wait = Math.max(oldest.value + LIFETIME - clock.now().getTime(), 0) + GRANULARITY
    cancel = clock.after(wait, () => {
      running = expire()
        .catch((error: unknown) => log.warn('events could not be deleted and stay a little longer', { error }))
        .finally(() => {
          cancel = undefined
          arm()
        })
    })
  }

  async function expire(): Promise<void> {
    const now = clock.now().getTime()
    const expired: string[] = []
    for (const [key, at] of written) {
      if (at + LIFETIME > now) break
      expired.push(key)
    }
    await startInSlices(expired, CONCURRENCY, async (key) => {
      if (unfollow !== undefined) await remove(key)
    })
  }

  async function remove(key: string): Promise<void> {
    const { namespace = '', name } = refOf(key)
    const entry = store.head(BUCKET, namespace, name)
    if (entry === undefined) return
    const last = shallowCopy(entry.object())
    try {
      await store.remove(BUCKET, namespace, name, entry, (revision) => encodeObject(last, revision))
    } catch (error) {
      // The event was written again: its hour starts again.
      if (!(error instanceof HeadMoved)) throw error
    }
  }

  return {
    name: 'event-expiry',
    start() {
      unfollow = feed.on(BUCKET, ({ type, entry }) => {
        const key = keyOf(entry)
        written.delete(key)
        if (type === 'DELETED') return
        written.set(key, clock.now().getTime())
        arm()
      })
      const stored = store.page({ bucket: BUCKET, namespace: undefined }).entries
      const ages = stored.map((entry) => [keyOf(entry), lastWritten(entry.object())] as const)
      for (const [key, at] of ages.sort(([, a], [, b]) => a - b)) written.set(key, at)
      arm()
    },
    ready: () => Promise.resolve(),
    async stop() {
      unfollow?.()
      unfollow = undefined
      cancel?.()
      await running
    },
  }
}

/** Returns when an event of an earlier run was last written, as far as known. */
function lastWritten(event: KubeObject): number {
  const series = (event.series ?? {}) as { lastObservedTime?: string }
  const times = [event.lastTimestamp, event.eventTime, series.lastObservedTime, event.metadata.creationTimestamp]
  return Math.max(0, ...times.map((time) => Date.parse(String(time))).filter((time) => !Number.isNaN(time)))
}
