import assert from 'node:assert/strict'
import type { KubeObject } from '@orrery/kinds'
import { type Client, ConnectionLost, revisionOf } from '../support/client.js'
import type { LoadKind } from './load-kinds.js'

/** One object of the load. It has only one writer. */
export interface Place {
  readonly kind: LoadKind
  readonly name: string
  /** The object after the last acknowledged write. */
  known: KubeObject | undefined
  /** The payload of a write in flight, or null for a deletion. */
  wanted: string | null | undefined
}

export interface Acknowledged {
  readonly kind: LoadKind
  readonly name: string
  readonly revision: number
  readonly payload: string
}

/** What the server has acknowledged: every write with its revision, and the writes in flight. */
export class Ledger {
  readonly places: Place[] = []
  readonly acknowledged: Acknowledged[] = []
  /** The highest revision seen. */
  highest = 0
  deletions = 0
  /** Writes without a response that turned out to be stored, or not. */
  landed = 0
  vanished = 0
  readonly #revisions = new Set<number>()
  /** The highest revision seen before the last start. */
  #floor = 0

  place(kind: LoadKind, name: string): Place {
    const place: Place = { kind, name, known: undefined, wanted: undefined }
    this.places.push(place)
    return place
  }

  /** Sends a write and records its result. */
  async write(client: Client, place: Place, method: string, payload: string | null): Promise<void> {
    const { kind, name } = place
    const path = method === 'POST' ? kind.collection : `${kind.collection}/${name}`
    place.wanted = payload
    const query = method === 'PATCH apply' ? '?fieldManager=load&force=true' : ''
    const reply = await client.ok(method, `${path}${query}`, bodyOf(method, place, payload))
    place.wanted = undefined
    if (payload === null) {
      place.known = undefined
      this.deletions++
      return
    }
    this.#enter(place, reply)
  }

  /** Records a revision. */
  saw(revision: number): void {
    this.highest = Math.max(this.highest, revision)
  }

  /** The server has restarted and was checked: every revision from now on must be new. */
  restarted(): void {
    this.#floor = this.highest
  }

  /** Compares everything with the server's state, and records the fate of writes in flight. */
  async check(client: Client): Promise<void> {
    const byKind = new Map<LoadKind, Place[]>()
    for (const place of this.places) byKind.set(place.kind, [...(byKind.get(place.kind) ?? []), place])
    for (const [kind, places] of byKind) {
      const { revision, items } = await client.list(kind.collection)
      assert.ok(revision >= this.highest, `the list is at ${revision}, and ${this.highest} was seen before`)
      const found = new Map(items.map((item) => [item.metadata.name ?? '', item]))
      for (const place of places) this.#settle(place, found.get(place.name))
      const known = new Set(places.map((place) => place.name))
      const strangers = [...found.keys()].filter((name) => !known.has(name) && name !== 'kube-root-ca.crt')
      assert.deepEqual(strangers, [], 'objects that were not written')
      this.saw(revision)
    }
  }

  #settle(place: Place, actual: KubeObject | undefined): void {
    const { kind, name, known, wanted } = place
    place.wanted = undefined
    if (wanted === undefined || revisionIn(actual) === revisionIn(known)) {
      assert.deepEqual(
        withoutKind(actual),
        withoutKind(known),
        `${kind.collection}/${name} is not what was acknowledged`,
      )
      if (wanted !== undefined) this.vanished++
      return
    }
    this.landed++
    if (wanted === null || actual === undefined) {
      assert.equal(actual, undefined, `${kind.collection}/${name} is half deleted`)
      assert.equal(wanted, null, `${kind.collection}/${name} was acknowledged and is gone`)
      place.known = undefined
      return
    }
    assert.equal(kind.payloadOf(actual), wanted, `${kind.collection}/${name} is half written`)
    this.#enter(place, actual)
  }

  #enter(place: Place, object: KubeObject): void {
    const revision = revisionOf(object)
    const payload = place.kind.payloadOf(object)
    assert.ok(!this.#revisions.has(revision), `revision ${revision} was given out twice`)
    assert.ok(revision > this.#floor, `revision ${revision} is not beyond ${this.#floor}, seen before the restart`)
    assert.ok(revision > (revisionIn(place.known) ?? 0), `revision ${revision} of ${place.name} goes back`)
    this.#revisions.add(revision)
    this.saw(revision)
    place.known = object
    this.acknowledged.push({ kind: place.kind, name: place.name, revision, payload })
  }
}

function bodyOf(method: string, { kind, name, known }: Place, payload: string | null): unknown {
  if (payload === null) return undefined
  if (method === 'PATCH merge') return kind.change(payload)
  const object = kind.make(name, payload)
  if (method !== 'PUT') return object
  const resourceVersion = known?.metadata.resourceVersion
  return { ...object, metadata: { ...object.metadata, ...(resourceVersion !== undefined && { resourceVersion }) } }
}

function revisionIn(object: KubeObject | undefined): number | undefined {
  return object === undefined ? undefined : revisionOf(object)
}

/** List items have no kind. */
function withoutKind(object: KubeObject | undefined): object | undefined {
  if (object === undefined) return undefined
  const { apiVersion: _, kind: __, ...rest } = object
  return rest
}

/** Runs until the connection breaks, as with a killed server. */
export async function untilLost(step: () => Promise<void>, stopped: () => boolean): Promise<void> {
  while (!stopped()) {
    try {
      await step()
    } catch (error) {
      if (error instanceof ConnectionLost) return
      throw error
    }
  }
}
