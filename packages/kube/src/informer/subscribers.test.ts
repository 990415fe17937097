import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scripted, settled, Thing, thing } from './scripted-server.fixture.js'
import type { Change } from './types.js'

async function streaming(t: Parameters<typeof scripted>[0]) {
  const setup = scripted(t)
  const informer = setup.informers.of(Thing)
  return { ...setup, informer, stream: (await setup.server.next()).stream() }
}

const told = ({ type, after, before, initial }: Change<Thing>) =>
  `${type} ${(after ?? before).metadata.name}${initial ? ' initial' : ''}`

test('SharedInformer: marks objects of the first list, whether a subscriber came before, during or after', async (t) => {
  const { informer, stream } = await streaming(t)
  const early: string[] = []
  const during: string[] = []
  const late: string[] = []
  informer.subscribe((change) => early.push(told(change)))
  stream.send({ type: 'ADDED', object: thing('a/x', 1) })
  await settled()
  informer.subscribe((change) => during.push(told(change)))
  stream.send({ type: 'ADDED', object: thing('a/y', 2) }, { type: 'MODIFIED', object: thing('a/x', 3) })
  stream.initialEnd(5)
  await informer.whenSynced()
  informer.subscribe((change) => late.push(told(change)))
  stream.send({ type: 'ADDED', object: thing('a/z', 6) })
  await settled()
  assert.deepEqual(early, ['added x initial', 'added y initial', 'updated x initial', 'added z'])
  assert.deepEqual(during, early)
  assert.deepEqual(late, ['added x initial', 'added y initial', 'added z'])
})

test('SharedInformer: a subscriber sees the cache as of each change', async (t) => {
  const { informer, stream } = await streaming(t)
  informer.addIndex('version', ({ metadata }) => [metadata.resourceVersion])
  const seen: unknown[] = []
  informer.subscribe(({ after }) => {
    const version = after?.metadata.resourceVersion ?? ''
    seen.push([informer.get({ namespace: 'a', name: 'x' }) === after, informer.byIndex('version', version).length])
  })
  stream.send({ type: 'ADDED', object: thing('a/x', 1) }, { type: 'MODIFIED', object: thing('a/x', 2) })
  await settled()
  assert.deepEqual(seen, [
    [true, 1],
    [true, 1],
  ])
})

test('SharedInformer: a subscriber that throws still receives changes, and so do the others', async (t) => {
  const { informer, stream, lines } = await streaming(t)
  const before: string[] = []
  const after: string[] = []
  informer.subscribe((change) => before.push(told(change)))
  informer.subscribe((change) => {
    throw new Error(`failed on ${told(change)}`)
  })
  informer.subscribe((change) => after.push(told(change)))
  stream.initialEnd(1)
  stream.send({ type: 'ADDED', object: thing('a/x', 2) }, { type: 'DELETED', object: thing('a/x', 3) })
  await settled()
  assert.deepEqual(before, ['added x', 'deleted x'])
  assert.deepEqual(after, before)
  const errors = lines.filter(({ level }) => level === 'error')
  assert.deepEqual(
    errors.map(({ fields }) => (fields.error as Error).message),
    ['failed on added x', 'failed on deleted x'],
  )
  assert.equal(errors[0]?.fields.kind, 'Thing')
  assert.equal(informer.health.failingSince, undefined)
})

test('SharedInformer: a subscriber added during a delivery receives the change once', async (t) => {
  const { informer, stream } = await streaming(t)
  stream.initialEnd(1)
  await informer.whenSynced()
  const inner: string[] = []
  informer.subscribe(() => {
    if (inner.length === 0) informer.subscribe((change) => inner.push(told(change)))
  })
  stream.send({ type: 'ADDED', object: thing('a/x', 2) }, { type: 'MODIFIED', object: thing('a/x', 3) })
  await settled()
  assert.deepEqual(inner, ['added x initial', 'updated x'])
})

test('SharedInformer: an unsubscribed one receives nothing more, not even the current change', async (t) => {
  const { informer, stream } = await streaming(t)
  const heard: string[] = []
  let stop: (() => void) | undefined
  informer.subscribe(() => stop?.())
  stop = informer.subscribe((change) => heard.push(told(change)))
  stream.send({ type: 'ADDED', object: thing('a/x', 2) })
  await settled()
  assert.deepEqual(heard, [])
})
