import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import type { WorkEvent } from '@orrery/maestro'
import { WatchTable } from './watch-table.js'

function eventOf(type: WorkEvent['type'], applied: string, message = ''): WorkEvent {
  const object = {
    metadata: {
      name: 'web',
      namespace: 'c1',
      resourceVersion: '1',
      creationTimestamp: new Date().toISOString(),
    },
    spec: { workload: { manifests: [{}] } },
    status: { conditions: [{ type: 'Applied', status: applied, reason: 'Reason', message }] },
  } as unknown as ManifestWork
  return { type, object }
}

test('WatchTable: the columns of rows are below the heading, with the reason of a failure', () => {
  const table = new WatchTable()
  const row = table.rowOf(eventOf('ADDED', 'False', 'no such namespace'))
  for (const [title, value] of [
    ['WORK', 'web'],
    ['APPLIED', 'False'],
    ['PROBLEM', 'Reason: no such namespace'],
  ] as const) {
    assert.equal(table.heading.indexOf(title), row.indexOf(value), title)
  }
})

test('WatchTable: shows a row again only if it differs', () => {
  const table = new WatchTable()
  const shown = [
    eventOf('ADDED', 'False'),
    eventOf('MODIFIED', 'False'),
    eventOf('MODIFIED', 'True'),
    eventOf('MODIFIED', 'True'),
    eventOf('DELETED', 'True'),
    eventOf('ADDED', 'True'),
  ].map((event) => table.rowOf(event).split(' ')[0])
  assert.deepEqual(shown, ['ADDED', '', 'MODIFIED', '', 'DELETED', 'ADDED'])
})
