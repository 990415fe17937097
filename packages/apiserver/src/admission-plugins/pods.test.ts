import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { NAMESPACES, PRIORITY_CLASSES, SERVICE_ACCOUNTS } from '../controllers/resources.js'
import { defaultServiceAccounts } from '../controllers/service-account.js'
import { type InnerServer, startInnerServer } from '../testing/inner-server.fixture.js'

const PODS = { group: '', resource: 'pods' }
const LIMIT_RANGES = { group: '', resource: 'limitranges' }
const RUNTIME_CLASSES = { group: 'node.k8s.io', resource: 'runtimeclasses' }
const start = (t: test.TestContext) => startInnerServer(t, { namespaces: ['a'] })

interface Spec {
  readonly serviceAccountName?: string
  readonly volumes?: { name: string; projected?: object }[]
  readonly containers: { volumeMounts?: { mountPath: string }[]; resources?: object }[]
  readonly imagePullSecrets?: object[]
  readonly priority?: number
  readonly priorityClassName?: string
  readonly preemptionPolicy?: string
  readonly tolerations?: { key: string; tolerationSeconds: number }[]
  readonly overhead?: object
  readonly nodeSelector?: object
}

async function make(
  server: InnerServer,
  name: string,
  spec: object = {},
  metadata: object = {},
): Promise<KubeObject & { spec: Spec }> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'a', name, ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  }
  return (await server.client.create(PODS, pod)) as KubeObject & { spec: Spec }
}

test('serviceAccount: sets the default account with its token, and default tolerations', async (t) => {
  const { spec } = await make(await start(t), 'p')
  assert.equal(spec.serviceAccountName, 'default')
  assert.match(spec.volumes?.[0]?.name ?? '', /^kube-api-access-[a-z0-9]{5}$/)
  assert.equal(spec.containers[0]?.volumeMounts?.[0]?.mountPath, '/var/run/secrets/kubernetes.io/serviceaccount')
  assert.deepEqual([spec.priority, spec.preemptionPolicy], [0, 'PreemptLowerPriority'])
  assert.deepEqual(
    spec.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]),
    [
      ['node.kubernetes.io/not-ready', 300],
      ['node.kubernetes.io/unreachable', 300],
    ],
  )
})

test('serviceAccount: supports pods without a token and uses the settings of the account', async (t) => {
  const server = await start(t)
  assert.equal((await make(server, 'p', { automountServiceAccountToken: false })).spec.volumes, undefined)
  await server.client.create(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: 'a', name: 'robot' },
    automountServiceAccountToken: false,
    imagePullSecrets: [{ name: 'pull' }],
  })
  const { spec } = await make(server, 'q', { serviceAccountName: 'robot' })
  assert.equal(spec.volumes, undefined)
  assert.deepEqual(spec.imagePullSecrets, [{ name: 'pull' }])
  await assert.rejects(
    make(server, 'r', { serviceAccountName: 'nobody' }),
    /pods "r" is forbidden: error looking up service account a\/nobody: serviceaccount "nobody" not found/,
  )
})

test('serviceAccount: waits for the account of a new namespace', async (t) => {
  const server = await startInnerServer(t, { controllers: [defaultServiceAccounts] })
  await server.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } })
  assert.equal((await make(server, 'p')).spec.serviceAccountName, 'default')
})

test('priority: takes the priority only from a class or the default class', async (t) => {
  const server = await start(t)
  const define = (name: string, value: number, extra: object = {}) =>
    server.client.create(PRIORITY_CLASSES, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      ...extra,
    })
  await define('high', 1000, { preemptionPolicy: 'Never' })
  const high = await make(server, 'high', { priorityClassName: 'high' })
  assert.deepEqual([high.spec.priority, high.spec.preemptionPolicy], [1000, 'Never'])
  await assert.rejects(make(server, 'x', { priorityClassName: 'none' }), /no PriorityClass with name none was found/)
  await assert.rejects(
    make(server, 'x', { priority: 5 }),
    /the integer value of priority \(5\) must not be provided in pod spec/,
  )
  await define('usual', 7, { globalDefault: true })
  const usual = await make(server, 'usual')
  assert.deepEqual([usual.spec.priority, usual.spec.priorityClassName], [7, 'usual'])
  await assert.rejects(define('other', 8, { globalDefault: true }), /PriorityClass usual is already marked as default/)
})

