import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expired, failure, forbidden, internalError, tooManyRequests, unauthorized } from '@orrery/kinds/values'
import { type ScriptedBody, scripted, settled, Thing, thing } from './scripted-server.fixture.js'

/** An informer that is synced at version 10, holding `a/x` and `a/y`. */
async function synced(t: Parameters<typeof scripted>[0]) {
  const setup = scripted(t)
  const informer = setup.informers.of(Thing)
  const seen: string[] = []
  informer.subscribe(({ type, before, after }) => {
    const versions = [before, after].map((object) => object?.metadata.resourceVersion ?? '-').join('→')
    seen.push(`${type} ${(after ?? before)?.metadata.name} ${versions}`)
  })
  const stream = (await setup.server.next()).stream()
  stream.send({ type: 'ADDED', object: thing('a/x', 1) }, { type: 'ADDED', object: thing('a/y', 2) })
  stream.initialEnd(10)
  await informer.whenSynced()
  seen.length = 0
  return { ...setup, informer, stream, seen }
}

async function refill(stream: ScriptedBody): Promise<void> {
  stream.send(
    { type: 'ADDED', object: thing('a/x', 1) },
    { type: 'ADDED', object: thing('a/z', 15) },
    { type: 'ADDED', object: thing('a/y', 16, { uid: 'another' }) },
  )
  stream.initialEnd(20)
  await settled()
}

const REFILLED = ['added z -→15', 'deleted y 2→-', 'added y -→16']

test('Reflector: resumes a watch that the server ends at once, from the last event or bookmark', async (t) => {
  const { server, stream, informer } = await synced(t)
  stream.send({ type: 'MODIFIED', object: thing('a/x', 12) })
  stream.end()
  const second = await server.next()
  assert.equal(second.query.get('resourceVersion'), '12')
  assert.equal(second.query.get('resourceVersionMatch'), null)
  const next = second.stream()
  next.bookmark(40)
  next.end()
  assert.equal((await server.next()).query.get('resourceVersion'), '40')
  assert.equal(informer.health.failingSince, undefined)
  assert.equal(informer.stats.failures, 0)
})

test('Reflector: delivers events in order, with the old and the new state', async (t) => {
  const { stream, seen } = await synced(t)
  stream.send(
    { type: 'MODIFIED', object: thing('a/x', 11) },
    { type: 'DELETED', object: thing('a/y', 12) },
    { type: 'ADDED', object: thing('a/y', 13, { uid: 'another' }) },
    { type: 'MODIFIED', object: thing('a/x', 14) },
  )
  await settled()
  assert.deepEqual(seen, ['updated x 1→11', 'deleted y 12→-', 'added y -→13', 'updated x 11→14'])
})

test('Reflector: delivers a deletion with the last state from the server', async (t) => {
  const { stream, informer } = await synced(t)
  let last: Thing | undefined
  informer.subscribe((change) => {
    if (change.type === 'deleted') last = change.before
  })
  stream.send({ type: 'DELETED', object: thing('a/x', 12, { data: { final: 'yes' } }) })
  await settled()
  assert.deepEqual(last?.data, { final: 'yes' })
})

