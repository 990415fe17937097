import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fleetDirectory } from './directory.js'
import { ensureHub, ensurePart, ensurePlan, movePart, readPlan } from './plan.js'
import { freePorts, isFree } from './ports.js'

async function directoryFor(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'orrery-plan-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  return fleetDirectory(root)
}

test('ensurePlan: a new fleet has a hub and two clusters, each with its own port', async (t) => {
  const directory = await directoryFor(t)
  assert.equal(await readPlan(directory), undefined)
  const { parts } = await ensurePlan(directory)
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['hub', 'cluster1', 'cluster2'],
  )
  assert.equal(new Set(parts.map(({ port }) => port)).size, 3)
  assert.deepEqual(await readPlan(directory), { parts })
})

test('ensurePlan: the hub comes first even if it is added last', async (t) => {
  const directory = await directoryFor(t)
  await ensurePart(directory, 'edge')
  const { parts } = await ensurePlan(directory, 2)
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['hub', 'edge', 'cluster1'],
  )
})

for (const name of ['../up', 'A', '', 'a/b', 'a.b']) {
  test(`ensurePart: rejects the name ${JSON.stringify(name)}, which would be a path`, async (t) => {
    await assert.rejects(ensurePart(await directoryFor(t), name), /is not a valid cluster name/)
  })
}

for (const text of [
  '',
  '{}',
  '{"parts":[],"kubevirt":1}',
  '{"parts":[],"ovim":{}}',
  '{"parts":[{"name":"../../etc","port":1}]}',
  '{"parts":[{"name":"hub"}]}',
]) {
  test(`readPlan: reports a damaged plan and leaves it as it is: ${text}`, async (t) => {
    const directory = await directoryFor(t)
    await writeFile(directory.plan, text)
    await assert.rejects(ensurePlan(directory), /fleet\.json is damaged/)
  })
}

test('freePorts: skips ports in use', async (t) => {
  const [port = 0] = await freePorts(1)
  const server = createServer().listen(port, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  assert.equal(await isFree(port), false)
  assert.equal((await freePorts(3, [port + 1])).includes(port + 1), false)
})

test('ensurePlan: keeps what was added to the fleet', async (t) => {
  const directory = await directoryFor(t)
  assert.equal((await ensurePlan(directory, 1)).kubevirt, undefined)
  assert.equal((await ensurePlan(directory, 1, {}, undefined, { kubevirt: true })).kubevirt, true)
  assert.equal((await ensurePlan(directory, 2)).kubevirt, true)
})

test('ensureHub: stores new settings and keeps the others', async (t) => {
  const directory = await directoryFor(t)
  const first = await ensurePlan(directory, 1, { bindAddress: '0.0.0.0', tlsSans: ['a.test'], port: 7443 })
  assert.deepEqual(first.parts[0], {
    name: 'hub',
    port: 7443,
    serving: { bindAddress: '0.0.0.0', tlsSans: ['a.test'] },
  })
  assert.deepEqual(await ensurePlan(directory), first)
  const hub = await ensureHub(directory, { advertiseAddress: 'hub.test', tlsSans: ['b.test'] })
  const serving = { bindAddress: '0.0.0.0', tlsSans: ['b.test'], advertiseAddress: 'hub.test' }
  assert.deepEqual(hub, { name: 'hub', port: 7443, serving })
  assert.deepEqual((await readPlan(directory))?.parts, [hub, first.parts[1]])
  assert.equal((await ensureHub(directory, { port: 0 })).port, 7443, 'port 0 is for one start only')
  const moved = await movePart(directory, { parts: [hub] }, 'hub')
  assert.deepEqual(moved.parts[0]?.serving, serving)
})
