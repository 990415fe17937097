import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  badRequest,
  expired,
  forbidden,
  invalid,
  methodNotAllowed,
  serviceUnavailable,
  timeout,
} from '@orrery/kinds/values'
import { type ScriptedServer, scripted, settled, Thing, thing } from './scripted-server.fixture.js'

const THINGS = { group: '', resource: 'things' }

/** Rejects the streaming list and answers the list that follows. */
async function answerList(server: ScriptedServer, version: number, names: readonly string[]): Promise<void> {
  const request = await server.next()
  assert.equal(request.isWatch, false)
  request.list(
    version,
    names.map((name) => thing(name, version)),
  )
}

test('Reflector: requests a streaming list first, and continues it as the watch', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  const request = await server.next()
  assert.deepEqual(Object.fromEntries(request.query), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    timeoutSeconds: '300',
  })
  const stream = request.stream()
  stream.send({ type: 'ADDED', object: thing('a/x', 5) })
  await settled()
  assert.equal(informer.synced, false)
  stream.initialEnd(7)
  await informer.whenSynced()
  stream.send({ type: 'ADDED', object: thing('a/y', 8) })
  await settled()
  assert.equal(informer.size, 2)
  assert.equal(await server.pending(), 0)
  assert.deepEqual(informer.stats, { objects: 2, fills: 1, watches: 1, events: 2, failures: 0 })
})

