import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { objectOf } from '../testing.fixture.js'
import { readinessOf } from './readiness.js'

type Fields = Record<string, unknown>

/** What is missing, `failed:` with a final problem, `degraded:` with a problem, or `ready`. */
function conditionTexts(apiVersion: string, kind: string, fields: Fields): string {
  const { progressing, degraded } = readinessOf(objectOf(apiVersion, kind, fields))
  if (progressing !== undefined && degraded !== undefined) {
    return progressing === degraded ? `failed: ${degraded}` : `${progressing}; degraded: ${degraded}`
  }
  if (degraded !== undefined) return `degraded: ${degraded}`
  return progressing ?? 'ready'
}

function expectAll(apiVersion: string, kind: string, cases: readonly (readonly [Fields, string])[]): void {
  for (const [fields, expected] of cases) assert.equal(conditionTexts(apiVersion, kind, fields), expected)
}

const seen = { metadata: { generation: 2 } }

test('readinessOf: a Deployment is ready when all replicas are updated and available', () => {
  const status = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 }
  const spec = { replicas: 3 }
  const deadline = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too slow' }
  const quota = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no quota' }
  expectAll('apps/v1', 'Deployment', [
    [{ ...seen, spec, status }, 'ready'],
    [
      { ...seen, spec, status: { ...status, observedGeneration: 1 } },
      'its controller has not observed generation 2 yet',
    ],
    [{ ...seen, spec }, 'its controller has not observed generation 2 yet'],
    [{ ...seen, spec, status: { ...status, updatedReplicas: 1 } }, '1 of 3 replicas are updated'],
    [{ ...seen, spec, status: { ...status, replicas: 4 } }, '1 old replicas are pending termination'],
    [{ ...seen, spec, status: { ...status, availableReplicas: 2 } }, '2 of 3 replicas are available'],
    [
      { ...seen, spec, status: { observedGeneration: 2, conditions: [quota] } },
      '0 of 3 replicas are updated: no quota',
    ],
    [
      { ...seen, spec, status: { ...status, availableReplicas: 0, conditions: [deadline] } },
      'failed: Progressing is False: ProgressDeadlineExceeded: too slow',
    ],
    [{ ...seen, spec: { replicas: 0 }, status: { observedGeneration: 2 } }, 'ready'],
    [{ ...seen, spec: {}, status: { observedGeneration: 2 } }, '0 of 1 replicas are updated'],
  ])
})

test('readinessOf: a StatefulSet is ready when its partition is updated and all replicas are ready', () => {
  const revisions = { currentRevision: 'a', updateRevision: 'b' }
  const status = { observedGeneration: 2, replicas: 3, readyReplicas: 3, updatedReplicas: 3, ...revisions }
  const spec = { replicas: 3 }
  const partition = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }
  expectAll('apps/v1', 'StatefulSet', [
    [{ ...seen, spec, status }, 'ready'],
    [{ ...seen, spec, status: { ...status, updatedReplicas: 1 } }, '1 of 3 replicas are updated'],
    [{ ...seen, spec: { ...spec, ...partition }, status: { ...status, updatedReplicas: 1 } }, 'ready'],
    [
      { ...seen, spec: { ...spec, ...partition }, status: { ...status, updatedReplicas: 0 } },
      '0 of 1 replicas are updated',
    ],
    [{ ...seen, spec, status: { ...status, updateRevision: 'a', updatedReplicas: 0 } }, 'ready'],
    [{ ...seen, spec, status: { ...status, readyReplicas: 2 } }, '2 of 3 replicas are ready'],
    [{ ...seen, spec, status: { ...status, replicas: 4 } }, '1 surplus replicas are pending termination'],
    [
      { ...seen, spec: { ...spec, updateStrategy: { type: 'OnDelete' } }, status: { ...status, updatedReplicas: 0 } },
      'ready',
    ],
  ])
})

