import assert from 'node:assert/strict'
import type { KubeObject } from '@orrery/kinds'
import { type Client, ConnectionLost, revisionOf } from '../support/client.js'
import type { LoadKind } from './load-kinds.js'

/** One object of the load. Only one writer ever writes it. */
export interface Place {
  readonly kind: LoadKind
  readonly name: string
  /** What the last acknowledged write made of it. */
  known: KubeObject | undefined
  /** The payload a write on its way wants, or null for a deletion. */
  wanted: string | null | undefined
}

export interface Acknowledged {
  readonly kind: LoadKind
  readonly name: string
  readonly revision: number
  readonly payload: string
}

/** What the server has promised: every acknowledged write with its revision, and what may have been on its way. */
export class Ledger {
  readonly places: Place[] = []
  readonly acknowledged: Acknowledged[] = []
  /** The highest revision anybody was told of. */
  highest = 0
  deletions = 0
  /** Writes whose connection broke that turned out to be there, or not. */
  landed = 0
  vanished = 0
  readonly #revisions = new Set<number>()
  /** The highest revision told of before the server last started. */
  #floor = 0

  place(kind: LoadKind, name: string): Place {
    const place: Place = { kind, name, known: undefined, wanted: undefined }
    this.places.push(place)
    return place
  }

  /** Carries out a write and enters what came of it. */
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

  /** A revision somebody saw. */
  saw(revision: number): void {
    this.highest = Math.max(this.highest, revision)
  }

  /** The server has started again and was checked: every revision it gives out from here on has to be new. */
  restarted(): void {
    this.#floor = this.highest
  }

  /** Compares everything with what the server holds, and takes over what became of writes on their way. */
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
      assert.deepEqual(strangers, [], 'objects nobody wrote')
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

/** Items of lists do not say their kind. */
function withoutKind(object: KubeObject | undefined): object | undefined {
  if (object === undefined) return undefined
  const { apiVersion: _, kind: __, ...rest } = object
  return rest
}

/** Runs until the connection breaks, which is how a killed server looks from outside. */
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
