import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { QUALIFIED, refuses, SUBDOMAIN } from './testing.fixture.js'

const INGRESS: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'n' },
  spec: {
    rules: [
      {
        host: 'a.b',
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }] },
      },
    ],
  },
}

test("Ingress: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(INGRESS, [
    ['spec.rules', undefined, 'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    [
      'spec.rules[0].host',
      '1.2.3.4',
      'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ],
    ['spec.rules[0].host', 'A', `spec.rules[0].host: Invalid value: "A": ${SUBDOMAIN}`],
    [
      'spec.rules[0].host',
      'a.*',
      `spec.rules[0].host: Invalid value: "a.*": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.rules[0].http.paths', [], 'spec.rules[0].http.paths: Required value'],
    [
      'spec.rules[0].http.paths[0].pathType',
      undefined,
      'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified',
    ],
    [
      'spec.rules[0].http.paths[0].pathType',
      'Foo',
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "Foo": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    [
      'spec.rules[0].http.paths[0].path',
      'x',
      'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
    ],
    [
      'spec.rules[0].http.paths[0].path',
      '/a//b/..',
      [
        `spec.rules[0].http.paths[0].path: Invalid value: "/a//b/..": must not contain '//'`,
        `spec.rules[0].http.paths[0].path: Invalid value: "/a//b/..": cannot end with '/..'`,
      ],
    ],
    [
      'spec.rules[0].http.paths[0].backend',
      {},
      'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.name',
      '',
      'spec.rules[0].http.paths[0].backend.service.name: Required value',
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.port',
      {},
      'spec.rules[0].http.paths[0].backend: Required value: port name or number is required',
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.port',
      { name: 'a', number: 3 },
      'spec.rules[0].http.paths[0].backend: Invalid value: "": cannot set both port name & port number',
    ],
    [
      'spec.rules[0].http.paths[0].backend.resource',
      { kind: 'K', name: 'n' },
      'spec.rules[0].http.paths[0].backend: Invalid value: "": cannot set both resource and service backends',
    ],
    [
      'spec.tls',
      [{ hosts: ['A'], secretName: 'A_' }],
      [
        `spec.tls[0].hosts[0]: Invalid value: "A": ${SUBDOMAIN}`,
        `spec.tls[0].secretName: Invalid value: "A_": ${SUBDOMAIN}`,
      ],
    ],
    ['spec.ingressClassName', 'A_', `spec.ingressClassName: Invalid value: "A_": ${SUBDOMAIN}`],
    [
      'spec.defaultBackend',
      { resource: { kind: '', name: 'a/b' } },
      [
        'spec.defaultBackend.resource.kind: Required value',
        `spec.defaultBackend.resource.name: Invalid value: "a/b": may not contain '/'`,
      ],
    ],
  ])
})

const INGRESS_CLASS: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'n' },
  spec: { controller: 'a.b/c', parameters: { kind: 'K', name: 'n' } },
}

test("IngressClass: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(INGRESS_CLASS, [
    ['spec.controller', '', 'spec.controller: Required value'],
    [
      'spec.controller',
      'foo',
      'spec.controller: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      'spec.controller',
      'a.b/cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',
      'spec.controller: Too long: may not be more than 250 bytes',
    ],
    [
      'spec.controller',
      'a.b/ c',
      `spec.controller: Invalid value: " c": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
    ],
    [
      'spec.parameters.scope',
      'Foo',
      'spec.parameters.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespace"',
    ],
    [
      'spec.parameters.scope',
      'Namespace',
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
    ['spec.parameters.namespace', 'x', "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ['spec.parameters.kind', '', 'spec.parameters.kind: Required value'],
  ])
})

const NETWORK_POLICY: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'n' },
  spec: {
    podSelector: {},
    ingress: [{ ports: [{ port: 80 }], from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }],
  },
}

test("NetworkPolicy: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(NETWORK_POLICY, [
    [
      'spec.ingress[0].ports[0].port',
      0,
      'spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'spec.ingress[0].ports[0].port',
      'A_',
      [
        'spec.ingress[0].ports[0].port: Invalid value: "A_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.ingress[0].ports[0].port: Invalid value: "A_": must contain at least one letter (a-z)',
      ],
    ],
    [
      'spec.ingress[0].ports[0].endPort',
      3,
      'spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
    ],
    [
      'spec.ingress[0].ports[0].protocol',
      'x',
      'spec.ingress[0].ports[0].protocol: Unsupported value: "x": supported values: "TCP", "UDP", "SCTP"',
    ],
    ['spec.ingress[0].from[0]', {}, 'spec.ingress[0].from[0]: Required value: must specify a peer'],
    [
      'spec.ingress[0].from[0].ipBlock.cidr',
      'x',
      'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    ['spec.ingress[0].from[0].ipBlock.cidr', '', 'spec.ingress[0].from[0].ipBlock.cidr: Required value'],
    [
      'spec.ingress[0].from[0].ipBlock.except',
      ['11.0.0.0/8'],
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/8": must be a strict subset of `cidr`',
    ],
    [
      'spec.ingress[0].from[0].podSelector',
      {},
      'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
    ],
    [
      'spec.policyTypes',
      ['Foo'],
      'spec.policyTypes[0]: Unsupported value: "Foo": supported values: "Ingress", "Egress"',
    ],
    [
      'spec.policyTypes',
      ['Ingress', 'Egress', 'Ingress'],
      'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
    ],
    [
      'spec.podSelector',
      { matchLabels: { 'a b': 'c' } },
      `spec.podSelector.matchLabels: Invalid value: "a b": ${QUALIFIED}`,
    ],
    [
      'spec.ingress[0].from[0].ipBlock.cidr',
      '10.0.0.1/8',
      'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
    ],
  ])
})

test('IPAddress: requires the address as name and a parent reference', () => {
  const address: KubeObject = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: '10.0.0.1' },
    spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } },
  }
  refuses(address, [
    [
      'metadata.name',
      'a',
      'metadata.name: Invalid value: "a": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    ['spec.parentRef', undefined, 'spec.parentRef: Required value'],
    ['spec.parentRef.resource', '', 'spec.parentRef.resource: Required value'],
    ['spec.parentRef.name', '', 'spec.parentRef.name: Required value'],
  ])
})