test('readinessOf: a DaemonSet is ready when every scheduled node has its pod', () => {
  const status = { observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }
  const onDelete = { updateStrategy: { type: 'OnDelete' } }
  expectAll('apps/v1', 'DaemonSet', [
    [{ ...seen, status }, 'ready'],
    [{ ...seen, status: { ...status, updatedNumberScheduled: 1 } }, '1 of 2 pods are updated'],
    [{ ...seen, spec: onDelete, status: { ...status, updatedNumberScheduled: 1 } }, 'ready'],
    [{ ...seen, status: { ...status, numberAvailable: 0 } }, '0 of 2 pods are available'],
  ])
})

test('readinessOf: a ReplicaSet is ready when it has exactly its replicas', () => {
  const status = { observedGeneration: 2, replicas: 2, availableReplicas: 2 }
  for (const [apiVersion, kind] of [
    ['apps/v1', 'ReplicaSet'],
    ['v1', 'ReplicationController'],
  ] as const) {
    expectAll(apiVersion, kind, [
      [{ ...seen, spec: { replicas: 2 }, status }, 'ready'],
      [{ ...seen, spec: { replicas: 3 }, status }, '2 of 3 replicas are available'],
      [{ ...seen, spec: { replicas: 1 }, status }, '1 surplus replicas are pending termination'],
    ])
  }
})

test('readinessOf: a Job is ready when it is complete', () => {
  const done = { conditions: [{ type: 'Complete', status: 'True' }] }
  const lost = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'gave up' }] }
  expectAll('batch/v1', 'Job', [
    [{ status: done }, 'ready'],
    [{ status: lost }, 'failed: Failed is True: BackoffLimitExceeded: gave up'],
    [{ spec: { suspend: true } }, 'ready'],
    [
      { spec: { completions: 2 }, status: { active: 1, succeeded: 1 } },
      '1 of 2 pods have succeeded, 1 are active, 0 have failed',
    ],
    [{}, '0 pods have succeeded, 0 are active, 0 have failed'],
  ])
  assert.equal(conditionTexts('batch/v1', 'CronJob', { status: { active: [{}] } }), 'ready')
})

test('readinessOf: a Pod is ready when its condition is true, or it has succeeded', () => {
  const ready = { type: 'Ready', status: 'True' }
  const waiting = (reason: string, message?: string) => ({
    phase: 'Pending',
    containerStatuses: [{ name: 'app', state: { waiting: { reason, message } } }],
  })
  expectAll('v1', 'Pod', [
    [{ status: { phase: 'Running', conditions: [ready] } }, 'ready'],
    [{ status: { phase: 'Running', conditions: [{ ...ready, status: 'False' }] } }, 'the pod is not ready'],
    [{ status: { phase: 'Succeeded' } }, 'ready'],
    [
      { status: { phase: 'Failed', reason: 'Evicted', message: 'no disk' } },
      'failed: the pod has failed: Evicted: no disk',
    ],
    [{}, 'the pod is Pending'],
    [{ status: waiting('ContainerCreating') }, 'container app is waiting: ContainerCreating'],
    [
      { status: { ...waiting('CrashLoopBackOff', 'back-off 5m'), phase: 'Running' } },
      'failed: container app is waiting: CrashLoopBackOff: back-off 5m',
    ],
    [{ status: waiting('ImagePullBackOff') }, 'failed: container app is waiting: ImagePullBackOff'],
    [
      { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: 'no node' }] } },
      'the pod is not scheduled: no node',
    ],
  ])
})

const pod = (name: string, status: Fields, metadata: Fields = {}) =>
  objectOf('v1', 'Pod', { metadata: { name, ...metadata }, status })
const container = (fields: Fields) => ({
  phase: 'Running',
  containerStatuses: [{ name: 'app', ready: false, ...fields }],
})
const waitingFor = (reason: string, message?: string) => container({ state: { waiting: { reason, message } } })

