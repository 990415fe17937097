import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { STRANGERS, WRONG_SELECTORS, workload } from './samples.fixture.js'
import { LABEL, QUALIFIED, refuses, SUBDOMAIN } from './testing.fixture.js'

const DEPLOYMENT = workload('Deployment')

test("Deployment: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(DEPLOYMENT, [
    ...WRONG_SELECTORS,
    ['spec.selector', {}, 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    [
      'spec.selector',
      { matchExpressions: [{ key: 'a', operator: 'Foo' }] },
      [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Foo"}]}: invalid label selector',
      ],
    ],
    ['spec.replicas', -1, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.strategy',
      { type: 'Foo' },
      'spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      'spec.strategy',
      { type: 'Recreate', rollingUpdate: { maxSurge: 1 } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      'spec.strategy',
      { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      'spec.strategy',
      { rollingUpdate: { maxUnavailable: '150%' } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "150%": must not be greater than 100%',
    ],
    [
      'spec.strategy',
      { rollingUpdate: { maxUnavailable: 'abc', maxSurge: -1 } },
      [
        `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "abc": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
        'spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    ['spec.minReadySeconds', -1, 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.minReadySeconds',
      1000,
      'spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds',
    ],
    [
      'spec.revisionHistoryLimit',
      -1,
      'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.progressDeadlineSeconds',
      -1,
      [
        'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
        'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds',
      ],
    ],
    [
      'spec.template.spec.restartPolicy',
      'Never',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      'spec.template.spec.activeDeadlineSeconds',
      3,
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
    [
      'spec.template.metadata.labels',
      { app: 'x', 'a b': 'c' },
      `spec.template.labels: Invalid value: "a b": ${QUALIFIED}`,
    ],
    [
      'spec.template.spec.containers[0].name',
      'A_',
      `spec.template.spec.containers[0].name: Invalid value: "A_": ${LABEL}`,
    ],
    [
      'spec.template',
      undefined,
      [
        'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
        'spec.template.spec.containers: Required value',
      ],
    ],
    ['metadata.name', 'A.b', `metadata.name: Invalid value: "A.b": ${SUBDOMAIN}`],
    [
      'spec.template.spec.ephemeralContainers',
      [{ name: 'e', image: 'x' }],
      'spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ],
    [
      'spec',
      undefined,
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
        'spec.template.spec.containers: Required value',
      ],
    ],
  ])
})

const REPLICA_SET = workload('ReplicaSet')

test("ReplicaSet: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(REPLICA_SET, [
    ...WRONG_SELECTORS,
    ['spec.replicas', -1, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
  ])
})

const DAEMON_SET = workload('DaemonSet')

test("DaemonSet: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(DAEMON_SET, [
    ['spec.selector', undefined, STRANGERS],
    ['spec.selector.matchLabels.app', 'y', STRANGERS],
    [
      'spec.updateStrategy',
      { type: 'Foo' },
      'spec.updateStrategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
    [
      'spec.updateStrategy',
      { rollingUpdate: { maxUnavailable: 0 } },
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    [
      'spec.updateStrategy',
      { rollingUpdate: { maxSurge: 1 } },
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
    [
      'spec.template.spec.restartPolicy',
      'Never',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    ['spec.selector', {}, 'spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
  ])
})

const STATEFUL_SET = workload('StatefulSet', {
  serviceName: 's',
  volumeClaimTemplates: [
    {
      metadata: { name: 'v' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
})

test("StatefulSet: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(STATEFUL_SET, [
    ['metadata.name', 'a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'],
    [
      'spec.podManagementPolicy',
      'Foo',
      `spec.podManagementPolicy: Invalid value: "Foo": must be 'OrderedReady' or 'Parallel'`,
    ],
    [
      'spec.updateStrategy',
      { type: 'Foo' },
      `spec.updateStrategy: Invalid value: {"Type":"Foo","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
    ],
    [
      'spec.updateStrategy',
      { type: 'OnDelete', rollingUpdate: { partition: 1 } },
      `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
    ],
    [
      'spec.updateStrategy',
      { type: 'RollingUpdate', rollingUpdate: { partition: -1 } },
      'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.persistentVolumeClaimRetentionPolicy',
      { whenDeleted: 'Foo' },
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Foo": supported values: "Retain", "Delete"',
    ],
    [
      'spec.volumeClaimTemplates[0].spec.accessModes',
      [],
      'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
    ],
    ['spec.serviceName', 'A_', `spec.serviceName: Invalid value: "A_": ${LABEL}`],
    ['spec.selector', {}, 'spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
    ['spec.ordinals', { start: -1 }, 'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.template.spec.containers[0].volumeMounts',
      [{ name: 'zz', mountPath: '/x' }],
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "zz"',
    ],
    ['spec.replicas', -1, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
  ])
})

const CONTROLLER_REVISION: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'h' },
  revision: 1,
  data: { a: 1 },
}

test("ControllerRevision: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(CONTROLLER_REVISION, [
    ['data', undefined, 'data: Required value: data is mandatory'],
    ['revision', -1, 'revision: Invalid value: -1: must be greater than or equal to 0'],
    ['data', [1], 'data: Required value: data must be a valid JSON object'],
  ])
})
