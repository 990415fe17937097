import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { LABEL, QUALIFIED, refuses } from './testing.fixture.js'

const SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { ports: [{ port: 80 }], selector: { app: 'x' }, clusterIP: 'None', clusterIPs: ['None'] },
}

test("Service: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(SERVICE, [
    ['metadata.name', 'A', `metadata.name: Invalid value: "A": ${LABEL}`],
    ['metadata.name', 'a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'],
    [
      'spec.ports',
      [{ port: 0 }],
      [
        'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'spec.ports',
      [{ port: 80 }, { port: 81 }],
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      'spec.ports',
      [
        { port: 80, name: 'a' },
        { port: 80, name: 'b' },
      ],
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
    [
      'spec.ports',
      [
        { port: 80, name: 'a' },
        { port: 81, name: 'a' },
      ],
      'spec.ports[1].name: Duplicate value: "a"',
    ],
    [
      'spec.ports',
      [{ port: 80, protocol: 'x', targetPort: 'A' }],
      [
        'spec.ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
        'spec.ports[0].targetPort: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.ports[0].targetPort: Invalid value: "A": must contain at least one letter (a-z)',
      ],
    ],
    [
      'spec.ports',
      [{ port: 80, nodePort: 30000 }],
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      'spec.type',
      'Foo',
      'spec.type: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      'spec.type',
      'NodePort',
      `spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`,
    ],
    [
      'spec.sessionAffinity',
      'Foo',
      'spec.sessionAffinity: Unsupported value: "Foo": supported values: "ClientIP", "None"',
    ],
    ['spec.selector', { 'a b': 'c' }, `spec.selector: Invalid value: "a b": ${QUALIFIED}`],
    [
      'spec.externalIPs',
      ['127.0.0.1', 'x'],
      [
        'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'spec.externalIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    [
      'spec.loadBalancerClass',
      'x',
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      'spec.loadBalancerSourceRanges',
      ['10.0.0.0/8'],
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      'spec.externalTrafficPolicy',
      'Local',
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
    [
      'spec.internalTrafficPolicy',
      'Foo',
      'spec.internalTrafficPolicy: Unsupported value: "Foo": supported values: "Cluster", "Local"',
    ],
    [
      'spec.healthCheckNodePort',
      3,
      "spec.healthCheckNodePort: Invalid value: 3: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ],
    [
      'spec.allocateLoadBalancerNodePorts',
      true,
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      'spec.trafficDistribution',
      'Foo',
      'spec.trafficDistribution: Unsupported value: "Foo": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
    ],
    ['spec.ports[0].appProtocol', 'a b', `spec.ports[0].appProtocol: Invalid value: "a b": ${QUALIFIED}`],
  ])
})
