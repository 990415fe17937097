import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { fleetDirectory as filesOf } from '@orrery/fleet'
import { clientFrom } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { type MaestroWorkClient, maestroWorkClient } from '@orrery/maestro'
import { orrery } from '../support/cli-here.js'
import { inTime, statusOf } from '../support/fleet.js'
import { adapterToken, maestroFleetDirectory, maestroOf } from '../support/maestro-fleet.js'
import { afterwards } from '../support/server.js'

const CONSUMER = 'cluster1'
const IN_FLIGHT = 8

function workOf(name: string) {
  const metadata = { name, namespace: 'default' }
  const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { name } }]
  return { metadata: { name, namespace: CONSUMER }, spec: { workload: { manifests } } }
}

/** Creates works until it is stopped, and notes those that the server has acknowledged. */
class Creator {
  readonly acknowledged: string[] = []
  readonly #client: MaestroWorkClient
  readonly #prefix: string
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>
  #count = 0

  constructor(client: MaestroWorkClient, prefix: string) {
    this.#client = client
    this.#prefix = prefix
    this.#running = Promise.all(Array.from({ length: IN_FLIGHT }, () => this.#create()))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #create(): Promise<void> {
    const works = this.#client.manifestWorks(CONSUMER)
    while (!this.#stop.signal.aborted) {
      const name = `${this.#prefix}-${this.#count++}`
      await works.create(workOf(name)).then(
        () => this.acknowledged.push(name),
        // The server is down: the next one is tried.
        () => undefined,
      )
    }
  }
}

/** Kills the hub of a fleet several times while works are created. Every one that was acknowledged is there afterwards. */
export async function killHubUnderCreates(t: TestContext, { kills, creates }: { kills: number; creates: number }) {
  const root = await maestroFleetDirectory(t)
  assert.equal((await orrery('up', '--clusters', '1', '--maestro', '--data', root, '--detach')).code, 0)
  const hub = await clientFrom(kubeconfigSource({ path: filesOf(root).kubeconfig, context: 'hub' }))
  afterwards(t, () => hub.close())
  const { apiUrl, grpcUrl, caFile } = await maestroOf(root)
  const retry = { attempts: 2, firstMilliseconds: 50 }
  const client = maestroWorkClient({
    ...{ apiUrl, grpcUrl, retry, ca: { file: caFile }, sourceId: 'creator' },
    token: await adapterToken(hub),
  })
  afterwards(t, () => client.close())
  await eventually('the cluster has a consumer', async () => (await client.consumers.list()).length === 1)

  const acknowledged: string[] = []
  for (let kill = 1; kill <= kills; kill++) {
    const creator = new Creator(client, `kill-${kill}`)
    const seen = () => `${creator.acknowledged.length} creates`
    await eventually(`${creates} creates`, () => creator.acknowledged.length >= creates, { seen })
    const victim = (await statusOf(root)).parts.find(({ name }) => name === 'hub')
    assert.ok(victim?.pid)
    process.kill(victim.pid, 'SIGKILL')
    await inTime('the hub is restarted', async () => {
      const part = (await statusOf(root)).parts.find(({ name }) => name === 'hub')
      return part?.pid !== undefined && part.pid !== victim.pid && part.phase === 'ready'
    })
    await creator.stop()
    const { items } = await eventually('the works can be listed', () =>
      client
        .manifestWorks(CONSUMER)
        .list()
        .catch(() => undefined),
    )
    const names = new Set(items.map(({ metadata }) => metadata.name))
    acknowledged.push(...creator.acknowledged)
    const lost = acknowledged.filter((name) => !names.has(name))
    assert.deepEqual(lost, [], `after kill ${kill} of ${kills}`)
  }
}
