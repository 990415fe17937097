import test from 'node:test'
import { POD } from '../samples.fixture.js'
import { LABEL, LABEL_VALUE, QUALIFIED, refuses, SUBDOMAIN } from '../testing.fixture.js'

test("Pod: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(POD, [
    ['metadata.name', 'A_b', `metadata.name: Invalid value: "A_b": ${SUBDOMAIN}`],
    [
      'metadata.name',
      'a'.repeat(254),
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 253 characters',
    ],
    ['metadata.labels', { 'a b': 'c' }, `metadata.labels: Invalid value: "a b": ${QUALIFIED}`],
    ['metadata.labels', { a: 'b c' }, `metadata.labels: Invalid value: "b c": ${LABEL_VALUE}`],
    [
      'metadata.labels',
      { ['k'.repeat(64)]: 'v' },
      'metadata.labels: Invalid value: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk": name part must be no more than 63 bytes',
    ],
    [
      'metadata.labels',
      { a: 'v'.repeat(64) },
      'metadata.labels: Invalid value: "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv": must be no more than 63 bytes',
    ],
    ['metadata.annotations', { 'A b': 'c' }, `metadata.annotations: Invalid value: "A b": ${QUALIFIED}`],
    [
      'metadata.annotations',
      { a: 'x'.repeat(262145) },
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ],
    [
      'metadata.finalizers',
      ['foo'],
      'metadata.finalizers[0]: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
    ],
    ['metadata.finalizers', ['a b/c'], `metadata.finalizers: Invalid value: "a b/c": prefix part ${SUBDOMAIN}`],
    [
      'metadata.finalizers',
      ['orphan', 'foregroundDeletion'],
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
    [
      'metadata.ownerReferences',
      [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '' }],
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
    [
      'metadata.ownerReferences',
      [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'y' }],
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"y"}: /v1, Kind=Event is disallowed from being an owner',
    ],
    [
      'metadata.ownerReferences',
      [
        { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: '1', controller: true },
        { apiVersion: 'v1', kind: 'Pod', name: 'y', uid: '2', controller: true },
      ],
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"x","uid":"1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"y","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/y',
    ],
    ['metadata.generateName', 'A_', `metadata.generateName: Invalid value: "A_": ${SUBDOMAIN}`],
    [
      'spec.restartPolicy',
      'Foo',
      'spec.restartPolicy: Unsupported value: "Foo": supported values: "Always", "OnFailure", "Never"',
    ],
    [
      'spec.dnsPolicy',
      'Foo',
      'spec.dnsPolicy: Unsupported value: "Foo": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
    ['spec.dnsPolicy', 'None', 'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    [
      'spec.dnsConfig',
      { nameservers: ['x', '10.0.0.01'], searches: ['a_b', 'A'], options: [{}] },
      [
        'spec.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'spec.dnsConfig.nameservers[1]: Invalid value: "10.0.0.01": must not have leading 0s',
        `spec.dnsConfig.searches[1]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')`,
        'spec.dnsConfig.options[0]: Required value: must not be empty',
      ],
    ],
    [
      'spec.nodeSelector',
      { 'a b': 'c d' },
      [
        `spec.nodeSelector: Invalid value: "a b": ${QUALIFIED}`,
        `spec.nodeSelector: Invalid value: "c d": ${LABEL_VALUE}`,
      ],
    ],
    ['spec.serviceAccountName', 'A_', `spec.serviceAccountName: Invalid value: "A_": ${SUBDOMAIN}`],
    ['spec.nodeName', 'A_', `spec.nodeName: Invalid value: "A_": ${SUBDOMAIN}`],
    [
      'spec.activeDeadlineSeconds',
      0,
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
    ['spec.hostname', 'a.b', 'spec.hostname: Invalid value: "a.b": must not contain dots'],
    ['spec.subdomain', 'A', `spec.subdomain: Invalid value: "A": ${LABEL}`],
    [
      'spec.tolerations',
      [{ key: 'a b', operator: 'Exists' }],
      `spec.tolerations[0].key: Invalid value: "a b": ${QUALIFIED}`,
    ],
    [
      'spec.tolerations',
      [{ operator: 'Equal' }],
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
    [
      'spec.tolerations',
      [{ key: 'a', operator: 'Exists', value: 'x' }],
      'spec.tolerations[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\'',
    ],
    [
      'spec.tolerations',
      [{ key: 'a', operator: 'Foo', effect: 'Bar', tolerationSeconds: 3 }],
      [
        'spec.tolerations[0].effect: Invalid value: "Bar": effect must be \'NoExecute\' when `tolerationSeconds` is set',
        'spec.tolerations[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists"',
        'spec.tolerations[0].effect: Unsupported value: "Bar": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    [
      'spec.hostAliases',
      [{ ip: 'x', hostnames: ['A_'] }],
      [
        'spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        `spec.hostAliases[0].hostnames[0]: Invalid value: "A_": ${SUBDOMAIN}`,
      ],
    ],
    ['spec.runtimeClassName', 'A_', `spec.runtimeClassName: Invalid value: "A_": ${SUBDOMAIN}`],
    [
      'spec.preemptionPolicy',
      'Foo',
      'spec.preemptionPolicy: Unsupported value: "Foo": supported values: "PreemptLowerPriority", "Never"',
    ],
    [
      'spec.securityContext',
      {
        fsGroup: -1,
        supplementalGroups: [-3],
        sysctls: [
          { name: 'A', value: 'x' },
          { name: 'kernel.x', value: '' },
          { name: 'kernel.x', value: '' },
        ],
      },
      [
        'spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive',
        'spec.securityContext.supplementalGroups[0]: Invalid value: -3: must be between 0 and 2147483647, inclusive',
        'spec.securityContext.sysctls[0].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        'spec.securityContext.sysctls[2].name: Duplicate value: "kernel.x"',
      ],
    ],
    [
      'spec.securityContext',
      { fsGroupChangePolicy: 'Foo', supplementalGroupsPolicy: 'X' },
      [
        'spec.securityContext.fsGroupChangePolicy: Unsupported value: "Foo": supported values: "Always", "OnRootMismatch"',
        'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "X": supported values: "Merge", "Strict"',
      ],
    ],
    ['spec.os', { name: 'foo' }, 'spec.os: Unsupported value: "foo": supported values: "linux", "windows"'],
    [
      'spec.schedulingGates',
      [{ name: 'a b' }, { name: 'x' }, { name: 'x' }],
      [`spec.schedulingGates[0]: Invalid value: "a b": ${QUALIFIED}`, 'spec.schedulingGates[2]: Duplicate value: "x"'],
    ],
    [
      'spec.readinessGates',
      [{ conditionType: 'a b' }],
      `spec.readinessGates[0].conditionType: Invalid value: "a b": ${QUALIFIED}`,
    ],
    [
      'spec.topologySpreadConstraints',
      [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Foo' }],
      [
        'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Foo": supported values: "DoNotSchedule", "ScheduleAnyway"',
      ],
    ],
    [
      'spec.topologySpreadConstraints',
      [
        { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' },
      ],
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{a, DoNotSchedule}"',
    ],
    [
      'spec.topologySpreadConstraints',
      [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2, labelSelector: {} }],
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
    ],
    [
      'spec.affinity',
      { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
    [
      'spec.affinity',
      {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a b', operator: 'Foo', values: ['x y'] },
                  { key: 'a', operator: 'In' },
                  { key: 'a', operator: 'Exists', values: ['a'] },
                  { key: 'a', operator: 'Gt' },
                ],
                matchFields: [{ key: 'x', operator: 'In', values: ['a'] }],
              },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, preference: {} }],
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "a b": ${QUALIFIED}`,
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "x": not a valid field selector key',
        `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "x y": ${LABEL_VALUE}`,
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
      ],
    ],
    [
      'spec.affinity',
      {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }],
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 101,
              podAffinityTerm: {
                topologyKey: 'a b',
                namespaces: ['A'],
                labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
              },
            },
          ],
        },
      },
      [
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty',
        `spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": ${QUALIFIED}`,
        'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
        "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        `spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespace: Invalid value: "A": ${LABEL}`,
        `spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey: Invalid value: "a b": ${QUALIFIED}`,
      ],
    ],
    ['spec.priorityClassName', 'A_', `spec.priorityClassName: Invalid value: "A_": ${SUBDOMAIN}`],
    [
      'metadata.annotations',
      { 'kubernetes.io/config.mirror': 'x' },
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ],
    [
      'metadata.annotations',
      { 'controller.kubernetes.io/pod-deletion-cost': 'abc' },
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "abc": must be a 32bit integer',
    ],
  ])
})
