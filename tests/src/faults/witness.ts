import assert from 'node:assert/strict'
import { eventually } from '@orrery/kube/testing'
import { type Client, revisionOf } from '../support/client.js'
import { ResumingWatch } from '../support/resuming-watch.js'
import type { Streams } from '../support/streams.js'
import type { Ledger } from './ledger.js'
import { LOAD_KINDS, type LoadKind } from './load-kinds.js'

/** Watches every kind of the load through every restart, and checks that it saw each change exactly once. */
export class Witness {
  readonly #watches: ReadonlyMap<LoadKind, ResumingWatch>

  constructor(since: number) {
    this.#watches = new Map(LOAD_KINDS.map((kind) => [kind, new ResumingWatch(kind.collection, since)]))
  }

  connect(streams: Streams | undefined): void {
    for (const watch of this.#watches.values()) watch.connect(streams)
  }

  stop(): void {
    for (const watch of this.#watches.values()) watch.stop()
  }

  get events(): number {
    return [...this.#watches.values()].reduce((sum, { events }) => sum + events.length, 0)
  }

  /** Reports seen revisions to the ledger: the server must not take them back either. */
  report(ledger: Ledger): void {
    for (const watch of this.#watches.values()) ledger.saw(watch.last)
  }

  async check(client: Client, ledger: Ledger): Promise<void> {
    for (const [kind, watch] of this.#watches) {
      const { items } = await client.list(kind.collection)
      const newest = Math.max(0, ...items.map(revisionOf))
      await eventually(`the watch has come to ${newest}`, () => watch.last >= newest)
      assert.equal(watch.gone, undefined)
      const acknowledged = ledger.acknowledged.filter((write) => write.kind === kind)
      checkEvents(kind, watch, acknowledged)
      checkFold(
        kind,
        watch,
        items.map((item) => [item.metadata.name, revisionOf(item)] as const),
      )
    }
  }
}

/** In order, once each, and including every acknowledged write. */
function checkEvents(kind: LoadKind, watch: ResumingWatch, acknowledged: Ledger['acknowledged']): void {
  const payloads = new Map<number, string>()
  let last = 0
  for (const { revision, object } of watch.events) {
    assert.ok(revision > last, `${revision} came after ${last}`)
    last = revision
    payloads.set(revision, kind.payloadOf(object))
  }
  for (const { revision, name, payload } of acknowledged) {
    assert.equal(payloads.get(revision), payload, `revision ${revision} of ${kind.collection}/${name} was not seen`)
  }
}

/** The events alone lead to the state of a list, and each is valid in its place. */
function checkFold(
  kind: LoadKind,
  watch: ResumingWatch,
  listed: readonly (readonly [string | undefined, number])[],
): void {
  const state = new Map<string | undefined, number>()
  for (const { type, revision, object } of watch.events) {
    const { name } = object.metadata
    assert.equal(state.has(name), type !== 'ADDED', `${type} of ${kind.collection}/${name} at ${revision}`)
    if (type === 'DELETED') state.delete(name)
    else state.set(name, revision)
  }
  const present = listed.filter(([name]) => name !== 'kube-root-ca.crt')
  assert.deepEqual(new Map([...state].filter(([name]) => name !== 'kube-root-ca.crt')), new Map(present))
}
