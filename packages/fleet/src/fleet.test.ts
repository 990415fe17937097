import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseKubeconfig } from '@orrery/kube/kubeconfig'
import { isRunning } from '@orrery/kube/process'
import { FleetInUse, supervisorOf } from './claim.js'
import { fleetDirectory } from './directory.js'
import { type Fleet, type FleetOptions, startFleet } from './fleet.js'
import { type PartState, problemOf } from './part-state.js'
import { readPlan } from './plan.js'
import { readRun } from './run-record.js'

const PART = fileURLToPath(new URL('./played-part.fixture.js', import.meta.url))

type Behaviours = Readonly<Record<string, string>>
type Place = Awaited<ReturnType<typeof temporaryFleet>>

/** A directory that is deleted when the test and its processes have ended. */
async function temporaryFleet(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'orrery-fleet-'))
  const fleets: Fleet[] = []
  t.after(async () => {
    for (const fleet of fleets) fleet.kill()
    await Promise.allSettled(fleets.map(({ ended }) => ended))
    await rm(root, { recursive: true, force: true })
  })
  return { directory: fleetDirectory(root), fleets }
}

/** Starts a fleet of one cluster with played parts. */
async function play(place: Place, behaviours: Behaviours = {}, options: Partial<FleetOptions> = {}) {
  const { directory, fleets } = place
  const seen: PartState[] = []
  const fleet = await startFleet({
    directory,
    clusters: 1,
    command: ({ name, port }) => ({
      file: process.execPath,
      arguments: [PART, name, behaviours[name] ?? 'well', String(port)],
    }),
    onChange: (state) => seen.push(state),
    ...options,
  })
  fleets.push(fleet)
  const phases = (name: string) => seen.filter((state) => state.name === name).map(({ phase }) => phase)
  return { fleet, directory, seen, phases }
}

function stateOf(fleet: Fleet, name: string): PartState {
  return fleet.states.find((state) => state.name === name)!
}

test('Fleet: is available when the hub is ready and its clusters have joined', async (t) => {
  const { fleet, directory, phases } = await play(await temporaryFleet(t))
  await fleet.whenAvailable()
  assert.deepEqual(phases('hub'), ['starting', 'serving', 'ready'])
  assert.equal(phases('cluster1').at(-1), 'available')
  const kubeconfig = await parseKubeconfig(await readFile(directory.kubeconfig, 'utf8'))
  assert.deepEqual([...kubeconfig.contexts.keys()], ['hub', 'cluster1'])
  assert.equal(kubeconfig.currentContext, 'hub')
  assert.equal((await stat(directory.kubeconfig)).mode & 0o777, 0o600)
})

test('Fleet: is claimed while it runs, and a second start fails with the process that runs it', async (t) => {
  const { fleet, directory } = await play(await temporaryFleet(t))
  await fleet.whenAvailable()
  assert.deepEqual(supervisorOf(directory)?.pid, process.pid)
  await fleet.stop()
  await fleet.ended
  assert.equal(supervisorOf(directory), undefined)
  assert.match(new FleetInUse(directory, 17).message, /running already \(process 17\).*orrery down --data /)
})

test('Fleet: stops clusters before the hub, and leaves no process', async (t) => {
  const { fleet, directory, seen } = await play(await temporaryFleet(t))
  await fleet.whenAvailable()
  const processes = fleet.states.map(({ process }) => process!)
  await fleet.stop()
  await fleet.ended
  const order = seen.filter(({ phase }) => phase.startsWith('stop')).map(({ name, phase }) => `${name} ${phase}`)
  assert.deepEqual(order, ['cluster1 stopping', 'cluster1 stopped', 'hub stopping', 'hub stopped'])
  assert.deepEqual(processes.map(isRunning), [false, false])
  assert.equal(await readRun(directory), undefined)
})

test('Fleet: restarts a part that is killed, tells it to join again, and reports it', async (t) => {
  const { fleet, seen } = await play(await temporaryFleet(t))
  await fleet.whenAvailable()
  const { pid } = stateOf(fleet, 'cluster1').process!
  const before = seen.length
  process.kill(pid, 'SIGKILL')
  while (stateOf(fleet, 'cluster1').restarts === 0) await new Promise((resolve) => setImmediate(resolve))
  await fleet.whenAvailable()
  assert.notEqual(stateOf(fleet, 'cluster1').process?.pid, pid)
  const told = seen.slice(before).find(({ phase }) => phase === 'restarting')
  assert.match(told?.detail ?? '', /killed by SIGKILL; restarting in 0.25 s/)
})