test('readinessOf: a pod with a problem is degraded, and failed only if the problem is permanent', () => {
  const ended = { exitCode: 1, reason: 'Error' }
  const gated = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'gated' }
  const full = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }
  const cases: readonly (readonly [status: Fields, text: string, isPassing: boolean | 'fine'])[] = [
    [waitingFor('ErrImagePull', 'no host'), 'container app is waiting: ErrImagePull: no host', true],
    [waitingFor('CreateContainerConfigError'), 'container app is waiting: CreateContainerConfigError', true],
    [waitingFor('ErrImageNeverPull'), 'container app is waiting: ErrImageNeverPull', false],
    [waitingFor('ContainerCreating'), 'container app is waiting: ContainerCreating', 'fine'],
    [
      container({
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: ended },
        restartCount: 4,
      }),
      'container app is waiting: CrashLoopBackOff: exited with code 1 (Error), 4 restarts',
      false,
    ],
    [container({ state: { terminated: ended } }), 'container app: exited with code 1 (Error)', true],
    [
      container({ state: { running: {} }, lastState: { terminated: { exitCode: 137 } }, restartCount: 1 }),
      'container app: exited with code 137, 1 restart',
      true,
    ],
    [container({ state: { running: {} }, lastState: { terminated: { exitCode: 0 } } }), 'the pod is not ready', 'fine'],
    [{ conditions: [full] }, 'the pod is not scheduled: Unschedulable: no room', true],
    [{ conditions: [gated] }, 'the pod is not scheduled: gated', 'fine'],
  ]
  for (const [status, text, isPassing] of cases) {
    const expected = isPassing === 'fine' ? {} : { degraded: text, ...(isPassing && { isPassing }) }
    assert.deepEqual(readinessOf(pod('p', status)), { progressing: text, ...expected })
  }
})

test('readinessOf: a workload that is not ready reports the problem of its pods', () => {
  const status = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 1 }
  const deployment = (fields: Fields = {}) =>
    objectOf('apps/v1', 'Deployment', { ...seen, spec: { replicas: 3 }, status: { ...status, ...fields } })
  const viewOf = (...pods: readonly ReturnType<typeof pod>[]) => ({ state: 'known' as const, pods })
  const crashing = pod('b', waitingFor('CrashLoopBackOff', 'again'))
  const pulling = pod('a', waitingFor('ErrImagePull', 'no host'))
  const unfinished = '1 of 3 replicas are available'
  const worst = `${unfinished}: pod b and 1 more: container app is waiting: CrashLoopBackOff: again`
  assert.deepEqual(readinessOf(deployment(), viewOf(pulling, crashing)), { progressing: worst, degraded: worst })
  const passing = `${unfinished}: pod a: container app is waiting: ErrImagePull: no host`
  assert.deepEqual(readinessOf(deployment(), viewOf(pulling)), {
    progressing: passing,
    degraded: passing,
    isPassing: true,
  })
  // Pods that are terminating, finished, or only starting have no problem to report.
  const going = pod('c', waitingFor('CrashLoopBackOff'), { deletionTimestamp: '2030-01-01T00:00:00Z' })
  const over = pod('d', { ...waitingFor('CrashLoopBackOff'), phase: 'Failed' })
  const coming = pod('e', waitingFor('ContainerCreating'))
  assert.deepEqual(readinessOf(deployment(), viewOf(going, over, coming)), { progressing: unfinished })
  assert.deepEqual(readinessOf(deployment({ availableReplicas: 3 }), viewOf(crashing)), {})
  assert.deepEqual(readinessOf(deployment({ observedGeneration: 1 }), viewOf(crashing)), {
    progressing: 'its controller has not observed generation 2 yet',
  })
  // A Job itself decides how often it retries.
  const { isPassing } = readinessOf(objectOf('batch/v1', 'Job'), viewOf(crashing))
  assert.equal(isPassing, true)
})

test('readinessOf: volumes, services, namespaces and CRDs have their own rules', () => {
  const established = { type: 'Established', status: 'True' }
  const taken = { type: 'NamesAccepted', status: 'False', reason: 'Conflict', message: 'things is taken' }
  expectAll('v1', 'PersistentVolumeClaim', [
    [{ status: { phase: 'Bound' } }, 'ready'],
    [{}, 'the claim is Pending'],
    [{ status: { phase: 'Lost' } }, 'failed: the volume of the claim is lost'],
  ])
  expectAll('v1', 'PersistentVolume', [
    [{ status: { phase: 'Available' } }, 'ready'],
    [{}, 'the volume is Pending'],
    [{ status: { phase: 'Failed', message: 'recycler' } }, 'failed: the volume has failed: recycler'],
  ])
  expectAll('v1', 'Service', [
    [{ spec: { type: 'ClusterIP' } }, 'ready'],
    [{ spec: { type: 'LoadBalancer' } }, 'the load balancer has no address yet'],
    [{ spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } }, 'ready'],
  ])
  expectAll('v1', 'Namespace', [
    [{ status: { phase: 'Active' } }, 'ready'],
    [{ status: { phase: 'Terminating' } }, 'the namespace is Terminating'],
  ])
  expectAll('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [
    [{ status: { conditions: [established] } }, 'ready'],
    [{}, 'the API server does not serve the resource yet'],
    [{ status: { conditions: [taken] } }, 'failed: NamesAccepted is False: Conflict: things is taken'],
  ])
})