test('limitRanger: sets default amounts and enforces the bounds', async (t) => {
  const server = await start(t)
  const limits = [
    {
      type: 'Container',
      default: { cpu: '500m' },
      defaultRequest: { cpu: '100m' },
      max: { cpu: '1' },
      min: { cpu: '50m' },
      maxLimitRequestRatio: { cpu: '5' },
    },
    { type: 'Pod', max: { cpu: '2' } },
  ]
  const metadata = { namespace: 'a', name: 'l' }
  await server.client.create(LIMIT_RANGES, { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits } })
  const pod = await make(server, 'p')
  assert.deepEqual(pod.spec.containers[0]?.resources, { limits: { cpu: '500m' }, requests: { cpu: '100m' } })
  assert.equal(
    pod.metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
  )
  const asking = (...amounts: [request: string, limit: string][]) => ({
    containers: amounts.map(([request, limit], i) => ({
      name: `c${i}`,
      image: 'i',
      resources: { requests: { cpu: request }, limits: { cpu: limit } },
    })),
  })
  await assert.rejects(make(server, 'x', asking(['1', '2'])), /maximum cpu usage per Container is 1, but limit is 2/)
  await assert.rejects(
    make(server, 'x', asking(['10m', '50m'])),
    /minimum cpu usage per Container is 50m, but request is 10m/,
  )
  await assert.rejects(
    make(server, 'x', asking(['100m', '1'])),
    /cpu max limit to request ratio per Container is 5, but provided ratio is 10\.000000/,
  )
  await assert.rejects(
    make(server, 'x', asking(['1', '1'], ['1', '1'], ['1', '1'])),
    /maximum cpu usage per Pod is 2, but limit is 3/,
  )
})

test('runtimeClass: sets the overhead and scheduling of the class', async (t) => {
  const server = await start(t)
  await server.client.create(RUNTIME_CLASSES, {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'vm' },
    handler: 'vm',
    overhead: { podFixed: { memory: '100Mi' } },
    scheduling: { nodeSelector: { vm: 'yes' } },
  })
  const { spec } = await make(server, 'p', { runtimeClassName: 'vm' })
  assert.deepEqual([spec.overhead, spec.nodeSelector], [{ memory: '100Mi' }, { vm: 'yes' }])
  await assert.rejects(make(server, 'x', { runtimeClassName: 'none' }), /pod rejected: RuntimeClass "none" not found/)
  await assert.rejects(
    make(server, 'x', { runtimeClassName: 'vm', nodeSelector: { vm: 'no' } }),
    /conflict: runtimeClass.scheduling.nodeSelector\[vm\] = yes/,
  )
  await assert.rejects(
    make(server, 'x', { overhead: { cpu: '1' } }),
    /Pod Overhead set without corresponding RuntimeClass defined Overhead/,
  )
})

test('serviceAccount: leaves mirror pods unchanged', async (t) => {
  const server = await start(t)
  const mirror = { annotations: { 'kubernetes.io/config.mirror': 'hash' } }
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }
  const made = await server.client.create({ group: '', resource: 'nodes' }, node)
  assert.deepEqual((made.spec as { taints: object[] }).taints, [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  ])
  const { spec } = await make(server, 'p', { nodeName: 'n' }, mirror)
  assert.equal(spec.serviceAccountName, undefined)
  await assert.rejects(
    make(server, 'x', { nodeName: 'n', serviceAccountName: 'default' }, mirror),
    /a mirror pod may not reference service accounts/,
  )
})
