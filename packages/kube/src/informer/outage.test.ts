import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure, forbidden, StatusError, tooManyRequests } from '@orrery/kinds/values'
import { FakeClock } from '../testing/fake-clock.js'
import { Backoff } from './backoff.js'
import { scripted, settled, Thing } from './scripted-server.fixture.js'

const refused = () => Object.assign(new Error(`connect ECONNREFUSED ${Math.random()}`), { code: 'ECONNREFUSED' })
const denied = () => forbidden({ group: '', resource: 'things' }, '', 'User "u" cannot watch resource "things"')

test('Outage: logs each error once for each outage, and its end', async (t) => {
  const { server, clock, informers, lines } = scripted(t)
  const informer = informers.of(Thing, { namespace: 'a' })
  const startedAt = clock.now()
  for (const error of [refused(), refused(), denied(), denied()]) {
    const request = await server.next()
    request.fail(error)
    if (request.isInitial && error instanceof StatusError) (await server.next()).fail(error)
    await settled()
    clock.advance(7_000)
  }
  const warnings = lines.filter(({ level }) => level === 'warn')
  assert.equal(warnings.length, 2)
  for (const { fields } of warnings) {
    assert.equal(fields.kind, 'Thing')
    assert.equal(fields.namespace, 'a')
  }
  assert.match(String(warnings[0]?.fields.error), /ECONNREFUSED/)
  assert.match(String(warnings[1]?.fields.error), /cannot watch resource/)
  assert.deepEqual(informer.health.failingSince, startedAt)
  clock.adjust(-3_600_000)
  assert.equal(informer.health.failingFor, 28_000, 'independent of the system time')
  assert.equal(informer.stats.failures, 4)

  ;(await server.next()).list(5, [])
  await informer.whenSynced()
  assert.equal(informer.health.failingSince, undefined)
  assert.equal(informer.health.failingFor, 0)
  assert.match(String(informer.health.lastError?.message), /cannot watch resource/, 'the last error can still be read')
  assert.deepEqual(
    lines.filter(({ level }) => level === 'info').map(({ fields }) => fields.milliseconds),
    [28_000],
  )
})

test('Outage: ends when a watch stays open, even without events', async (t) => {
  const { server, clock, informers } = scripted(t)
  const informer = informers.of(Thing)
  const stream = (await server.next()).stream()
  stream.initialEnd(1)
  await informer.whenSynced()
  stream.end(new Error('reset'))
  await settled()
  assert.notEqual(informer.health.failingSince, undefined)
  clock.advance(800)
  const flapping = (await server.next()).stream()
  await settled()
  clock.advance(1_500)
  flapping.end(new Error('reset'))
  await settled()
  assert.notEqual(informer.health.failingSince, undefined, 'a watch that breaks soon is part of the outage')
  clock.advance(1_600)
  ;(await server.next()).stream()
  await settled()
  clock.advance(2_000)
  assert.equal(informer.health.failingSince, undefined)
})

test('Backoff: doubles up to half a minute', async (t) => {
  const { server, clock, informers } = scripted(t)
  informers.of(Thing)
  const pauses = []
  for (let attempt = 0; attempt < 9; attempt++) {
    ;(await server.next()).fail(refused())
    let waited = 0
    for (; (await server.pending()) === 0; waited += 100) clock.advance(100)
    pauses.push(waited)
  }
  assert.deepEqual(pauses, [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000])
})

test('Backoff: has jitter, and starts over after two minutes without errors', () => {
  const clock = new FakeClock()
  const backoff = new Backoff(clock, () => 0.5)
  assert.deepEqual([backoff.next(undefined), backoff.next(undefined)], [1200, 2400])
  clock.advance(120_000)
  assert.equal(backoff.next(undefined), 4800)
  clock.advance(120_001)
  assert.equal(backoff.next(undefined), 1200)
})

test('Backoff: honours the Retry-After of a server', async (t) => {
  for (const [code, reason] of [
    [429, 'TooManyRequests'],
    [503, 'ServiceUnavailable'],
  ] as const) {
    const { server, clock, informers } = scripted(t)
    informers.of(Thing)
    ;(await server.next()).fail(failure(code, reason, 'later', { retryAfterSeconds: 17 }))
    assert.equal(await server.pending(), 0)
    clock.advance(16_999)
    assert.equal(await server.pending(), 0)
    clock.advance(1)
    assert.equal(await server.pending(), 1)
  }
})

test('Backoff: limits the Retry-After of a server', async (t) => {
  const { server, clock, informers } = scripted(t)
  informers.of(Thing)
  ;(await server.next()).fail(tooManyRequests('never', 1e12))
  await settled()
  clock.advance(300_000)
  assert.equal(await server.pending(), 1)
})
