import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMeta } from '@orrery/kinds'
import { cellsOf, objectOf } from './testing.fixture.js'

type Fields = Record<string, unknown>

const CONTAINERS = [
  { name: 'a', image: 'web:1' },
  { name: 'b', image: 'log:1' },
]

function pod(status: Fields, spec: Fields = {}, metadata: ObjectMeta = {}): Record<string, unknown> {
  return cellsOf('', 'pods', objectOf('Pod', { spec: { containers: CONTAINERS, ...spec }, status }, metadata))
}

const container = (name: string, state: Fields, more: Fields = {}): Fields => ({
  name,
  state,
  restartCount: 0,
  ...more,
})
const running = { running: {} }
const waiting = (reason: string): Fields => ({ waiting: { reason } })
const ended = (exitCode: number, more: Fields = {}): Fields => ({ terminated: { exitCode, ...more } })
const endedBefore = { terminated: { exitCode: 1, finishedAt: '2026-05-01T11:55:00Z' } }

test('POD_COLUMNS: shows the phase of a pod without container statuses', () => {
  const row = pod({ phase: 'Pending' })
  assert.deepEqual(row, {
    Name: 'x',
    Ready: '0/2',
    Status: 'Pending',
    Restarts: '0',
    Age: '60m',
    IP: '<none>',
    Node: '<none>',
    'Nominated Node': '<none>',
    'Readiness Gates': '<none>',
  })
})

test('POD_COLUMNS: counts ready containers and shows the time of the last restart', () => {
  const row = pod(
    {
      phase: 'Running',
      podIPs: [{ ip: '10.0.0.7' }],
      conditions: [{ type: 'g1', status: 'True' }],
      containerStatuses: [
        container('a', running, { ready: true, restartCount: 3, lastState: endedBefore }),
        container('b', running, { ready: false }),
      ],
    },
    { nodeName: 'n1', readinessGates: [{ conditionType: 'g1' }, { conditionType: 'g2' }] },
  )
  assert.equal(row.Ready, '1/2')
  assert.equal(row.Status, 'Running')
  assert.equal(row.Restarts, '3 (5m ago)')
  assert.equal(row.IP, '10.0.0.7')
  assert.equal(row.Node, 'n1')
  assert.equal(row['Readiness Gates'], '1/2')
})

const containerCases: readonly (readonly [name: string, first: Fields, second: Fields, expected: string])[] = [
  ['a waiting container gives its reason', waiting('CrashLoopBackOff'), running, 'CrashLoopBackOff'],
  ['a container ended by a signal', ended(0, { signal: 9 }), running, 'Signal:9'],
  ['a container that gave no reason', ended(3), running, 'ExitCode:3'],
  ['the first container has the last word', ended(1, { reason: 'Error' }), waiting('ImagePullBackOff'), 'Error'],
  ['one container done and one running is not ready', ended(0, { reason: 'Completed' }), running, 'NotReady'],
  [
    'one done and one failed shows the failure',
    ended(0, { reason: 'Completed' }),
    ended(1, { reason: 'Error' }),
    'Error',
  ],
  ['both done', ended(0, { reason: 'Completed' }), ended(0, { reason: 'Completed' }), 'Completed'],
]
for (const [name, first, second, expected] of containerCases) {
  test(`POD_COLUMNS: shows the status ${name}`, () => {
    const containerStatuses = [container('a', first), container('b', second, { ready: true })]
    assert.equal(pod({ phase: 'Running', containerStatuses }).Status, expected)
  })
}

test('POD_COLUMNS: shows a ready pod as running although a container has completed', () => {
  const containerStatuses = [
    container('a', ended(0, { reason: 'Completed' })),
    container('b', running, { ready: true }),
  ]
  const row = pod({ phase: 'Running', containerStatuses, conditions: [{ type: 'Ready', status: 'True' }] })
  assert.equal(row.Status, 'Running')
})

const INIT = [
  { name: 'i1', image: 'i' },
  { name: 'side', image: 's', restartPolicy: 'Always' },
  { name: 'i2', image: 'i' },
]
const initCases: readonly (readonly [name: string, statuses: readonly Fields[], status: string, ready: string])[] = [
  ['the first is running', [container('i1', running)], 'Init:0/3', '0/3'],
  ['the first failed', [container('i1', ended(2))], 'Init:ExitCode:2', '0/3'],
  ['the first was killed', [container('i1', ended(2, { signal: 11 }))], 'Init:Signal:11', '0/3'],
  ['the first failed with a reason', [container('i1', ended(2, { reason: 'OOMKilled' }))], 'Init:OOMKilled', '0/3'],
  ['the first cannot be pulled', [container('i1', waiting('ErrImagePull'))], 'Init:ErrImagePull', '0/3'],
  [
    'a started sidecar does not hold up the next, and counts as ready',
    [
      container('i1', ended(0)),
      container('side', running, { started: true, ready: true }),
      container('i2', waiting('PodInitializing')),
    ],
    'Init:2/3',
    '1/3',
  ],
]
for (const [name, initContainerStatuses, status, ready] of initCases) {
  test(`POD_COLUMNS: shows init containers: ${name}`, () => {
    const row = pod({ phase: 'Pending', initContainerStatuses }, { initContainers: INIT })
    assert.equal(row.Status, status)
    assert.equal(row.Ready, ready)
  })
}

test('POD_COLUMNS: counts restarts of init containers until initialisation, and those of sidecars always', () => {
  const initContainerStatuses = [
    container('i1', ended(0), { restartCount: 7, lastState: endedBefore }),
    container('side', running, { started: true, ready: true, restartCount: 2, lastState: endedBefore }),
    container('i2', ended(0)),
  ]
  const before = pod(
    { phase: 'Pending', initContainerStatuses: [container('i1', running, { restartCount: 7 })] },
    { initContainers: INIT },
  )
  const after = pod({ phase: 'Running', initContainerStatuses, containerStatuses: [] }, { initContainers: INIT })
  assert.equal(before.Restarts, '7')
  assert.equal(after.Restarts, '2 (5m ago)')
})

test('POD_COLUMNS: shows reasons of the pod: gates, eviction, deletion, lost node', () => {
  const gated = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }
  const deleted = { deletionTimestamp: '2026-05-01T11:59:00Z' }
  assert.equal(pod(gated).Status, 'SchedulingGated')
  assert.equal(pod({ phase: 'Failed', reason: 'Evicted' }).Status, 'Evicted')
  assert.equal(pod({ phase: 'Running' }, {}, deleted).Status, 'Terminating')
  assert.equal(pod({ phase: 'Failed' }, {}, deleted).Status, 'Failed')
  assert.equal(pod({ phase: 'Running', reason: 'NodeLost' }, {}, deleted).Status, 'Unknown')
})
