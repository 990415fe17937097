import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { refuses } from './testing.fixture.js'

const RESOURCE_QUOTA: KubeObject = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'n' },
  spec: { hard: { cpu: '1', pods: '3' } },
}

test("ResourceQuota: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(RESOURCE_QUOTA, [
    [
      'spec.hard',
      { foo: '1' },
      [
        'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
      ],
    ],
    ['spec.hard', { pods: '1.5' }, 'spec.hard[pods]: Invalid value: "1500m": must be an integer'],
    ['spec.hard', { cpu: '-1' }, 'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ['spec.scopes', ['Foo'], 'spec.scopes: Invalid value: ["Foo"]: unsupported scope'],
    [
      'spec.scopes',
      ['BestEffort', 'NotBestEffort'],
      [
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
      ],
    ],
    [
      'spec.scopeSelector',
      { matchExpressions: [{ scopeName: 'Foo', operator: 'In' }] },
      [
        'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Foo": unsupported scope',
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
    [
      'spec.scopeSelector',
      { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] }] },
      "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ],
  ])
})

const LIMIT_RANGE: KubeObject = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'n' },
  spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '100m' } }] },
}

test("LimitRange: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(LIMIT_RANGE, [
    [
      'spec.limits[0].type',
      'Foo',
      'spec.limits[0].type: Invalid value: "Foo": must be a standard limit type or fully qualified',
    ],
    [
      'spec.limits[0].min.cpu',
      '2',
      [
        'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      ],
    ],
    [
      'spec.limits[0].default',
      { cpu: '5' },
      [
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "5": default request value 5 is greater than max value 1',
        'spec.limits[0].default[cpu]: Invalid value: "1": default value 5 is greater than max value 1',
      ],
    ],
    [
      'spec.limits[0].max',
      { foo: '1' },
      [
        'spec.limits[0].max[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.limits[0].max[foo]: Invalid value: "foo": must be a standard resource for containers',
        'spec.limits[0].default[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.limits[0].default[foo]: Invalid value: "foo": must be a standard resource for containers',
        'spec.limits[0].defaultRequest[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.limits[0].defaultRequest[foo]: Invalid value: "foo": must be a standard resource for containers',
      ],
    ],
    ['spec.limits[1]', { type: 'Container' }, 'spec.limits[1].type: Duplicate value: "Container"'],
    [
      'spec.limits[0]',
      { type: 'Pod', default: { cpu: '1' } },
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ],
    [
      'spec.limits[0]',
      { type: 'PersistentVolumeClaim' },
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
    [
      'spec.limits[0].maxLimitRequestRatio',
      { cpu: '0.5' },
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ],
    [
      'spec.limits[0].maxLimitRequestRatio',
      { cpu: '20' },
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "20": ratio 20 is greater than max/min = 10.000000',
    ],
    [
      'spec.limits[0].defaultRequest',
      { cpu: '50m' },
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "50m": min value 100m is greater than default request value 50m',
    ],
  ])
})