for (const [what, error] of [
  ['breaks', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
  ['is refused a connection', undefined],
] as const) {
  test(`Reflector: resumes a watch that ${what} after a delay, without a list`, async (t) => {
    const { server, stream, clock } = await synced(t)
    stream.end(error)
    if (error === undefined) {
      ;(await server.next()).fail(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
    }
    assert.equal(await server.pending(), 0)
    clock.advance(799)
    assert.equal(await server.pending(), 0)
    clock.advance(1)
    const request = await server.next()
    assert.equal(request.query.get('resourceVersion'), '10')
    assert.equal(request.isInitial, false)
  })
}

for (const [form, error] of [
  ['an event', expired('too old resource version: 10 (15)')],
  ['an answer', expired('too old resource version: 10 (15)')],
  ['the response of old servers', failure(410, 'Gone', 'too old resource version: 10 (15)')],
] as const) {
  test(`Reflector: lists again if the version is too old, as ${form}, and delivers only real changes`, async (t) => {
    const { server, stream, clock, seen, informer } = await synced(t)
    if (form === 'an event') stream.send({ type: 'ERROR', object: error.status })
    else {
      stream.end()
      ;(await server.next()).fail(error)
    }
    await settled()
    clock.advance(800)
    const request = await server.next()
    assert.equal(request.isInitial, true)
    await refill(request.stream())
    assert.deepEqual(seen, REFILLED)
    assert.equal(informer.stats.fills, 2)
    assert.equal(informer.size, 3)
  })
}

for (const error of [internalError('etcd'), forbidden({ group: '', resource: 'things' }, '', 'no')]) {
  test(`Reflector: lists again after ${error.reason}`, async (t) => {
    const { server, stream, clock } = await synced(t)
    stream.end()
    ;(await server.next()).fail(error)
    await settled()
    clock.advance(800)
    assert.equal((await server.next()).isInitial, true)
  })
}

for (const error of [unauthorized(), tooManyRequests('slow down', 20)]) {
  test(`Reflector: resumes the watch after ${error.reason}`, async (t) => {
    const { server, stream, clock } = await synced(t)
    stream.end()
    ;(await server.next()).fail(error)
    await settled()
    clock.advance(error.status.details?.retryAfterSeconds === undefined ? 800 : 20_000)
    assert.equal((await server.next()).query.get('resourceVersion'), '10')
  })
}

test('Reflector: detects a server restored to an earlier state, and takes its state', async (t) => {
  const { server, stream, clock, seen } = await synced(t)
  stream.bookmark(9)
  await settled()
  clock.advance(800)
  const request = await server.next()
  assert.equal(request.isInitial, true)
  const next = request.stream()
  next.send({ type: 'ADDED', object: thing('a/x', 1) })
  next.initialEnd(9)
  await settled()
  assert.deepEqual(seen, ['updated x 1→1', 'deleted y 2→-'], 'the same version may be another state')
  next.send({ type: 'ADDED', object: thing('a/x', 9) }, { type: 'MODIFIED', object: thing('a/x', 9) })
  await settled()
  assert.deepEqual(seen.slice(2), ['updated x 1→9'], 'afterwards it is the same again')
})

test('Reflector: detects a restored server that rejects an unknown version', async (t) => {
  const { server, stream, clock, seen } = await synced(t)
  stream.end()
  const tooLarge = failure(504, 'Timeout', 'Too large resource version: 10, current: 9', {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  })
  ;(await server.next()).fail(tooLarge)
  for (const attempt of [1, 2]) {
    await settled()
    clock.advance(800 * attempt)
    const next = (await server.next()).stream()
    next.send({ type: 'ADDED', object: thing('a/x', 1) }, { type: 'ADDED', object: thing('a/y', 2) })
    next.initialEnd(9)
    await settled()
  }
  assert.deepEqual(seen, ['updated x 1→1', 'updated y 2→2'], 'the same version may be another state')
})

test('Reflector: continues after a malformed error', async (t) => {
  const { server, stream, clock } = await synced(t)
  stream.send({ type: 'ERROR', object: { code: 504, details: { causes: 5 } } })
  await settled()
  clock.advance(800)
  assert.equal((await server.next()).query.get('resourceVersion'), '10')
})

test('Reflector: does not treat a response without a list as deletions', async (t) => {
  const { server, stream, clock, seen, informer } = await synced(t)
  stream.end()
  ;(await server.next()).fail(expired('too old'))
  await settled()
  clock.advance(800)
  ;(await server.next()).fail(failure(400, 'BadRequest', 'streaming lists are not supported'))
  ;(await server.next()).json(200, { message: 'down for maintenance' })
  await settled()
  assert.deepEqual(seen, [])
  assert.equal(informer.size, 2)
  assert.match(informer.health.lastError?.message ?? '', /not a list/)
})

for (const nonsense of [
  'null\n',
  '{"type":"ADDED","object":{}}\n',
  '{"type":"ADDED","object":{"metadata":{"resourceVersion":"11"}}}\n',
  '<html>\n',
]) {
  test(`Reflector: continues after an invalid response: ${nonsense.trim()}`, async (t) => {
    const { server, stream, clock, seen } = await synced(t)
    stream.write(nonsense)
    await settled()
    clock.advance(800)
    await refill((await server.next()).stream())
    assert.deepEqual(seen, REFILLED)
  })
}

test('Reflector: replaces a dead connection', async (t) => {
  const { server, stream, clock, informer } = await synced(t)
  clock.advance(60_000)
  stream.bookmark(30)
  await settled()
  clock.advance(139_999)
  assert.equal(await server.pending(), 0)
  clock.advance(1)
  const request = await server.next()
  assert.equal(request.query.get('resourceVersion'), '30')
  assert.equal(stream.closed, true)
  request.stream()
  assert.equal(informer.health.failingSince, undefined, 'idle servers are no failure')
})

test('Reflector: a watch without a response is a failure', async (t) => {
  const { server, stream, clock, informer } = await synced(t)
  stream.end()
  const lost = await server.next()
  clock.advance(120_000)
  await settled()
  assert.equal(lost.aborted, true)
  assert.match(String(informer.health.lastError?.message), /did not respond in time/)
  clock.advance(800)
  assert.equal((await server.next()).query.get('resourceVersion'), '10')
})

test('Reflector: delays the next watch if one ends as soon as it began', async (t) => {
  const { server, stream, clock } = await synced(t)
  stream.end()
  ;(await server.next()).stream().end()
  assert.equal(await server.pending(), 0)
  clock.advance(800)
  assert.equal((await server.next()).query.get('resourceVersion'), '10')
})
