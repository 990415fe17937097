import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ConfigMap } from '@orrery/kinds'
import {
  byController,
  type ControllerSpec,
  each,
  Informers,
  type KubeClient,
  requeueAfter,
  startControllers,
} from '@orrery/kube'
import { MetricRegistry } from '@orrery/kube/metrics'
import { eventually } from '@orrery/kube/testing'
import { afterwards } from '../../support/server.js'
import type { Connect } from './subject.js'

type Make = (informers: Informers) => readonly ControllerSpec[]

/** Runs controllers until the test ends. */
async function run(t: Pick<TestContext, 'after'>, client: KubeClient, make: Make, metrics = new MetricRegistry()) {
  const informers = new Informers(client)
  const group = startControllers(make(informers), { client, metrics })
  afterwards(t, () => informers.close())
  afterwards(t, () => group.stop())
  await group.whenRunning()
  return { group, informers }
}

/** Keeps a copy of each ConfigMap with `data.copy`, under that name. */
function copier(namespace: string): Make {
  return (informers) => {
    const configMaps = informers.of(ConfigMap, { namespace })
    return [
      {
        name: 'copier',
        wakes: [each(configMaps), each(configMaps, byController(ConfigMap))],
        async reconcile(ref, { client, signal }) {
          const original = configMaps.get(ref)
          const name = original?.data?.copy
          if (original === undefined || name === undefined) return
          const { uid } = original.metadata
          const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: ref.name, uid, controller: true }
          const metadata = { namespace, name, ownerReferences: [owner] }
          await client.apply(ConfigMap, { metadata, data: { text: original.data?.text ?? '' } }, { signal })
        },
      },
    ]
  }
}

/** Tests of controllers on any cluster. */
export function controllersSuite(where: string, connect: Connect): void {
  test(`${where}: a controller reaches the desired state, also for existing objects and after changes of others`, async (t) => {
    const { client, namespace } = await connect(t)
    const put = (name: string, data: Record<string, string>) =>
      client.apply(ConfigMap, { metadata: { namespace, name }, data }, { fieldManager: 'somebody' })
    const copyOf = async (name: string) => (await client.find(ConfigMap, { namespace, name }))?.data?.text
    await put('early', { copy: 'early-copy', text: 'one' })
    await run(t, client, copier(namespace))
    await eventually('existing objects are copied', async () => (await copyOf('early-copy')) === 'one')
    await put('late', { copy: 'late-copy', text: 'two' })
    await eventually('new objects are copied', async () => (await copyOf('late-copy')) === 'two')
    await put('late', { copy: 'late-copy', text: 'three' })
    await eventually('changes are copied', async () => (await copyOf('late-copy')) === 'three')
    const before = await client.get(ConfigMap, { namespace, name: 'late-copy' })
    await client.delete(ConfigMap, { namespace, name: 'late-copy' })
    await eventually('deleted objects are restored', async () => {
      const after = await client.find(ConfigMap, { namespace, name: 'late-copy' })
      return after !== undefined && after.metadata.uid !== before.metadata.uid
    })
  })

  test(`${where}: controllers that write the same objects cooperate`, async (t) => {
    const { client, namespace } = await connect(t)
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) await client.create(ConfigMap, { metadata: { namespace, name }, data: {} })
    const writer =
      (field: string): Make =>
      (informers) => {
        const configMaps = informers.of(ConfigMap, { namespace })
        return [
          {
            name: `writes-${field}`,
            concurrency: 4,
            wakes: [each(configMaps)],
            async reconcile(ref, { client, signal }) {
              const current = configMaps.get(ref)
              const count = Number(current?.data?.[field] ?? 0)
              if (current === undefined || !names.includes(ref.name) || count === 5) return
              await client.update(
                ConfigMap,
                { ...current, data: { ...current.data, [field]: `${count + 1}` } },
                { signal },
              )
            },
          },
        ]
      }
    const groups = await Promise.all(['x', 'y', 'z'].map((field) => run(t, client, writer(field))))
    await eventually('every field of every object counts to five', async () => {
      const { items } = await client.list(ConfigMap, { namespace })
      const counted = items.filter(({ metadata }) => names.includes(metadata.name))
      return counted.every(({ data }) => data?.x === '5' && data.y === '5' && data.z === '5')
    })
    await eventually('no controller is failing', () => groups.every(({ group }) => group.health[0]?.failing === 0))
  })

  test(`${where}: a controller requeues, retries failures, and counts both`, async (t) => {
    const { client, namespace } = await connect(t)
    await client.create(ConfigMap, { metadata: { namespace, name: 'one' } })
    let runs = 0
    const metrics = new MetricRegistry()
    const make: Make = (informers) => [
      {
        name: 'looker',
        wakes: [each(informers.of(ConfigMap, { namespace, fieldSelector: 'metadata.name=one' }))],
        async reconcile({ name }, { client, signal }) {
          runs++
          if (runs === 2) await client.get(ConfigMap, { namespace, name: 'missing' }, { signal })
          if (runs === 3) await client.patch(ConfigMap, { namespace, name }, { data: { done: 'yes' } }, { signal })
          return runs < 3 ? requeueAfter(10) : undefined
        },
      },
    ]
    const { group } = await run(t, client, make, metrics)
    // Its own change is the last one to wake it.
    await eventually('it is idle', () => runs === 4 && group.health[0]?.running === 0)
    assert.equal((await client.get(ConfigMap, { namespace, name: 'one' })).data?.done, 'yes')
    const counted = metrics.render().matchAll(/^controller_runtime_reconcile_total\{.*result="(\w+)"\} (\d+)$/gm)
    assert.deepEqual(Object.fromEntries(Array.from(counted, ([, result, count]) => [result, count])), {
      success: '2',
      error: '1',
      requeue_after: '1',
    })
  })

  test(`${where}: a stop aborts the requests in flight`, async (t) => {
    const { client, namespace } = await connect(t)
    let isWatching = false
    const { group } = await run(t, client, (informers) => [
      {
        name: 'watcher',
        wakes: [each(informers.of(ConfigMap, { namespace }), () => ({ name: 'one' }))],
        async reconcile(_, { client, signal }) {
          for await (const _ of client.watch(ConfigMap, { namespace, signal })) isWatching = true
        },
      },
    ])
    await client.create(ConfigMap, { metadata: { namespace, name: 'some' } })
    await eventually('the reconcile waits for a server', () => isWatching)
    const before = performance.now()
    await group.stop()
    assert.ok(performance.now() - before < 10_000, 'not after 30 seconds')
  })
}
