import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { validateCreate, validateUpdate } from './index.js'
import { FINITE_TEMPLATE, POD, SELECTOR, TEMPLATE } from './samples.fixture.js'
import { created, problemsOfChange, withField } from './testing.fixture.js'

function stored(object: KubeObject): KubeObject {
  const made = created(object)
  made.metadata.resourceVersion = '1'
  return made
}

/** Asserts the errors of each change of a stored object; an empty string means it is accepted. */
function answers(
  object: KubeObject,
  cases: readonly (readonly [string, JsonValue | undefined, string])[],
  sub = '',
): void {
  const old = stored(object)
  for (const [path, value, expected] of cases) {
    const lines = problemsOfChange(withField(old, path, value), old, sub).map((line) => line.split('\n')[0])
    assert.deepEqual(lines, expected === '' ? [] : [expected], `${object.kind} ${path}`)
  }
}

test('Pod: allows changes of images, added tolerations and a shorter deadline, and little else', () => {
  const pod: KubeObject = {
    ...POD,
    spec: {
      ...(POD.spec as JsonObject),
      tolerations: [{ key: 'a', operator: 'Exists' }],
      activeDeadlineSeconds: 100,
    },
  }
  const refused =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'
  answers(pod, [
    ['spec.containers[0].image', 'nginx:2', ''],
    ['spec.tolerations[1]', { key: 'b', operator: 'Exists' }, ''],
    ['spec.activeDeadlineSeconds', 50, ''],
    ['spec.containers[0].name', 'z', refused],
    ['spec.restartPolicy', 'Never', refused],
    ['spec.nodeSelector', { a: 'b' }, refused],
    [
      'spec.containers[1]',
      { name: 'd', image: 'x' },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    [
      'spec.tolerations',
      [],
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'spec.activeDeadlineSeconds',
      200,
      'spec.activeDeadlineSeconds: Invalid value: 200: must be less than or equal to previous value',
    ],
    [
      'spec.schedulingGates',
      [{ name: 'x' }],
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x'",
    ],
  ])
})

test('workloads: have immutable selectors', () => {
  for (const kind of ['Deployment', 'ReplicaSet', 'DaemonSet']) {
    const object = {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: 'w' },
      spec: { selector: SELECTOR, template: TEMPLATE },
    }
    const old = stored(object)
    const lines = problemsOfChange(withField(old, 'spec.selector.matchLabels.app', 'y'), old)
    assert.ok(lines.includes('spec.selector: Invalid value: {"matchLabels":{"app":"y"}}: field is immutable'), kind)
  }
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'w' },
    spec: { serviceName: 's', selector: SELECTOR, template: TEMPLATE },
  }
  const refused =
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
  answers(set, [
    ['spec.replicas', 3, ''],
    ['spec.serviceName', 'z', refused],
    ['spec.podManagementPolicy', 'Parallel', refused],
  ])
})

test('workloads: require consistent counts in the status', () => {
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'w' },
    spec: { selector: SELECTOR, template: TEMPLATE },
  }
  answers(
    object,
    [
      ['status', { replicas: 2, readyReplicas: 2, availableReplicas: 1 }, ''],
      [
        'status',
        { unavailableReplicas: -1 },
        'status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0',
      ],
      [
        'status',
        { replicas: 1, readyReplicas: 2 },
        'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      ],
    ],
    'status',
  )
})

test('Job: has immutable completions, completion mode and template', () => {
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: { template: FINITE_TEMPLATE },
  }
  answers(job, [
    ['spec.parallelism', 3, ''],
    ['spec.suspend', true, ''],
    ['spec.completions', 3, 'spec.completions: Invalid value: 3: field is immutable'],
    ['spec.managedBy', 'a.b/c', 'spec.managedBy: Invalid value: "a.b/c": field is immutable'],
  ])
})

test('ConfigMap, Secret: keep data and the field immutable once set', () => {
  const frozen = 'Forbidden: field is immutable when `immutable` is set'
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' }, immutable: true }
  answers(map as KubeObject, [
    ['data.a', 'c', `data: ${frozen}`],
    ['binaryData', { x: 'Yg==' }, `binaryData: ${frozen}`],
    ['immutable', false, `immutable: ${frozen}`],
    ['metadata.labels', { a: 'b' }, ''],
  ])
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'c' }, data: { a: 'Yg==' } }
  answers(secret as KubeObject, [
    ['data.a', 'Yw==', ''],
    ['type', 'foo', 'type: Invalid value: "foo": field is immutable'],
  ])
})

test('RoleBinding: has an immutable roleRef', () => {
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'b' },
    roleRef: { kind: 'Role', name: 'x' },
  }
  answers(binding as KubeObject, [
    ['subjects', [{ kind: 'User', name: 'u' }], ''],
    [
      'roleRef.name',
      'y',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"y"}: cannot change roleRef',
    ],
  ])
})

test('PersistentVolumeClaim: has an immutable spec except for the volume name', () => {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'x', resources: { requests: { storage: '1Gi' } } },
  }
  const refused =
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
  answers(claim, [
    ['spec.storageClassName', 'y', refused],
    ['spec.resources.requests.storage', '2Gi', refused],
    ['spec.volumeName', 'pv1', ''],
  ])
})

test('CertificateSigningRequest: lets each subresource write its own part', () => {
  const certificate = Buffer.from('-----BEGIN X-----\nAAAA\n-----END X-----\n').toString('base64')
  const old = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'c', resourceVersion: '1' },
    spec: { signerName: 'a.b/c', usages: ['client auth'], request: '' },
    status: {},
  }
  const approved = { type: 'Approved', status: 'True', reason: 'r' }
  answers(old, [['status.conditions', [approved], '']], 'approval')
  answers(
    old,
    [
      [
        'status.conditions',
        [approved, { type: 'Denied', status: 'True' }],
        'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
      ],
      [
        'status.conditions',
        [{ type: 'Approved', status: 'False' }],
        'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
      ],
    ],
    'approval',
  )
  answers(
    old,
    [
      [
        'status.conditions',
        [approved],
        'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
      ],
      [
        'status.certificate',
        certificate,
        'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "X"',
      ],
    ],
    'status',
  )
})

test('validateUpdate: keeps names, namespaces and server-owned fields', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }
  answers(map, [
    ['metadata.name', 'd', 'metadata.name: Invalid value: "d": field is immutable'],
    ['metadata.namespace', 'other', 'metadata.namespace: Invalid value: "other": field is immutable'],
    ['metadata.uid', 'other', 'metadata.uid: Invalid value: "other": field is immutable'],
    ['metadata.uid', undefined, ''],
    [
      'metadata.deletionTimestamp',
      '2020-01-01T00:00:00Z',
      'metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable',
    ],
  ])
  const deleted = { ...map, metadata: { name: 'c', deletionTimestamp: '2020-01-01T00:00:00Z', finalizers: ['a.b/c'] } }
  const old = created(deleted)
  const lines = problemsOfChange(withField(old, 'metadata.finalizers', ['a.b/c', 'x.y/z']), old)
  assert.deepEqual(lines, [
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.y/z"}',
  ])
})

test('validateCreate: accepts kinds without rules, also names such as constructor', () => {
  const object = { apiVersion: 'v1', kind: 'Nothing', metadata: {} }
  for (const kind of ['Nothing', 'constructor', '__proto__', 'toString']) {
    assert.deepEqual(validateCreate('', kind, object), [])
    assert.deepEqual(validateUpdate('', kind, object, object, ''), [])
  }
})
