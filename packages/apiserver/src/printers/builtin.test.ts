import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue, KubeObject } from '@orrery/kinds'
import { columnsFor } from './builtin.js'
import { cellsOf, objectOf } from './testing.fixture.js'

type Cells = Record<string, JsonValue>

const SELECTOR = {
  matchLabels: { app: 'web' },
  matchExpressions: [
    { key: 'tier', operator: 'In', values: ['b', 'a'] },
    { key: 'old', operator: 'DoesNotExist' },
  ],
}
const TEMPLATE = {
  metadata: { labels: { b: '2', a: '1' } },
  spec: {
    containers: [
      { name: 'c', image: 'web:1' },
      { name: 'd', image: 'log:1' },
    ],
    nodeSelector: { disk: 'ssd' },
  },
}
const AN_HOUR_AGO = '2026-05-01T11:00:00Z'

function expectCells(group: string, plural: string, object: KubeObject, expected: Cells): void {
  const cells = cellsOf(group, plural, object)
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(cells[name], value, `${plural}: ${name}`)
}

const cases: readonly (readonly [string, string, Record<string, unknown>, Cells])[] = [
  [
    'apps',
    'deployments',
    { spec: { replicas: 3, selector: SELECTOR, template: TEMPLATE }, status: { readyReplicas: 1, updatedReplicas: 2 } },
    {
      Ready: '1/3',
      'Up-to-date': 2,
      Available: 0,
      Age: '60m',
      Containers: 'c,d',
      Images: 'web:1,log:1',
      Selector: 'app=web,!old,tier in (a,b)',
    },
  ],
  [
    'apps',
    'replicasets',
    { spec: { replicas: 2 }, status: { replicas: 1 } },
    { Desired: 2, Current: 1, Ready: 0, Selector: '<none>' },
  ],
  ['apps', 'statefulsets', { spec: { replicas: 2 }, status: { readyReplicas: 2 } }, { Ready: '2/2' }],
  [
    'apps',
    'daemonsets',
    { spec: { template: TEMPLATE }, status: { desiredNumberScheduled: 4, numberReady: 3 } },
    { Desired: 4, Current: 0, Ready: 3, 'Node Selector': 'disk=ssd' },
  ],
  [
    'batch',
    'jobs',
    { spec: { completions: 5 }, status: { succeeded: 2, startTime: AN_HOUR_AGO } },
    { Status: 'Running', Completions: '2/5', Duration: '60m' },
  ],
  [
    'batch',
    'jobs',
    {
      spec: { parallelism: 3 },
      status: {
        startTime: AN_HOUR_AGO,
        completionTime: '2026-05-01T11:00:30Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    },
    { Status: 'Complete', Completions: '0/1 of 3', Duration: '30s' },
  ],
  [
    'batch',
    'cronjobs',
    { spec: { schedule: '@daily', suspend: false }, status: { active: [{}], lastScheduleTime: AN_HOUR_AGO } },
    { Schedule: '@daily', Timezone: '<none>', Suspend: 'False', Active: 1, 'Last Schedule': '60m' },
  ],
  [
    '',
    'services',
    {
      spec: {
        type: 'LoadBalancer',
        clusterIPs: ['10.0.0.1'],
        externalIPs: ['1.1.1.1'],
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
        selector: { b: '2', a: '1' },
      },
      status: { loadBalancer: { ingress: [{ hostname: 'z.example.com' }, { ip: '9.9.9.9' }] } },
    },
    {
      'Cluster-IP': '10.0.0.1',
      'External-IP': '9.9.9.9,z.example.com,1.1.1.1',
      'Port(s)': '80:30080/TCP,53/UDP',
      Selector: 'a=1,b=2',
    },
  ],
  [
    '',
    'services',
    { spec: { type: 'LoadBalancer' } },
    { 'External-IP': '<pending>', 'Port(s)': '<none>', 'Cluster-IP': '<none>' },
  ],
  [
    '',
    'services',
    { spec: { type: 'ExternalName', externalName: 'db.example.com' } },
    { 'External-IP': 'db.example.com' },
  ],
  [
    '',
    'endpoints',
    { subsets: [{ addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }, { port: 443 }] }] },
    { Endpoints: '10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more...' },
  ],
  ['', 'endpoints', {}, { Endpoints: '<none>' }],
  [
    'discovery.k8s.io',
    'endpointslices',
    { addressType: 'IPv4', ports: [{ name: 'web' }, { port: 80 }], endpoints: [] },
    { AddressType: 'IPv4', Ports: 'web,80', Endpoints: '<unset>' },
  ],
  [
    'networking.k8s.io',
    'ingresses',
    { spec: { tls: [{}], rules: [{ host: 'a' }, {}, { host: 'b' }, { host: 'c' }, { host: 'd' }] } },
    { Class: '<none>', Hosts: 'a,b,c + 2 more...', Ports: '80, 443', Address: '' },
  ],
  ['networking.k8s.io', 'networkpolicies', { spec: { podSelector: {} } }, { 'Pod-Selector': '<none>' }],
  [
    '',
    'nodes',
    {
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'False' }],
        nodeInfo: { kernelVersion: '6.1', architecture: 'arm64' },
      },
    },
    {
      Status: 'NotReady,SchedulingDisabled',
      Roles: '<none>',
      'Kernel-Version': '6.1 (arm64)',
      'OS-Image': '<unknown>',
    },
  ],
  ['', 'secrets', { type: 'Opaque', data: { a: '', b: '' } }, { Type: 'Opaque', Data: 2 }],
  ['', 'configmaps', { data: { a: '' }, binaryData: { b: '' } }, { Data: 2 }],
  [
    '',
    'resourcequotas',
    { status: { hard: { pods: '10', 'limits.cpu': '4', cpu: '2' }, used: { pods: '1' } } },
    { Request: 'cpu: 0/2, pods: 1/10', Limit: 'limits.cpu: 0/4' },
  ],
  [
    '',
    'persistentvolumes',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        claimRef: { namespace: 'n', name: 'c' },
      },
      status: { phase: 'Bound' },
    },
    { Capacity: '1Gi', 'Access Modes': 'RWO,RWX', Status: 'Bound', Claim: 'n/c', VolumeAttributesClass: '<unset>' },
  ],
  [
    '',
    'persistentvolumeclaims',
    { spec: { storageClassName: 'fast' }, status: { phase: 'Pending', capacity: { storage: '1Gi' } } },
    { Status: 'Pending', Volume: '', Capacity: '', StorageClass: 'fast', VolumeMode: '<unset>' },
  ],
  [
    'autoscaling',
    'horizontalpodautoscalers',
    {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'web' },
        maxReplicas: 5,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } },
          { type: 'External', external: { target: { averageValue: '5' } } },
          { type: 'Pods', pods: { target: { averageValue: '9' } } },
        ],
      },
      status: { currentMetrics: [{ resource: { current: { averageUtilization: 50 } } }] },
    },
    {
      Reference: 'Deployment/web',
      Targets: 'cpu: 50%/80%, <unknown>/5 (avg) + 1 more...',
      MinPods: '<unset>',
      MaxPods: 5,
    },
  ],
  [
    'rbac.authorization.k8s.io',
    'rolebindings',
    {
      roleRef: { kind: 'Role', name: 'edit' },
      subjects: [
        { kind: 'User', name: 'ann' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
        { kind: 'User', name: 'bob' },
      ],
    },
    { Role: 'Role/edit', Users: 'ann, bob', Groups: '', ServiceAccounts: 'n/s' },
  ],
  [
    'certificates.k8s.io',
    'certificatesigningrequests',
    { spec: { expirationSeconds: 86400 }, status: { conditions: [{ type: 'Approved' }], certificate: 'AAAA' } },
    { Condition: 'Approved,Issued', RequestedDuration: '24h', SignerName: '<none>' },
  ],
  [
    'apiregistration.k8s.io',
    'apiservices',
    {
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'Gone' }] },
    },
    { Service: 'n/s', Available: 'False (Gone)' },
  ],
  [
    'policy',
    'poddisruptionbudgets',
    { spec: { minAvailable: '50%' } },
    { 'Min Available': '50%', 'Max Unavailable': 'N/A' },
  ],
  ['storage.k8s.io', 'csidrivers', { spec: {} }, { AttachRequired: true, TokenRequests: '<unset>', Modes: '<none>' }],
  ['rbac.authorization.k8s.io', 'roles', {}, { 'Created At': AN_HOUR_AGO }],
]
for (const [group, plural, fields, expected] of cases) {
  test(`columnsFor: shows ${Object.keys(expected).join(', ')} for ${plural}`, () => {
    expectCells(group, plural, objectOf('Any', fields), expected)
  })
}

