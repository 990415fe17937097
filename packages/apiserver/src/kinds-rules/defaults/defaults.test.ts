import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { applyDefaults } from '../index.js'
import { created, decoded } from '../testing.fixture.js'
import { defaults, emptyStruct, fresh, nonZero } from './engine.js'

function specOf(object: KubeObject): JsonObject {
  return decoded(object).spec as JsonObject
}

test('defaults: fills in absent fields and keeps the rest', () => {
  const apply = defaults({
    name: 'x',
    'made.here': 1,
    'there?.too': true,
    'list[].kind': 'item',
    count: nonZero(5),
    empty: emptyStruct,
    items: fresh(() => ['a']),
  })
  const struct: JsonObject = { name: '', count: 0, list: [{}, { kind: 'other' }] }
  apply(struct)
  assert.deepEqual(struct, {
    name: 'x',
    count: 5,
    list: [{ kind: 'item' }, { kind: 'other' }],
    made: { here: 1 },
    empty: {},
    items: ['a'],
  })
  const other: JsonObject = { there: {}, made: { here: 0 } }
  apply(other)
  assert.equal((other.there as JsonObject).too, true)
  assert.equal((other.made as JsonObject).here, 0)
  assert.notEqual(other.items, struct.items)
})

test('applyDefaults: sets all pod defaults that a kubelet needs', () => {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'nginx',
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: '0.5' } },
          livenessProbe: { httpGet: { port: 80 } },
          env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        },
      ],
      volumes: [{ name: 'v' }, { name: 's', secret: { secretName: 'x' } }],
      serviceAccount: 'robot',
    },
  }
  assert.deepEqual(specOf(pod), {
    containers: [
      {
        name: 'c',
        image: 'nginx',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        resources: { limits: { cpu: '500m' }, requests: { cpu: '500m' } },
        livenessProbe: {
          httpGet: { port: 80, path: '/', scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } } }],
        imagePullPolicy: 'Always',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 's', secret: { secretName: 'x', defaultMode: 0o644 } },
    ],
    serviceAccount: 'robot',
    serviceAccountName: 'robot',
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
  })
})

test('applyDefaults: sets imagePullPolicy Always only for tags that can move', () => {
  const policyOf = (image: string) => {
    const spec = specOf({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [{ name: 'c', image }] } })
    return (spec.containers as JsonObject[])[0]?.imagePullPolicy
  }
  const digest = `sha256:${'a'.repeat(64)}`
  for (const image of ['nginx', 'nginx:latest', 'host:5000/nginx']) assert.equal(policyOf(image), 'Always', image)
  for (const image of ['nginx:1', 'host:5000/nginx:1', `nginx@${digest}`, `nginx:1@${digest}`]) {
    assert.equal(policyOf(image), 'IfNotPresent', image)
  }
})

test('applyDefaults: stores stringData of a Secret in data', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: {}, data: { a: 'Yg==' }, stringData: { a: 'c', d: '' } }
  const result = decoded(secret as KubeObject)
  assert.deepEqual(result.data, { a: 'Yw==', d: '' })
  assert.equal(result.stringData, undefined)
  assert.equal(result.type, 'Opaque')
})

test('applyDefaults: does not change the prototype for a key such as __proto__ in stringData', () => {
  const stringData = JSON.parse('{"__proto__": "x"}') as JsonObject
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: {}, stringData } as KubeObject
  applyDefaults('', 'Secret', secret)
  assert.deepEqual(Object.keys(secret.data as JsonObject), ['__proto__'])
  assert.equal(({} as JsonObject).x, undefined)
})

test('applyDefaults: sets the defaults of workloads, services and role bindings', () => {
  const template = { spec: { containers: [{ name: 'c', image: 'x:1' }] } }
  const deployment = specOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: { template } })
  assert.equal(deployment.replicas, 1)
  assert.equal(deployment.progressDeadlineSeconds, 600)
  assert.deepEqual(deployment.strategy, {
    type: 'RollingUpdate',
    rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
  })

  const daemons = specOf({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: {}, spec: { template } })
  assert.deepEqual(daemons.updateStrategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } })

  const service = specOf({ apiVersion: 'v1', kind: 'Service', metadata: {}, spec: { ports: [{ port: 80 }] } })
  assert.deepEqual(service, {
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    sessionAffinity: 'None',
    type: 'ClusterIP',
    internalTrafficPolicy: 'Cluster',
  })

  const binding = decoded({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: {},
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 's' },
    ],
  })
  assert.equal((binding.roleRef as JsonObject).apiGroup, 'rbac.authorization.k8s.io')
  assert.deepEqual(
    (binding.subjects as JsonObject[]).map((subject) => subject.apiGroup),
    ['rbac.authorization.k8s.io', undefined],
  )
})

test('prepareObject: sets the initial status of a new object', () => {
  const namespace = created({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } })
  assert.deepEqual(namespace.spec, { finalizers: ['kubernetes'] })
  assert.deepEqual(namespace.status, { phase: 'Active' })
  assert.deepEqual(namespace.metadata.labels, { 'kubernetes.io/metadata.name': 'n' })

  const container = (resources: JsonObject) => ({ name: 'c', image: 'x', resources })
  const qosOf = (resources: JsonObject) =>
    created({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [container(resources)] } })
      .status
  assert.deepEqual(qosOf({}), { phase: 'Pending', qosClass: 'BestEffort' })
  assert.deepEqual(qosOf({ requests: { cpu: '1' } }), { phase: 'Pending', qosClass: 'Burstable' })
  assert.deepEqual(qosOf({ limits: { cpu: '1', memory: '1Gi' } }), { phase: 'Pending', qosClass: 'Guaranteed' })
})

test('prepareObject: generates the selector of a Job from its UID', () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } }
  const job = created({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { template } })
  const uid = job.metadata.uid ?? ''
  const spec = job.spec as JsonObject
  assert.deepEqual(spec.selector, { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } })
  assert.deepEqual(((spec.template as JsonObject).metadata as JsonObject).labels, {
    'job-name': 'j',
    'batch.kubernetes.io/job-name': 'j',
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
  })
})

test('applyDefaults: is idempotent', () => {
  const objects: KubeObject[] = [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      spec: { containers: [{ name: 'c', image: 'x' }], hostNetwork: true },
    },
    { apiVersion: 'v1', kind: 'Service', metadata: {}, spec: { ports: [{ port: 1 }], type: 'LoadBalancer' } },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: {},
      spec: { jobTemplate: { spec: { template: { spec: {} } } } },
    },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: {},
      spec: { behavior: {}, scaleTargetRef: {}, maxReplicas: 1 },
    },
    {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: {},
      spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
    },
  ]
  for (const object of objects) {
    const once = decoded(object)
    assert.deepEqual(decoded(once), once, object.kind)
  }
})
