import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { type Client, ConnectionLost } from '../support/client.js'
import { type Ledger, type Place, untilLost } from './ledger.js'
import { configMaps, definition, LOAD_KINDS, NAMESPACE } from './load-kinds.js'

const WRITERS = 6
const PLACES_EACH = 10
const COUNTERS = 3
const COUNTER = `${configMaps.collection.replace(NAMESPACE, 'default')}/counter`

/** Creates what the load needs: a namespace, a kind, a counter. */
export async function prepareLoad(client: Client, ledger: Ledger): Promise<void> {
  await client.ok('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  await client.ok(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition('load.example.com', 'widgets', 'Widget'),
  )
  await client.ok('POST', COUNTER.slice(0, COUNTER.lastIndexOf('/')), {
    metadata: { name: 'counter' },
    data: { value: '0' },
  })
  for (let writer = 0; writer < WRITERS; writer++) {
    for (const kind of LOAD_KINDS) {
      for (let index = 0; index < PLACES_EACH; index++) ledger.place(kind, `w${writer}-${index}`)
    }
  }
}

/** Several writers of their own objects, and several that compete for one counter. */
export class Load {
  readonly #ledger: Ledger
  /** Increments that were acknowledged, and those with an unknown result. */
  increments = 0
  doubtful = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Writes until the connection breaks or it is stopped. */
  async run(client: Client, stopped: () => boolean): Promise<void> {
    const { places } = this.#ledger
    const each = places.length / WRITERS
    const writers = Array.from({ length: WRITERS }, (_, writer) => {
      const mine = places.slice(writer * each, (writer + 1) * each)
      return untilLost(() => this.#writeOne(client, mine[randomInt(mine.length)] as Place), stopped)
    })
    const counters = Array.from({ length: COUNTERS }, () => untilLost(() => this.#increment(client), stopped))
    await Promise.all([...writers, ...counters])
  }

  /** No acknowledged increment is lost, and none is counted twice. */
  async checkCounter(client: Client): Promise<void> {
    const value = Number(((await client.ok('GET', COUNTER)).data as { value: string }).value)
    assert.ok(value >= this.increments, `the counter is at ${value} after ${this.increments} acknowledged increments`)
    assert.ok(value <= this.increments + this.doubtful, `${value} > ${this.increments} + ${this.doubtful}`)
  }

  #writeOne(client: Client, place: Place): Promise<void> {
    const payload = randomPayload()
    if (place.known === undefined) {
      return this.#ledger.write(client, place, randomInt(3) === 0 ? 'PATCH apply' : 'POST', payload)
    }
    const methods = ['PUT', 'PUT', 'PATCH merge', 'PATCH merge', 'PATCH apply', 'DELETE'] as const
    const method = methods[randomInt(methods.length)] as string
    return this.#ledger.write(client, place, method, method === 'DELETE' ? null : payload)
  }

  async #increment(client: Client): Promise<void> {
    const counter = await client.ok('GET', COUNTER)
    const value = Number((counter.data as { value: string }).value)
    try {
      const { status, object } = await client.send('PUT', COUNTER, { ...counter, data: { value: String(value + 1) } })
      assert.ok(status === 200 || status === 409, `${status}: ${JSON.stringify(object)}`)
      if (status === 200) this.increments++
    } catch (error) {
      if (error instanceof ConnectionLost) this.doubtful++
      throw error
    }
  }
}

/** Mostly small; sometimes larger than a page of the store, which stores it elsewhere. */
function randomPayload(): string {
  const bytes = randomInt(8) === 0 ? randomInt(3000, 30_000) : randomInt(1, 400)
  return randomBytes(bytes).toString('hex')
}
