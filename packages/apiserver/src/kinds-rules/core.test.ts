import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { STRANGERS, TEMPLATE } from './samples.fixture.js'
import { LABEL, QUALIFIED, refuses, SUBDOMAIN } from './testing.fixture.js'

const NAMESPACE: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nn' } }

test("Namespace: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(NAMESPACE, [
    ['metadata.name', 'A', `metadata.name: Invalid value: "A": ${LABEL}`],
    ['metadata.name', 'a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'],
    [
      'spec',
      { finalizers: ['foo'] },
      'spec.finalizers: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
    ],
    [
      'metadata.name',
      'a'.repeat(64),
      [
        'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 63 characters',
        'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 63 bytes',
      ],
    ],
  ])
})

const NODE: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }

test("Node: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(NODE, [
    [
      'spec',
      {
        taints: [
          { key: 'a b', effect: 'Foo' },
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule' },
        ],
      },
      [
        `metadata.taints[0].key: Invalid value: "a b": ${QUALIFIED}`,
        'metadata.taints[0].effect: Unsupported value: "Foo": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        'metadata.taints[2]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ],
    [
      'spec',
      { podCIDRs: ['x'] },
      'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    ['metadata.name', 'A', `metadata.name: Invalid value: "A": ${SUBDOMAIN}`],
    [
      'status',
      { capacity: { cpu: '-1' } },
      [
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
  ])
})

const SERVICE_ACCOUNT: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'n' } }

test("ServiceAccount: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(SERVICE_ACCOUNT, [['metadata.name', 'A', `metadata.name: Invalid value: "A": ${SUBDOMAIN}`]])
})

const ENDPOINTS: KubeObject = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { name: 'n' },
  subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
}

test("Endpoints: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(ENDPOINTS, [
    ['subsets[0].addresses', [], 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
    [
      'subsets[0].addresses[0].ip',
      '127.0.0.1',
      'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    [
      'subsets[0].addresses[0].ip',
      'x',
      [
        'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
      ],
    ],
    [
      'subsets[0].ports[0].port',
      0,
      'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'subsets[0].ports[1]',
      { port: 3 },
      ['subsets[0].ports[0].name: Required value', 'subsets[0].ports[1].name: Required value'],
    ],
    ['subsets[0].ports[0].name', 'A_', `subsets[0].ports[0].name: Invalid value: "A_": ${LABEL}`],
    [
      'subsets[0].addresses[0].ip',
      '::1',
      'subsets[0].addresses[0].ip: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
    [
      'subsets[0].addresses[0].ip',
      'fe80::1',
      'subsets[0].addresses[0].ip: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
    [
      'subsets[0].addresses[0].ip',
      '010.0.0.1',
      'subsets[0].addresses[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
    [
      'subsets[0].addresses[0].ip',
      '::ffff:1.2.3.4',
      'subsets[0].addresses[0].ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
    ],
  ])
})

const EVENT: KubeObject = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'h' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  reason: 'r',
  message: 'm',
  type: 'Normal',
}

test("Event: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(EVENT, [
    ['involvedObject.namespace', 'x', 'involvedObject.namespace: Invalid value: "x": does not match event.namespace'],
    [
      'eventTime',
      '2020-01-01T00:00:00.000000Z',
      [
        'reportingComponent: Required value',
        'reportingComponent: Invalid value: "": name part must be non-empty',
        `reportingComponent: Invalid value: "": ${QUALIFIED}`,
        'reportingInstance: Required value',
        'action: Required value',
      ],
    ],
  ])
})

const REPLICATION_CONTROLLER: KubeObject = {
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'n' },
  spec: { template: TEMPLATE },
}

test("ReplicationController: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(REPLICATION_CONTROLLER, [
    ['spec.selector', { app: 'y' }, STRANGERS],
    ['spec.template', undefined, ['spec.selector: Required value', 'spec.template: Required value']],
    ['spec.replicas', -1, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.template.spec.restartPolicy',
      'Never',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
  ])
})

const POD_TEMPLATE: KubeObject = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 'n' },
  template: TEMPLATE,
}

test("PodTemplate: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(POD_TEMPLATE, [['template.spec.containers', [], 'template.spec.containers: Required value']])
})