test('Fleet: ends with the reason if the hub cannot start', async (t) => {
  const { fleet, directory } = await play(await temporaryFleet(t), { hub: 'broken' })
  await assert.rejects(fleet.whenAvailable(), /hub cannot be started: the disk is upside down/)
  await assert.rejects(fleet.ended)
  assert.equal(supervisorOf(directory), undefined)
})

test('Fleet: ends if the hub is not ready within the limit, and the error names its phase and log', async (t) => {
  const { fleet, directory } = await play(await temporaryFleet(t), { hub: 'unready' })
  while (stateOf(fleet, 'hub').phase !== 'serving') await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(
    fleet.whenSettled(AbortSignal.abort()),
    /^Error: hub was not ready in time: serving: .*hub\.log$/,
  )
  await assert.rejects(fleet.ended, /hub was not ready in time/)
  assert.equal(supervisorOf(directory), undefined)
  assert.ok(fleet.states.every(({ phase }) => phase === 'stopped'))
})

test('Fleet: names a cluster that cannot start with the reason, and the others keep running', async (t) => {
  const { fleet, directory } = await play(await temporaryFleet(t), { cluster1: 'broken' })
  const unhealthy = await fleet.whenSettled()
  assert.deepEqual(
    unhealthy.map(({ name, phase, cannotStart }) => [name, phase, cannotStart]),
    [['cluster1', 'restarting', true]],
  )
  assert.match(problemOf(unhealthy[0]!), /^restarting: the disk is upside down; restarting in /)
  await assert.rejects(fleet.whenAvailable(), /cluster1 is restarting: the disk is upside down/)
  assert.equal(stateOf(fleet, 'hub').phase, 'ready')
  assert.equal(supervisorOf(directory)?.pid, process.pid)
  const kubeconfig = await parseKubeconfig(await readFile(directory.kubeconfig, 'utf8'))
  assert.deepEqual([...kubeconfig.contexts.keys()], ['hub'], 'the running parts can be used')
})

test('Fleet: names a cluster that does not join within the limit, with the problem that the hub reports', async (t) => {
  const { fleet, directory } = await play(await temporaryFleet(t), { hub: 'guarded', cluster1: 'stuck' })
  while (stateOf(fleet, 'cluster1').detail === undefined) await new Promise((resolve) => setImmediate(resolve))
  const [cluster, ...others] = await fleet.whenSettled(AbortSignal.abort())
  assert.deepEqual([cluster?.name, others], ['cluster1', []])
  assert.equal(problemOf(cluster!), 'accepted: NameTaken: it is alive')
  const recorded = async () => (await readRun(directory))?.parts.find(({ name }) => name === 'cluster1')?.detail
  while ((await recorded()) !== 'NameTaken: it is alive') await new Promise((resolve) => setImmediate(resolve))
})

test('Fleet: keeps its ports, except one that is in use', async (t) => {
  const place = await temporaryFleet(t)
  const first = await play(place)
  await first.fleet.whenAvailable()
  await first.fleet.stop()
  await first.fleet.ended
  const plan = await readPlan(first.directory)
  const second = await play(place, {}, { clusters: undefined })
  await second.fleet.whenAvailable()
  await second.fleet.stop()
  await second.fleet.ended
  assert.deepEqual(await readPlan(first.directory), plan)
  const taken = plan?.parts[0]?.port
  const third = await play(place, { hub: `port-taken-${taken}` })
  await third.fleet.whenAvailable()
  const moved = await readPlan(first.directory)
  assert.notEqual(moved?.parts[0]?.port, taken)
  assert.equal(moved?.parts[1]?.port, plan?.parts[1]?.port)
})

test('Fleet: fails at once if the requested port of the hub is in use', async (t) => {
  const place = await temporaryFleet(t)
  const { fleet } = await play(place, { hub: 'port-taken-7443' }, { hub: { port: 7443 } })
  await assert.rejects(fleet.whenSettled(), /^Error: port 7443 is taken$/)
  const { parts } = (await readPlan(place.directory))!
  assert.equal(parts[0]?.port, 7443, 'the hub did not move')
})

test('Fleet: may get more clusters, but not fewer', async (t) => {
  const place = await temporaryFleet(t)
  const one = await play(place)
  await one.fleet.stop()
  await one.fleet.ended
  const three = await play(place, {}, { clusters: 3 })
  assert.deepEqual(
    three.fleet.states.map(({ name }) => name),
    ['hub', 'cluster1', 'cluster2', 'cluster3'],
  )
  await three.fleet.stop()
  await three.fleet.ended
  await assert.rejects(play(place, {}, { clusters: 2 }), /has 3 clusters and cannot have fewer/)
})