test('readinessOf: other kinds are judged by their conditions', () => {
  const having = (...conditions: Fields[]) => ({ ...seen, status: { conditions } })
  const condition = (type: string, status: string, rest: Fields = {}) => ({ type, status, ...rest })
  expectAll('example.com/v1', 'Thing', [
    [{}, 'ready'],
    [having(), 'ready'],
    [having(condition('Ready', 'True')), 'ready'],
    [
      having(condition('Ready', 'False', { reason: 'NoQuota', message: 'no more' })),
      'Ready is False: NoQuota: no more',
    ],
    [having(condition('Ready', 'Unknown')), 'Ready is Unknown'],
    [
      having(condition('Ready', 'True', { observedGeneration: 1 })),
      'Ready has not been updated for the current generation',
    ],
    [having(condition('Ready', 'True', { observedGeneration: 2 })), 'ready'],
    [having(condition('Ready', 'True'), condition('Progressing', 'True')), 'ready'],
    [having(condition('Ready', 'True'), condition('Reconciling', 'True')), 'Reconciling is True'],
    [having(condition('Available', 'False')), 'Available is False'],
    [having(condition('Progressing', 'True', { reason: 'Moving' })), 'Progressing is True: Moving'],
    [having(condition('Progressing', 'True', { reason: 'NewReplicaSetAvailable' })), 'ready'],
    [having(condition('Stalled', 'True', { message: 'bad spec' })), 'failed: Stalled is True: bad spec'],
    [having(condition('Failed', 'True')), 'failed: Failed is True'],
    [having(condition('Degraded', 'True', { message: 'slow' })), 'degraded: Degraded is True: slow'],
    [having(condition('Ready', 'False'), condition('Degraded', 'True')), 'Ready is False; degraded: Degraded is True'],
    [{ ...seen, status: { observedGeneration: 1 } }, 'its controller has not observed generation 2 yet'],
  ])
})

test('readinessOf: an object that is being deleted is not ready', () => {
  const metadata = { deletionTimestamp: '2030-01-01T00:00:00Z' }
  assert.equal(conditionTexts('v1', 'ConfigMap', { metadata }), 'it is being deleted')
})

test('readinessOf: shortens messages of others', () => {
  const status = { conditions: [{ type: 'Ready', status: 'False', message: '😀'.repeat(1000) }] }
  const text = conditionTexts('example.com/v1', 'Thing', { status })
  assert.ok(text.length <= 512 && text.includes('😀…😀'), text)
})

test('readinessOf: returns a result for any object', () => {
  const kinds = [
    ['apps/v1', 'Deployment'],
    ['apps/v1', 'StatefulSet'],
    ['apps/v1', 'DaemonSet'],
    ['batch/v1', 'Job'],
    ['v1', 'Pod'],
    ['v1', 'PersistentVolumeClaim'],
    ['v1', 'Service'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ['example.com/v1', 'Thing'],
  ] as const
  const names = ['conditions', 'phase', 'replicas', 'containerStatuses', 'loadBalancer', 'observedGeneration', 'type']
  const odd = fc.dictionary(fc.constantFrom(...names), fc.jsonValue())
  fc.assert(
    fc.property(fc.constantFrom(...kinds), odd, odd, ([apiVersion, kind], spec, status) => {
      const { progressing = '', degraded = '' } = readinessOf(objectOf(apiVersion, kind, { ...seen, spec, status }))
      assert.ok(progressing.length <= 512 && degraded.length <= 512)
    }),
  )
})
