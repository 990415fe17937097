import assert from 'node:assert/strict'
import { test } from 'node:test'
import { each } from './each.js'
import { requeueAfter } from './requeue.js'
import { startTestController, turns } from './testing.fixture.js'

const a = { namespace: 'ns', name: 'a' }
const b = { namespace: 'ns', name: 'b' }

test('Controller: logs a slow reconcile once', async (t) => {
  const { things, start, clock, logged } = startTestController(t, {
    concurrency: 3,
    reconcile: ({ name }) => (name === 'quick' ? Promise.resolve() : new Promise<void>(() => undefined)),
    stopMilliseconds: 0,
  })
  await start()
  things.write({ metadata: { namespace: 'ns', name: 'quick' } })
  await turns()
  clock.advance(50_000)
  things.write({ metadata: a })
  await turns()
  clock.advance(30_000)
  things.write({ metadata: b })
  await turns()
  assert.deepEqual(logged('warn'), [])
  clock.advance(29_999)
  assert.deepEqual(logged('warn'), [])
  const slow = () => logged('warn').map(({ message, name, seconds }) => [message, name, seconds])
  clock.advance(1)
  assert.deepEqual(slow(), [['reconcile is slow', 'a', 60]])
  clock.advance(1_000_000)
  assert.deepEqual(slow().slice(1), [['reconcile is slow', 'b', 60]])
})

test('Controller: adds the object to the log lines of a reconcile', async (t) => {
  const { things, start, logged } = startTestController(t, {
    reconcile: async (_, { log }) => {
      log.info('done', { extra: 1 })
      log.child('part').debug('details')
    },
  })
  await start()
  things.write({ metadata: a })
  await turns()
  const about = { kind: 'Thing', namespace: 'ns', name: 'a' }
  assert.deepEqual(logged('info'), [{ message: 'done', component: 'things', ...about, extra: 1 }])
  assert.deepEqual(logged('debug', 'details'), [{ message: 'details', component: 'things.part', ...about }])
})

test('Controller: reports that it is behind when it cannot keep up', async (t) => {
  const { things, start, group, clock } = startTestController(t, {
    reconcile: () => new Promise<void>(() => undefined),
    stopMilliseconds: 0,
  })
  await start()
  things.write({ metadata: a })
  await turns()
  things.write({ metadata: b })
  clock.advance(30_000)
  const { isBehind, waitedMilliseconds, ready, running } = group.health[0]!
  assert.deepEqual(
    { isBehind, waitedMilliseconds, ready, running },
    {
      isBehind: false,
      waitedMilliseconds: 30_000,
      ready: 1,
      running: 1,
    },
  )
  clock.advance(1)
  assert.equal(group.health[0]?.isBehind, true)
})

test('Controller: has the metric names of controller-runtime', async (t) => {
  const results = [undefined, new Error('no'), requeueAfter(60_000), 'hang'] as const
  let run = 0
  const { things, start, clock, metrics, group } = startTestController(t, {
    reconcile: async () => {
      const result = results[run++]
      clock.advance(20)
      if (result instanceof Error) throw result
      return result === 'hang' ? new Promise<undefined>(() => undefined) : result
    },
    stopMilliseconds: 0,
  })
  await start()
  for (const name of ['ok', 'fails', 'again', 'hangs', 'waits']) {
    things.write({ metadata: { namespace: 'ns', name } })
    await turns()
  }
  clock.advance(2000)
  const text = metrics.render()
  for (const line of [
    'controller_runtime_reconcile_total{controller="things",result="success"} 1',
    'controller_runtime_reconcile_total{controller="things",result="error"} 1',
    'controller_runtime_reconcile_total{controller="things",result="requeue_after"} 1',
    'controller_runtime_reconcile_errors_total{controller="things"} 1',
    'controller_runtime_reconcile_time_seconds_bucket{controller="things",le="0.01"} 0',
    'controller_runtime_reconcile_time_seconds_bucket{controller="things",le="0.025"} 3',
    'controller_runtime_max_concurrent_reconciles{controller="things"} 1',
    'controller_runtime_active_workers{controller="things"} 1',
    'workqueue_adds_total{name="things",controller="things"} 6',
    'workqueue_retries_total{name="things",controller="things"} 2',
    'workqueue_depth{name="things",controller="things",priority="0"} 2',
    'workqueue_depth{name="things",controller="things",priority="-100"} 0',
    'workqueue_queue_duration_seconds_count{name="things",controller="things"} 4',
    'workqueue_work_duration_seconds_count{name="things",controller="things"} 3',
    'workqueue_longest_running_processor_seconds{name="things",controller="things"} 2.02',
    'workqueue_unfinished_work_seconds{name="things",controller="things"} 2.02',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line}\nis not in\n${text}`)
  }
  const stopped = group.stop()
  await turns()
  clock.advance(0)
  await stopped
  assert.doesNotMatch(metrics.render(), /workqueue_depth|active_workers/)
  assert.match(metrics.render(), /workqueue_adds_total/)
})

test('Controller: logs objects of an unknown kind without the kind', async (t) => {
  const { things, start, logged } = startTestController(t, {
    wakes: (things) => [each(things, () => ({ name: 'elsewhere' }))],
    reconcile: () => Promise.reject(new Error('no')),
  })
  await start()
  things.write({ metadata: a })
  await turns()
  const { error: _, ...line } = logged('warn')[0]!
  assert.equal(line.kind, undefined)
  assert.equal(line.name, 'elsewhere')
})