test('Reflector: takes changes during the streaming list', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  const stream = (await server.next()).stream()
  stream.send(
    { type: 'ADDED', object: thing('a/x', 5) },
    { type: 'ADDED', object: thing('a/y', 2) },
    { type: 'DELETED', object: thing('a/y', 8) },
    { type: 'MODIFIED', object: thing('a/x', 9) },
  )
  stream.initialEnd(9)
  await informer.whenSynced()
  assert.deepEqual(
    informer.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`),
    ['x@9'],
  )
})

for (const refusal of [
  invalid({ group: '', kind: 'ListOptions' }, '', []),
  badRequest('no'),
  forbidden(THINGS, '', 'no'),
  methodNotAllowed(THINGS, 'watch'),
]) {
  test(`Reflector: falls back to pages at once if the server rejects the streaming list with ${refusal.reason}`, async (t) => {
    const { informers, server } = scripted(t)
    const informer = informers.of(Thing)
    ;(await server.next()).fail(refusal)
    const first = await server.next()
    assert.deepEqual(Object.fromEntries(first.query), { limit: '500' })
    first.list(10, [thing('a/x', 1)], 'more')
    const second = await server.next()
    assert.deepEqual(Object.fromEntries(second.query), { limit: '500', continue: 'more' })
    assert.equal(informer.synced, false)
    second.list(10, [thing('a/y', 2)])
    await informer.whenSynced()
    assert.equal(informer.size, 2)
    const watch = await server.next()
    assert.equal(watch.query.get('resourceVersion'), '10')
    assert.equal(watch.query.get('allowWatchBookmarks'), 'true')
    assert.equal(watch.isInitial, false)
  })
}

for (const [what, error] of [
  ['is unreachable', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ['is busy', serviceUnavailable('busy')],
  ['is late', timeout('late')],
] as const) {
  test(`Reflector: retries the streaming list twice before it falls back to pages if the server ${what}`, async (t) => {
    const { informers, server, clock } = scripted(t)
    const informer = informers.of(Thing)
    for (let attempt = 0; attempt < 3; attempt++) {
      const request = await server.next()
      assert.equal(request.isInitial, true)
      request.fail(error)
      assert.equal(await server.pending(), 0)
      clock.advance(30_000)
    }
    await answerList(server, 3, ['a/x'])
    await informer.whenSynced()
  })
}

test('Reflector: restarts a streaming list that breaks, without objects deleted meanwhile', async (t) => {
  const { informers, server, clock } = scripted(t)
  const informer = informers.of(Thing)
  const seen: string[] = []
  informer.subscribe((change) => seen.push(`${change.type} ${(change.after ?? change.before).metadata.name}`))
  const broken = (await server.next()).stream()
  broken.send({ type: 'ADDED', object: thing('a/x', 1) }, { type: 'ADDED', object: thing('a/y', 2) })
  broken.end(new Error('reset'))
  await settled()
  clock.advance(800)
  const whole = (await server.next()).stream()
  whole.send({ type: 'ADDED', object: thing('a/y', 2) })
  whole.initialEnd(4)
  await informer.whenSynced()
  assert.deepEqual(seen, ['added x', 'added y', 'deleted x'])
})

test('Reflector: detects a server without streaming lists by plain bookmarks', async (t) => {
  const { informers, server, clock } = scripted(t)
  const informer = informers.of(Thing)
  const stream = (await server.next()).stream()
  stream.send({ type: 'ADDED', object: thing('a/x', 1) })
  stream.bookmark(5)
  await answerList(server, 6, ['a/x'])
  assert.equal(stream.closed, true)
  await informer.whenSynced()
  ;(await server.next()).fail(expired('too old'))
  await settled()
  clock.advance(800)
  await answerList(server, 9, ['a/x'])
})

test('Reflector: detects a server without streaming lists by repeated objects', async (t) => {
  const { informers, server, clock } = scripted(t)
  const informer = informers.of(Thing)
  const stream = (await server.next()).stream()
  stream.send({ type: 'ADDED', object: thing('a/x', 1) })
  await settled()
  clock.advance(29_000)
  stream.send({ type: 'ADDED', object: thing('a/y', 2) })
  await settled()
  for (let version = 3; version < 5; version++) {
    clock.advance(14_000)
    stream.send({ type: 'MODIFIED', object: thing('a/x', version) })
    await settled()
  }
  assert.equal(await server.pending(), 0)
  clock.advance(2_000)
  await answerList(server, 6, ['a/x', 'a/y'])
  await informer.whenSynced()
})

test('Reflector: waits for long streaming lists, the first and later ones', async (t) => {
  const { informers, server, clock } = scripted(t)
  const informer = informers.of(Thing)
  for (const round of [1, 2]) {
    const stream = (await server.next()).stream()
    for (let index = 0; index < 10; index++) {
      stream.send({ type: 'ADDED', object: thing(`a/${index}`, index + 1) })
      await settled()
      clock.advance(20_000)
    }
    stream.initialEnd(100 * round)
    await settled()
    assert.equal(informer.stats.fills, round)
    stream.send({ type: 'ERROR', object: expired('too old').status })
    await settled()
    clock.advance(800)
  }
})

test('Reflector: falls back to a list if a stream ends early', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  const stream = (await server.next()).stream()
  stream.send({ type: 'ADDED', object: thing('a/x', 1) })
  stream.end()
  await answerList(server, 2, ['a/y'])
  await informer.whenSynced()
  assert.equal(informer.get({ namespace: 'a', name: 'x' }), undefined)
})

test('Reflector: lists in one response if a continue token expires', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  ;(await server.next()).fail(badRequest('no'))
  ;(await server.next()).list(10, [thing('a/x', 1)], 'more')
  ;(await server.next()).fail(expired('the continue parameter is too old'))
  const whole = await server.next()
  assert.deepEqual(Object.fromEntries(whole.query), {})
  whole.list(20, [thing('a/y', 2)])
  await informer.whenSynced()
  assert.deepEqual(
    informer.list().map(({ metadata }) => metadata.name),
    ['y'],
  )
})

test('Reflector: requests a page again that never comes', async (t) => {
  const { informers, server, clock } = scripted(t)
  const informer = informers.of(Thing)
  ;(await server.next()).fail(badRequest('no'))
  const lost = await server.next()
  clock.advance(120_000)
  await settled()
  assert.equal(lost.aborted, true)
  assert.match(String(informer.health.lastError?.message), /did not respond in time/)
  clock.advance(800)
  ;(await server.next()).fail(badRequest('no'))
  await answerList(server, 6, [])
  await informer.whenSynced()
})

test('Reflector: sets the kind of list items that only the list has', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  ;(await server.next()).fail(badRequest('no'))
  const { apiVersion: _, kind: __, ...bare } = thing('a/x', 1)
  ;(await server.next()).json(200, { metadata: { resourceVersion: '1' }, items: [bare] })
  await informer.whenSynced()
  assert.equal(informer.list()[0]?.kind, 'Thing')
  assert.equal(informer.list()[0]?.apiVersion, 'v1')
})
