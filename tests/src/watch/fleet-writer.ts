import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { KubeObject } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { type Client, ConnectionLost, revisionOf } from '../support/client.js'

const NAMES = ['a', 'b', 'c']

/** A write, as its watchers have to see it. The revision of a deletion is not in its response. */
export interface Written {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly name: string
  readonly value: string
  readonly revision: number | undefined
  /** `performance.now()` when it was acknowledged; undefined if that was not seen. */
  readonly time: number | undefined
}

/** Writes a few objects of one namespace, one write after the other, and records them. */
export class FleetWriter {
  readonly collection: string
  readonly log: Written[] = []
  readonly #present = new Map<string, { value: string; revision: number }>()
  #count = 0
  /** Resolves when the last step has ended: a step that waits for a restarted server must not be overtaken. */
  #last: Promise<void> = Promise.resolve()

  constructor(namespace: string) {
    this.collection = `/api/v1/namespaces/${namespace}/configmaps`
  }

  /** One random write, after those before it. If the connection breaks, its result is read as soon as the server is back. */
  step(client: Client): Promise<void> {
    this.#last = this.#last.then(() => this.#step(client))
    return this.#last
  }

  async #step(client: Client): Promise<void> {
    const name = NAMES[randomInt(NAMES.length)] as string
    const present = this.#present.get(name)
    const path = `${this.collection}/${name}`
    const value = String(this.#count++)
    const body = { metadata: { name }, data: { value } }
    const remove = present !== undefined && randomInt(4) === 0
    try {
      if (present === undefined) this.#wrote('ADDED', name, await client.ok('POST', this.collection, body))
      else if (remove) {
        await client.ok('DELETE', path)
        this.#deleted(name, performance.now())
      } else this.#wrote('MODIFIED', name, await client.ok('PUT', path, body))
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error
      const found = await reread(client, path)
      if (found === undefined && remove) this.#deleted(name, undefined)
      else if (found !== undefined && revisionOf(found) !== present?.revision) {
        assert.equal((found.data as { value: string }).value, value)
        this.#wrote(present === undefined ? 'ADDED' : 'MODIFIED', name, found, undefined)
      }
    }
  }

  #wrote(
    type: 'ADDED' | 'MODIFIED',
    name: string,
    object: KubeObject,
    time: number | undefined = performance.now(),
  ): void {
    const { value } = object.data as { value: string }
    const revision = revisionOf(object)
    this.#present.set(name, { value, revision })
    this.log.push({ type, name, value, revision, time })
  }

  #deleted(name: string, time: number | undefined): void {
    const value = this.#present.get(name)?.value ?? ''
    this.#present.delete(name)
    this.log.push({ type: 'DELETED', name, value, revision: undefined, time })
  }
}

/** Reads an object as soon as the server can be reached. */
async function reread(client: Client, path: string): Promise<KubeObject | undefined> {
  let found: KubeObject | undefined
  await eventually('the server is back', async () => {
    try {
      const { status, object } = await client.send('GET', path)
      if (status === 200) found = object
      return status === 200 || status === 404
    } catch (error) {
      if (error instanceof ConnectionLost) return false
      throw error
    }
  })
  return found
}
