import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict, tooManyRequests } from '@orrery/kinds/values'
import { requeueAt } from './requeue.js'
import { startTestController, turns } from './testing.fixture.js'

const a = { namespace: 'ns', name: 'a' }

test('Controller: logs a failure with the object and the time of the retry, and retries then', async (t) => {
  let failures = 2
  const { things, seen, start, clock, logged, group } = startTestController(t, {
    reconcile: async () => {
      if (failures-- > 0) throw new Error('out of luck')
    },
    backoff: { firstMilliseconds: 1000 },
  })
  await start()
  things.write({ metadata: a })
  await turns()
  const [line] = logged('warn')
  const { error, ...fields } = line!
  assert.equal(error?.message, 'out of luck')
  const about = { message: 'reconcile failed', component: 'things', kind: 'Thing', namespace: 'ns', name: 'a' }
  assert.deepEqual(fields, { ...about, attempt: 1, nextTry: new Date(clock.now().getTime() + 1000) })
  assert.equal(group.health[0]?.failing, 1)
  assert.deepEqual(group.health[0]?.lastError, { at: clock.now(), ref: a, message: 'out of luck' })
  clock.advance(1000)
  await turns()
  clock.advance(2000)
  await turns()
  assert.deepEqual(seen, ['ns/a', 'ns/a', 'ns/a'])
  assert.equal(group.health[0]?.failing, 0)
})

test('Controller: treats anything thrown, however early, as a failure', async (t) => {
  const thrown = [undefined, null, 'text', Object.create(null)]
  const { things, seen, start, clock } = startTestController(t, {
    reconcile: () => {
      if (thrown.length > 0) throw thrown.pop()
      return Promise.resolve()
    },
  })
  await start()
  things.write({ metadata: a })
  for (let attempt = 0; attempt < 4; attempt++) {
    await turns()
    clock.advance(1000)
  }
  await turns()
  assert.equal(seen.length, 5)
})

test('Controller: logs conflicts as warnings only after many in a row', async (t) => {
  const { things, start, clock, logged, group } = startTestController(t, {
    reconcile: () => Promise.reject(conflict({ group: '', resource: 'things' }, 'a', 'the object has been modified')),
  })
  await start()
  things.write({ metadata: a })
  for (let attempt = 0; attempt < 8; attempt++) {
    await turns()
    clock.advance(5 * 2 ** attempt)
  }
  assert.equal(logged('debug', 'reconcile had a conflict').length, 8)
  assert.equal(group.health[0]?.lastError, undefined)
  await turns()
  assert.deepEqual(
    logged('warn').map(({ message, attempt }) => [message, attempt]),
    [['reconcile failed', 9]],
  )
})

test('Controller: honours the Retry-After of a server', async (t) => {
  const { things, seen, start, clock } = startTestController(t, {
    reconcile: () => Promise.reject(tooManyRequests('slow down', 3)),
  })
  await start()
  things.write({ metadata: a })
  await turns()
  clock.advance(2999)
  await turns()
  assert.equal(seen.length, 1)
  clock.advance(1)
  await turns()
  assert.equal(seen.length, 2)
})

test('Controller: an invalid requeue time is a failure, and a past one is delayed', async (t) => {
  const asked = [requeueAt(new Date('not a date')), requeueAt(new Date(0))]
  const { things, seen, start, clock, logged } = startTestController(t, { reconcile: async () => asked.shift() })
  await start()
  things.write({ metadata: a })
  await turns()
  assert.equal(logged('warn')[0]?.error?.message, 'the requeue time is not valid')
  clock.advance(5)
  await turns()
  assert.equal(seen.length, 2)
  clock.advance(4)
  await turns()
  assert.equal(seen.length, 2)
  clock.advance(1)
  await turns()
  assert.equal(seen.length, 3)
})