test('columnsFor: shows events of both groups alike', () => {
  const core = objectOf('Event', {
    involvedObject: { kind: 'Pod', name: 'p' },
    message: ' hello\n',
    firstTimestamp: AN_HOUR_AGO,
    count: 4,
    source: { component: 'kubelet', host: 'n1' },
  })
  const modern = objectOf('Event', {
    regarding: { kind: 'Pod', name: 'p' },
    note: 'hello',
    eventTime: '2026-05-01T11:00:00.000000Z',
    reportingController: 'kubelet',
    reportingInstance: 'n1',
    series: { count: 4, lastObservedTime: '2026-05-01T11:00:00.000000Z' },
  })
  const expected = { 'Last Seen': '60m', Object: 'pod/p', Message: 'hello', Count: 4, Source: 'kubelet, n1', Name: 'x' }
  expectCells('', 'events', core, expected)
  expectCells('events.k8s.io', 'events', modern, expected)
  assert.equal(columnsFor('', 'events').at(-1)?.name, 'Name')
})

test('columnsFor: marks default classes in their name', () => {
  const annotated = objectOf(
    'Any',
    {},
    {
      annotations: {
        'storageclass.kubernetes.io/is-default-class': 'true',
        'ingressclass.kubernetes.io/is-default-class': 'true',
      },
    },
  )
  expectCells('storage.k8s.io', 'storageclasses', annotated, { Name: 'x (default)' })
  expectCells('networking.k8s.io', 'ingressclasses', annotated, { Name: 'x (default)' })
})

test('columnsFor: reads node roles from both labels', () => {
  const labels = { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge', 'node-role.kubernetes.io/': '' }
  expectCells('', 'nodes', objectOf('Node', {}, { labels }), { Roles: 'edge,worker', Status: 'Unknown' })
})

test('columnsFor: tolerates empty and invalid objects', () => {
  const resources = cases.map(([group, plural]) => [group, plural] as const)
  for (const [group, plural] of [...resources, ['', 'pods'], ['', 'events']] as const) {
    cellsOf(group, plural, { apiVersion: 'v1', kind: 'Any', metadata: {} })
    cellsOf(group, plural, objectOf('Any', { spec: 7, status: [null], subsets: 'x', subjects: [3], data: null }))
  }
})
