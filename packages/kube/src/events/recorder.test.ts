import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { forbidden, notFound, type StatusError } from '@orrery/kinds/values'
import { KubeClient } from '../client/client.js'
import type { HttpRequest, HttpResponse } from '../client/transport.js'
import { silentLogger } from '../log.js'
import { FakeClock } from '../testing/fake-clock.js'
import type { NewEvent } from './event.js'
import { EventRecorder, type RecorderOptions } from './recorder.js'
import { cut, eventName } from './text.js'

const MINUTE = 60_000
const regarding = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'cm', uid: 'u' }
const RESOURCE = { group: 'events.k8s.io', resource: 'events' }

/** A server that accepts everything by default, and records it. */
function listener(answer: (request: HttpRequest) => StatusError | Error | undefined = () => undefined) {
  const heard: string[] = []
  const bodies: Record<string, unknown>[] = []
  const request = async (request: HttpRequest): Promise<HttpResponse> => {
    const problem = answer(request)
    if (problem !== undefined && !('status' in problem)) throw problem
    const body = JSON.parse(String(request.body)) as Record<string, unknown>
    const series = body.series as { count: number } | undefined
    heard.push(`${request.method}${series === undefined ? '' : ` ${series.count}`}`)
    bodies.push(body)
    const bytes = Buffer.from(JSON.stringify(problem === undefined ? body : problem.status))
    const status = problem === undefined ? 200 : problem.code
    const chunks = (async function* () {
      yield bytes
    })()
    return { status, headers: {}, body: chunks, bytes: () => Promise.resolve(bytes) }
  }
  return { client: new KubeClient({ request }), heard, bodies }
}

function recorderOf(client: KubeClient, clock: FakeClock, options: Partial<RecorderOptions> = {}): EventRecorder {
  return new EventRecorder(client, {
    controller: 'example.com/c',
    instance: 'c-1',
    clock,
    random: () => 0,
    log: silentLogger,
    ...options,
  })
}

test('EventRecorder: sets all fields that the API requires', async () => {
  const { client, bodies } = listener()
  const recorder = recorderOf(client, new FakeClock())
  const { namespace, name, uid } = regarding
  const metadata = { namespace, name, uid, resourceVersion: '7', creationTimestamp: '2030-01-01T00:00:00Z' }
  recorder.record({
    regarding: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    related: regarding,
    type: 'Warning',
    reason: 'Broken',
    note: 'x'.repeat(2_000),
  })
  await recorder.flush()
  assert.deepEqual(bodies, [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'ns', name: 'cm.1a46e83335d50000' },
      eventTime: '2030-01-01T00:00:00.000000Z',
      type: 'Warning',
      reason: 'Broken',
      action: 'Broken',
      note: 'x'.repeat(1_024),
      regarding,
      related: regarding,
      reportingController: 'example.com/c',
      reportingInstance: 'c-1',
    },
  ])
  await recorder.close()
})

test('EventRecorder: repeated events become a series, which is written now and then', async () => {
  const clock = new FakeClock()
  const { client, heard } = listener()
  const recorder = recorderOf(client, clock)
  const happen = async (reason = 'Again') => {
    recorder.record({ regarding, reason, note: `at ${clock.now().toISOString()}` })
    await recorder.flush()
  }
  await happen()
  await happen('Other')
  assert.deepEqual(heard.splice(0), ['POST', 'POST'])
  await happen()
  assert.deepEqual(heard.splice(0), ['PATCH 2'])
  for (let i = 0; i < 16; i++) {
    clock.advance(2 * MINUTE)
    await happen()
  }
  assert.deepEqual(heard.splice(0), ['PATCH 16'])
  clock.advance(12 * MINUTE)
  await recorder.flush()
  assert.deepEqual(heard.splice(0), ['PATCH 18'])
  assert.equal(clock.waiting, 0)
  await happen()
  assert.deepEqual(heard.splice(0), ['POST'])
  await happen()
  await happen()
  await recorder.close()
  assert.deepEqual(heard, ['PATCH 2', 'PATCH 3'])
  await happen()
  assert.equal(heard.length, 2)
  assert.equal(clock.waiting, 0)
})

test('EventRecorder: creates an event again, with its count, if the server has deleted it', async () => {
  const { client, heard } = listener(({ method }) => (method === 'PATCH' ? notFound(RESOURCE, 'e') : undefined))
  const recorder = recorderOf(client, new FakeClock())
  recorder.record({ regarding, reason: 'R', note: '' })
  recorder.record({ regarding, reason: 'R', note: '' })
  await recorder.flush()
  assert.deepEqual(heard, ['POST', 'PATCH 2', 'POST 2'])
  await recorder.close()
})

