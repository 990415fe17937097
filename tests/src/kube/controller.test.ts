import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { ConfigMap, Lease } from '@orrery/kinds'
import { type ControllerSpec, each, Informers, requeueAt, startControllers } from '@orrery/kube'
import { LeaderElection } from '@orrery/kube/election'
import { MetricRegistry } from '@orrery/kube/metrics'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { afterwards } from '../support/server.js'

const namespace = 'default'

async function startServer(t: TestContext) {
  const clock = new FakeClock(new Date())
  const server = await startApiServer({ host: false, clock })
  afterwards(t, () => server.close())
  const client = server.client()
  const informers = new Informers(client, { clock })
  afterwards(t, () => informers.close())
  return { clock, server, client, informers }
}

test('controller: requeues at a time', async (t) => {
  const { clock, client, informers } = await startServer(t)
  const configMaps = informers.of(ConfigMap, { namespace })
  const expiry: ControllerSpec = {
    name: 'expiry',
    wakes: [each(configMaps)],
    async reconcile(ref, { clock, client }) {
      const expires = configMaps.get(ref)?.data?.expires
      if (expires === undefined) return undefined
      if (clock.now() < new Date(expires)) return requeueAt(new Date(expires))
      return client.ensureDeleted(ConfigMap, ref)
    },
  }
  const group = startControllers([expiry], { client, clock })
  afterwards(t, () => group.stop())
  const inHours = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000).toISOString()
  for (const [name, hours] of [
    ['first', 1],
    ['second', 2],
    ['third', 3],
  ] as const) {
    await client.create(ConfigMap, { metadata: { namespace, name }, data: { expires: inHours(hours) } })
  }
  await group.whenRunning()
  const names = async () => {
    const { items } = await client.list(ConfigMap, { namespace })
    return items.filter(({ data }) => data?.expires !== undefined).map(({ metadata }) => metadata.name)
  }
  await eventually('all of them wait', () => group.health[0]?.waiting === 3)
  clock.advance(3_600_000)
  await eventually('the first has gone', () => configMaps.get({ namespace, name: 'first' }) === undefined)
  await eventually('the others wait', () => group.health[0]?.waiting === 2)
  assert.deepEqual(await names(), ['second', 'third'])
  await client.patch(ConfigMap, { namespace, name: 'third' }, { data: { expires: inHours(0) } })
  await eventually('a change of the system time is noticed', async () => (await names()).join() === 'second')
})

test('controller: changes come before existing objects', async (t) => {
  const { clock, client, informers } = await startServer(t)
  const configMaps = informers.of(ConfigMap, { namespace })
  for (let index = 0; index < 300; index++) {
    await client.create(ConfigMap, { metadata: { namespace, name: `old-${index}` } })
  }
  const seen: string[] = []
  const metrics = new MetricRegistry()
  const group = startControllers(
    [
      {
        name: 'all',
        wakes: [each(configMaps)],
        async reconcile({ name }, { client }) {
          if (name === 'old-0') await client.create(ConfigMap, { metadata: { namespace, name: 'new' } })
          else await client.find(ConfigMap, { namespace, name })
          seen.push(name)
        },
      },
    ],
    { client, clock, metrics },
  )
  afterwards(t, () => group.stop())
  await eventually('everything was seen', () => seen.includes('old-299') && seen.includes('new'))
  assert.ok(seen.indexOf('new') < 100, `the new one came as number ${seen.indexOf('new')}`)
  assert.match(metrics.render(), /controller_runtime_reconcile_total\{controller="all",result="success"\} 30[12]\n/)
})

test('controller: one of two processes is active, and the other when it stops', async (t) => {
  const { clock, client, informers } = await startServer(t)
  const configMaps = informers.of(ConfigMap, { namespace, labelSelector: 'counted' })
  const seen: string[] = []
  const startProcess = (identity: string) => {
    const leadership = new LeaderElection({ client, lease: { namespace, name: 'leader' }, identity, clock })
    const reconcile = async ({ name }: { name: string }) => void seen.push(`${identity} saw ${name}`)
    return startControllers([{ name: 'count', wakes: [each(configMaps)], reconcile }], { client, clock, leadership })
  }
  const metadata = { namespace, name: 'one', labels: { counted: '' } }
  await client.create(ConfigMap, { metadata })
  const one = startProcess('one')
  await one.whenRunning()
  const two = startProcess('two')
  afterwards(t, () => two.stop())
  await eventually('the first one works', () => seen.length === 1)
  assert.deepEqual(
    two.health.map(({ state }) => state),
    ['standby'],
  )
  await one.stop()
  assert.equal((await client.get(Lease, { namespace, name: 'leader' })).spec?.holderIdentity ?? '', '')
  await eventually('the second one leads', async () => {
    clock.advance(1000)
    return two.health[0]?.state === 'running'
  })
  await eventually('the second one works', () => seen.length === 2)
  assert.deepEqual(seen, ['one saw one', 'two saw one'])
})
