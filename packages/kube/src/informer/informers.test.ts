import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scripted, Thing, thing } from './scripted-server.fixture.js'

test('Informers: shares one informer and one watch for the same kind and selection', async (t) => {
  const { informers, server } = scripted(t)
  const all = informers.of(Thing)
  assert.equal(informers.of({ ...Thing }, {}), all)
  assert.equal(await server.pending(), 1)
  assert.notEqual(informers.of(Thing, { namespace: 'a' }), all as unknown)
  assert.equal(informers.of(Thing, { namespace: 'a' }), informers.of(Thing, { namespace: 'a' }))
  assert.notEqual(informers.metadataOf(Thing) as unknown, all)
  assert.equal([...informers].length, 3)
  assert.equal(await server.pending(), 3)
})

test('Informers: sends selections to the server', async (t) => {
  const { informers, server } = scripted(t)
  informers.of(Thing, { namespace: 'a', labelSelector: 'color in (red, blue)', fieldSelector: 'metadata.name=x' })
  const { path, query } = await server.next()
  assert.equal(path, '/api/v1/namespaces/a/things')
  assert.equal(query.get('labelSelector'), 'color in (red, blue)')
  assert.equal(query.get('fieldSelector'), 'metadata.name=x')
})

test('Informers: whenSynced waits for each of them', async (t) => {
  const { informers, server } = scripted(t)
  informers.of(Thing)
  informers.of(Thing, { namespace: 'a' })
  let synced = false
  const waiting = informers.whenSynced().then(() => {
    synced = true
  })
  ;(await server.next()).stream().initialEnd(1)
  const second = await server.next()
  assert.equal(synced, false)
  second.stream().initialEnd(1)
  await waiting
})

test('Informers: whenSynced rejects when aborted or closed', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  const abort = new AbortController()
  const impatient = informer.whenSynced(abort.signal)
  const patient = informers.whenSynced()
  abort.abort(new Error('enough'))
  await assert.rejects(impatient, /enough/)
  await assert.rejects(informer.whenSynced(abort.signal), /enough/)
  const request = await server.next()
  const ended = assert.rejects(patient, /the informer for things was closed/)
  await informers.close()
  await ended
  assert.equal(request.aborted, true)
  await assert.rejects(informer.whenSynced(), /was closed/)
  assert.throws(() => informers.of(Thing, { namespace: 'b' }), /closed/)
})

test('Informers: drop stops an informer, and the next caller gets another', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  const stream = (await server.next()).stream()
  stream.send({ type: 'ADDED', object: thing('a/x', 1) })
  stream.initialEnd(1)
  await informer.whenSynced()
  await informers.drop(informer)
  assert.equal(stream.closed, true)
  assert.equal(informer.size, 1, 'its objects can still be read')
  assert.notEqual(informers.of(Thing), informer)
  assert.equal(await server.pending(), 1)
})

test('Informers: does not return an informer that was closed', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.of(Thing)
  await server.next()
  await informer.close()
  assert.equal(informer.closed, true)
  assert.notEqual(informers.of(Thing), informer)
  assert.equal(await server.pending(), 1)
})

test('Informers: requests metadata only, and keeps only that', async (t) => {
  const { informers, server } = scripted(t)
  const informer = informers.metadataOf(Thing)
  const request = await server.next()
  assert.match(request.accept, /^application\/json;as=PartialObjectMetadata;g=meta\.k8s\.io;v=v1,/)
  const stream = request.stream()
  const partial = { ...thing('a/x', 1), kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
  stream.send({ type: 'ADDED', object: partial }, { type: 'ADDED', object: thing('a/y', 2, { data: { a: 'b' } }) })
  stream.initialEnd(2)
  await informer.whenSynced()
  for (const name of ['x', 'y']) {
    const object = informer.get({ namespace: 'a', name })
    assert.deepEqual(Object.keys(object ?? {}), ['apiVersion', 'kind', 'metadata'])
    assert.equal(object?.kind, 'Thing')
  }
})

test('Informers: drops managedFields by default, and can freeze objects', async (t) => {
  const managed = () => thing('a/x', 1, { metadata: { managedFields: [{ manager: 'm' }] } as never })
  for (const keepManagedFields of [false, true]) {
    const { informers, server } = scripted(t, { keepManagedFields })
    const informer = informers.of(Thing)
    const stream = (await server.next()).stream()
    stream.send({ type: 'ADDED', object: managed() })
    stream.initialEnd(1)
    await informer.whenSynced()
    const [object] = informer.list()
    assert.equal('managedFields' in (object?.metadata ?? {}), keepManagedFields)
    assert.throws(() => Object.assign(object?.metadata ?? {}, { name: 'other' }), TypeError)
  }
})