test('EventRecorder: counts core events at once', async () => {
  const { client, bodies } = listener()
  const clock = new FakeClock()
  const recorder = recorderOf(client, clock, { apiVersion: 'v1' })
  for (let times = 0; times < 3; times++) {
    recorder.record({ regarding, reason: 'R', action: 'A', note: 'n' })
    clock.advance(60 * MINUTE)
  }
  await recorder.flush()
  const [created, ...counted] = bodies
  const time = '2030-01-01T00:00:00Z'
  assert.equal(created?.apiVersion, 'v1')
  assert.deepEqual(created?.involvedObject, regarding)
  assert.deepEqual([created?.count, created?.firstTimestamp, created?.lastTimestamp], [1, time, time])
  assert.deepEqual(counted, [
    { count: 2, lastTimestamp: '2030-01-01T01:00:00Z', message: 'n' },
    { count: 3, lastTimestamp: '2030-01-01T02:00:00Z', message: 'n' },
  ])
  assert.equal(clock.waiting, 0)
  await recorder.close()
})

test('EventRecorder: core events with different notes are separate, until there are too many', async () => {
  const { client, bodies } = listener()
  const clock = new FakeClock()
  const recorder = recorderOf(client, clock, { apiVersion: 'v1' })
  const say = async (...notes: string[]) => {
    for (const note of notes) recorder.record({ regarding, reason: 'Scaled', note })
    await recorder.flush()
    return bodies.splice(0).map(({ count, message }) => `${count} ${message}`)
  }
  const own = Array.from({ length: 9 }, (_, step) => `to ${step}`)
  assert.deepEqual(
    await say(...own),
    own.map((note) => `1 ${note}`),
  )
  const combined = '(combined from similar events): '
  assert.deepEqual(await say('to 9', 'to 10'), [`1 ${combined}to 9`, `2 ${combined}to 10`])
  assert.deepEqual(await say('to 3', 'to 9'), ['2 to 3', `3 ${combined}to 9`])
  clock.advance(10 * MINUTE)
  assert.deepEqual(await say('to 11'), [`4 ${combined}to 11`])
  clock.advance(10 * MINUTE + 1)
  assert.deepEqual(await say('to 12', 'to 11'), ['1 to 12', '1 to 11'])
  await recorder.close()
})

test('EventRecorder: rate limits core events of one object', async () => {
  const { client, bodies } = listener()
  const clock = new FakeClock()
  const recorder = recorderOf(client, clock, { apiVersion: 'v1' })
  const happen = async (times: number, happening: Partial<NewEvent> = {}) => {
    for (let i = 0; i < times; i++) recorder.record({ regarding, reason: 'R', note: 'n', ...happening })
    await recorder.flush()
    return bodies.splice(0).length
  }
  assert.equal(await happen(30), 25)
  assert.equal(await happen(1, { reason: 'Other' }), 0)
  assert.equal(await happen(1, { type: 'Warning' }), 1)
  assert.equal(await happen(1, { regarding: { ...regarding, name: 'other' } }), 1)
  clock.advance(5 * MINUTE)
  recorder.record({ regarding, reason: 'R', note: 'n' })
  await recorder.flush()
  assert.deepEqual(bodies.splice(0), [{ count: 31, lastTimestamp: '2030-01-01T00:05:00Z', message: 'n' }])
  assert.equal(await happen(1), 0)
  assert.equal(recorder.dropped, 0)
  await recorder.close()
})

test('EventRecorder: queues events while the server is unreachable, up to a limit, and counts the rest', async () => {
  const clock = new FakeClock()
  let isAway = true
  const { client, heard } = listener(() => (isAway ? new Error('connection refused') : undefined))
  const recorder = recorderOf(client, clock, { queueSize: 3 })
  for (let i = 0; i < 5; i++) recorder.record({ regarding, reason: `R${i}`, note: '' })
  assert.equal(recorder.dropped, 2)
  await turn()
  isAway = false
  clock.advance(10_000)
  await recorder.flush()
  assert.deepEqual(heard, ['POST', 'POST', 'POST'])
  isAway = true
  recorder.record({ regarding, reason: 'Never', note: '' })
  for (let i = 0; i < 12; i++) {
    await turn()
    clock.advance(10_000)
  }
  await recorder.flush()
  assert.equal(recorder.dropped, 3)
  for (let i = 0; i < 3; i++) recorder.record({ regarding, reason: `Last${i}`, note: '' })
  await turn()
  await recorder.close()
  assert.equal(recorder.dropped, 6)
  assert.equal(clock.waiting, 0)
})

test('EventRecorder: does not retry events that the server rejects', async () => {
  const { client, heard } = listener(() => forbidden(RESOURCE, '', 'no'))
  const recorder = recorderOf(client, new FakeClock())
  recorder.record({ regarding, reason: 'R', note: '' })
  await recorder.flush()
  assert.equal(recorder.dropped, 1)
  assert.equal(heard.length, 1)
  await recorder.close()
})

test('EventRecorder: truncates texts between characters, and has valid names', () => {
  assert.equal(cut('äöü', 5), 'äö')
  assert.equal(cut('aäöü', 6), 'aäö')
  assert.equal(cut('short', 1_024), 'short')
  assert.equal(Buffer.byteLength(cut('😀'.repeat(300), 1_022)), 1_020)
  const time = new Date('2030-01-01T00:00:00Z')
  assert.equal(eventName('web-1.x', time, 1), 'web-1.x.1a46e83335d50001')
  assert.equal(eventName('system:node', time, 1), 'event.1a46e83335d50001')
  assert.equal(eventName('x'.repeat(250), time, 1), 'event.1a46e83335d50001')
})
