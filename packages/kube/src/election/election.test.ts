import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { KubeClient } from '../client/client.js'
import { silentLogger } from '../log.js'
import { FakeClock } from '../testing/fake-clock.js'
import { LeaderElection } from './election.js'
import { lead } from './lead.js'
import { type Fate, LeaseServer } from './lease-server.fixture.js'
import { DEFAULT_TIMING } from './timing.js'

const lease = { namespace: 'ns', name: 'l' }

function candidate(
  server: LeaseServer,
  identity: string,
  clock: FakeClock,
  fateOf?: () => Fate,
  timing = DEFAULT_TIMING,
): LeaderElection {
  const client = new KubeClient(server.connect(fateOf))
  return new LeaderElection({ client, lease, identity, clock, timing, random: () => 0, log: silentLogger })
}

/** Advances the time in small steps, so that all effects of a step happen before the next. */
async function pass(clock: FakeClock, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 500) {
    clock.advance(Math.min(left, 500))
    await turn()
  }
}

const never = () => new AbortController().signal

test('LeaderElection: the first leads, the second waits until the lease has not changed for its duration', async () => {
  const server = new LeaseServer()
  const clock = new FakeClock()
  let fate: Fate = 'answered'
  const first = candidate(server, 'first', clock, () => fate)
  const leading = await first.whenLeader(never())
  assert.deepEqual(server.lease?.spec, {
    holderIdentity: 'first',
    leaseDurationSeconds: 15,
    acquireTime: '2030-01-01T00:00:00.000000Z',
    renewTime: '2030-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  })
  const second = candidate(server, 'second', clock)
  let follows = false
  const following = second.whenLeader(never()).then(() => {
    follows = true
  })
  await pass(clock, 60_000)
  assert.ok(!leading.aborted && !follows)
  assert.equal(second.leader, 'first')
  assert.equal(server.lease?.spec?.renewTime, '2030-01-01T00:01:00.000000Z')

  fate = 'lost on the way'
  await pass(clock, 9_500)
  assert.ok(!leading.aborted)
  await pass(clock, 500)
  assert.ok(leading.aborted)
  assert.ok(!first.isLeader && !follows)
  await pass(clock, 7_000)
  await following
  assert.equal(server.lease?.spec?.leaseTransitions, 1)
  assert.equal(server.lease?.spec?.holderIdentity, 'second')
  await second.release()
})

test('LeaderElection: a leader that releases the lease lets another acquire it at its next attempt', async () => {
  const server = new LeaseServer()
  const clock = new FakeClock()
  const first = candidate(server, 'first', clock)
  const leading = await first.whenLeader(never())
  const second = candidate(server, 'second', clock)
  const following = second.whenLeader(never())
  await pass(clock, 5_000)
  await first.release()
  assert.ok(leading.aborted)
  assert.deepEqual(server.lease?.spec, {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: '2030-01-01T00:00:05.000000Z',
    renewTime: '2030-01-01T00:00:05.000000Z',
    leaseTransitions: 0,
  })
  await pass(clock, 2_000)
  assert.ok(!(await following).aborted)
  await second.release()
  assert.equal(clock.waiting, 0)
})

test('LeaderElection: renews the lease until the work has ended, and only then releases it', async () => {
  const server = new LeaseServer()
  const clock = new FakeClock()
  const stop = new AbortController()
  let finish = () => undefined as undefined
  const work = (leading: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      finish = () => void (leading.aborted ? reject(leading.reason) : resolve()) as undefined
    })
  const done = lead(candidate(server, 'a', clock), work, stop.signal)
  await turn()
  stop.abort()
  await pass(clock, 30_000)
  assert.equal(server.lease?.spec?.holderIdentity, 'a')
  assert.equal(server.lease?.spec?.renewTime, '2030-01-01T00:00:30.000000Z')
  finish()
  assert.equal(await done, 'ended')
  assert.equal(server.lease?.spec?.holderIdentity, '')
})

test('LeaderElection: stops the work when leadership is lost, and may lead again', async () => {
  const server = new LeaseServer()
  const clock = new FakeClock()
  const work = (leading: AbortSignal) =>
    new Promise<void>((_, reject) => leading.addEventListener('abort', () => reject(leading.reason)))
  let fate: Fate = 'answered'
  const election = candidate(server, 'a', clock, () => fate)
  const first = lead(election, work, never())
  await turn()
  fate = 'hangs'
  await pass(clock, 10_000)
  assert.equal(await first, 'lost')
  fate = 'answered'
  const stop = new AbortController()
  const again = lead(election, work, stop.signal)
  await turn()
  assert.ok(election.isLeader)
  assert.equal(server.lease?.spec?.leaseTransitions, 0)
  stop.abort()
  assert.equal(await again, 'ended')
  await assert.rejects(
    lead(election, () => Promise.reject(new Error('broken')), never()),
    /broken/,
  )
  assert.equal(server.lease?.spec?.holderIdentity, '')
})

test('LeaderElection: a leader that sees another holder stops at once', async () => {
  const server = new LeaseServer()
  const clock = new FakeClock()
  const election = candidate(server, 'a', clock)
  const leading = await election.whenLeader(never())
  const { metadata, spec } = server.lease!
  server.lease = {
    ...server.lease!,
    metadata: { ...metadata, resourceVersion: 'x' },
    spec: { ...spec, holderIdentity: 'b' },
  }
  await pass(clock, 2_000)
  assert.match(String(leading.reason), /"b" holds the lease/)
})

test('LeaderElection: a candidate may withdraw', async () => {
  const server = new LeaseServer()
  const clock = new FakeClock()
  const leader = candidate(server, 'a', clock)
  await leader.whenLeader(never())
  const other = new FakeClock()
  const stop = new AbortController()
  const waiting = candidate(server, 'b', other).whenLeader(stop.signal)
  await turn()
  stop.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  assert.equal(other.waiting, 0)
  await leader.release()
})

const STEP = 250
const HASTY = { leaseDuration: 6_000, renewDeadline: 4_000, retryPeriod: 1_000 }

/** The state of a connection: one for some steps of time, then another. */
const weather = fc.array(
  fc.record({
    fate: fc.constantFrom<Fate>('answered', 'answered', 'answered', 'lost on the way', 'answer lost', 'hangs'),
    steps: fc.integer({ min: 1, max: 80 }),
  }),
  { minLength: 20, maxLength: 20 },
)

/** A clock that runs 0.82 to 1.2 times as fast as it should: two of them differ by less than 6 s : 4 s. */
const drift = fc.integer({ min: 82, max: 120 })

test('LeaderElection: there are never two leaders, even with failing and slow requests and clock drift', async () => {
  const machines = fc.array(fc.record({ drift, weather }), { minLength: 2, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(machines, fc.infiniteStream(fc.nat(3)), async (setups, delays) => {
      const server = new LeaseServer()
      const world = new FakeClock()
      let isWell = false
      let now = 0
      server.travel = async () => {
        if (!isWell) await new Promise<void>((resolve) => world.after(STEP * delays.next().value, resolve))
      }
      const stop = new AbortController()
      const candidates = setups.map(({ drift, weather }, index) => {
        const clock = new FakeClock(new Date(Date.UTC(2030, 0, 1 + index)))
        const fates = weather.flatMap(({ fate, steps }) => Array<Fate>(steps).fill(fate))
        const fateNow = () => (isWell ? 'answered' : (fates[now % fates.length] as Fate))
        return { drift, clock, election: candidate(server, `c${index}`, clock, fateNow, HASTY) }
      })
      const work = (leading: AbortSignal) =>
        new Promise<void>((resolve) => leading.addEventListener('abort', () => resolve()))
      const runs = candidates.map(async ({ election }) => {
        while (!stop.signal.aborted) await lead(election, work, stop.signal)
      })
      const pass = async (steps: number) => {
        for (const end = now + steps; now < end; now++) {
          world.advance(STEP)
          for (const { clock, drift } of candidates) clock.advance((STEP * drift) / 100)
          await turn()
          const leaders = candidates.filter(({ election }) => election.isLeader)
          assert.ok(leaders.length <= 1, `leaders: ${leaders.map(({ election }) => election.identity)}`)
        }
      }
      await pass(800)
      isWell = true
      await pass(120)
      assert.ok(
        candidates.some(({ election }) => election.isLeader),
        'no candidate leads although all requests succeed',
      )
      stop.abort()
      await pass(80)
      await Promise.all(runs)
    }),
    { numRuns: 25 },
  )
})

test('LeaderElection: acquires the lease of a candidate that is known to be gone at once', async () => {
  const server = new LeaseServer()
  const clock = new FakeClock()
  const first = candidate(server, 'first', clock)
  const leading = await first.whenLeader(never())
  const isGone = (identity: string) => identity === 'first'
  const client = new KubeClient(server.connect())
  const second = new LeaderElection({ client, lease, identity: 'second', isGone, clock, random: () => 0 })
  await second.whenLeader(never())
  assert.equal(server.lease?.spec?.holderIdentity, 'second')
  await pass(clock, 2_000)
  assert.ok(leading.aborted, 'a candidate mistaken for gone notices it')
  await second.release()
})
