import { eventually } from '@orrery/kube/testing'
import type { Client } from '../support/client.js'
import { untilLost } from './ledger.js'
import { definition } from './load-kinds.js'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const SECRETS = '/api/v1/namespaces/default/secrets'

/**
 * Work for the server's controllers: namespaces and CRDs being deleted, CRDs to be established, and dependents of
 * deleted owners. Names are never used twice, so the expectations stay valid.
 */
export class Churn {
  /** Paths that must be deleted, and CRDs that must be established. */
  readonly #doomed = new Set<string>()
  readonly #awaited = new Set<string>()
  #next = 0

  async run(client: Client, stopped: () => boolean): Promise<void> {
    await Promise.all([
      untilLost(() => this.#namespace(client), stopped),
      untilLost(() => this.#garbage(client), stopped),
      untilLost(() => this.#definition(client), stopped),
    ])
  }

  get size(): number {
    return this.#doomed.size + this.#awaited.size
  }

  /** Waits until the controllers have finished. */
  async finish(client: Client): Promise<void> {
    for (const path of this.#awaited) {
      await eventually(`${path} is established`, async () => {
        const { object } = await client.send('GET', path)
        const conditions = (object.status as { conditions?: { type: string; status: string }[] })?.conditions ?? []
        return conditions.some(({ type, status }) => type === 'Established' && status === 'True')
      })
      await client.ok('DELETE', path)
      this.#doomed.add(path)
    }
    for (const path of this.#doomed) {
      await eventually(`${path} is gone`, async () => (await client.send('GET', path)).status === 404)
    }
    this.#awaited.clear()
    this.#doomed.clear()
  }

  async #namespace(client: Client): Promise<void> {
    const name = `churn-${this.#next++}`
    await client.ok('POST', '/api/v1/namespaces', { metadata: { name } })
    for (const resource of ['configmaps', 'secrets']) {
      await client.ok('POST', `/api/v1/namespaces/${name}/${resource}`, { metadata: { name: 'inside' } })
    }
    await client.ok('DELETE', `/api/v1/namespaces/${name}`)
    this.#doomed.add(`/api/v1/namespaces/${name}/configmaps/inside`)
    this.#doomed.add(`/api/v1/namespaces/${name}`)
  }

  async #garbage(client: Client): Promise<void> {
    const name = `owner-${this.#next++}`
    const foreground = this.#next % 2 === 0
    const owner = await client.ok('POST', CONFIG_MAPS, { metadata: { name } })
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: owner.metadata.uid, blockOwnerDeletion: true }
    for (const dependent of [`${name}-a`, `${name}-b`]) {
      await client.ok('POST', SECRETS, { metadata: { name: dependent, ownerReferences: [reference] } })
    }
    await client.ok('DELETE', `${CONFIG_MAPS}/${name}`, {
      propagationPolicy: foreground ? 'Foreground' : 'Background',
    })
    for (const path of [`${CONFIG_MAPS}/${name}`, `${SECRETS}/${name}-a`, `${SECRETS}/${name}-b`])
      this.#doomed.add(path)
  }

  async #definition(client: Client): Promise<void> {
    const index = this.#next++
    const made = await client.ok(
      'POST',
      DEFINITIONS,
      definition('churn.example.com', `things${index}`, `Thing${index}`),
    )
    const path = `${DEFINITIONS}/${made.metadata.name}`
    if (index % 2 === 0) {
      this.#awaited.add(path)
      return
    }
    const objects = `/apis/churn.example.com/v1/namespaces/default/things${index}`
    await eventually(`${objects} is served`, async () => (await client.send('GET', objects)).status === 200)
    await client.ok('POST', objects, {
      apiVersion: 'churn.example.com/v1',
      kind: `Thing${index}`,
      metadata: { name: 'one' },
      spec: { payload: 'x' },
    })
    await client.ok('DELETE', path)
    this.#doomed.add(path)
  }
}
