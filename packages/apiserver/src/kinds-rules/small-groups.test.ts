import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { LABEL, QUALIFIED, refuses, SUBDOMAIN } from './testing.fixture.js'

const POD_DISRUPTION_BUDGET: KubeObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'n' },
  spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
}

test("PodDisruptionBudget: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(POD_DISRUPTION_BUDGET, [
    [
      'spec.maxUnavailable',
      1,
      'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
    ['spec.minAvailable', '150%', 'spec.minAvailable: Invalid value: "150%": must not be greater than 100%'],
    ['spec.minAvailable', -1, 'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.minAvailable',
      'x',
      `spec.minAvailable: Invalid value: "x": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ],
    [
      'spec.unhealthyPodEvictionPolicy',
      'Foo',
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "Foo": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
    ['spec.selector.matchLabels', { 'a b': 'c' }, `spec.selector.matchLabels: Invalid value: "a b": ${QUALIFIED}`],
  ])
})

const PRIORITY_CLASS: KubeObject = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'h' },
  value: 10,
}

test("PriorityClass: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(PRIORITY_CLASS, [
    ['value', 2000000000, 'value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
    [
      'metadata.name',
      'system-foo',
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-foo is not a known system priority class",
    ],
    [
      'preemptionPolicy',
      'Foo',
      'preemptionPolicy: Unsupported value: "Foo": supported values: "PreemptLowerPriority", "Never"',
    ],
  ])
})

const LEASE: KubeObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'h' },
  spec: { leaseDurationSeconds: 10 },
}

test("Lease: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(LEASE, [
    ['spec.leaseDurationSeconds', 0, 'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
    ['spec.leaseTransitions', -1, 'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
    ['metadata.name', 'A_', `metadata.name: Invalid value: "A_": ${SUBDOMAIN}`],
  ])
})

const ENDPOINT_SLICE: KubeObject = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'h' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.1.1.1'] }],
  ports: [{ port: 80 }],
}

test("EndpointSlice: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(ENDPOINT_SLICE, [
    ['addressType', '', 'addressType: Required value'],
    ['addressType', 'Foo', 'addressType: Unsupported value: "Foo": supported values: "FQDN", "IPv4", "IPv6"'],
    ['endpoints[0].addresses', [], 'endpoints[0].addresses: Required value: must contain at least 1 address'],
    [
      'endpoints[0].addresses',
      ['x'],
      'endpoints[0].addresses[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'endpoints[0].addresses',
      ['::1'],
      [
        'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
        'endpoints[0].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    ['ports[1]', { port: 3 }, 'ports[1].name: Duplicate value: ""'],
    ['ports[0].protocol', 'x', 'ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"'],
    ['ports[0].name', 'A_', `ports[0].name: Invalid value: "A_": ${LABEL}`],
    ['endpoints[0].hostname', 'A_', `endpoints[0].hostname: Invalid value: "A_": ${LABEL}`],
    ['endpoints[0].nodeName', 'A_', `endpoints[0].nodeName: Invalid value: "A_": ${SUBDOMAIN}`],
  ])
})

const RUNTIME_CLASS: KubeObject = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'h' },
  handler: 'x',
}

test("RuntimeClass: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(RUNTIME_CLASS, [
    ['handler', '', 'handler: Required value'],
    ['handler', 'A_', `handler: Invalid value: "A_": ${LABEL}`],
    [
      'overhead',
      { podFixed: { foo: '1' } },
      [
        'overhead.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'overhead.limits[foo]: Invalid value: "foo": must be a standard resource for containers',
      ],
    ],
  ])
})
