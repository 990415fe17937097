import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { LABEL, refuses } from './testing.fixture.js'

const HORIZONTAL_POD_AUTOSCALER: KubeObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
}

test("HorizontalPodAutoscaler: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(HORIZONTAL_POD_AUTOSCALER, [
    [
      'spec.maxReplicas',
      0,
      [
        'spec.maxReplicas: Required value: must be set and greater than 0',
        'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      ],
    ],
    [
      'spec.maxReplicas',
      -1,
      [
        'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
        'spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`',
      ],
    ],
    ['spec.minReplicas', 5, 'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
    [
      'spec.minReplicas',
      0,
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    ['spec.minReplicas', -1, 'spec.minReplicas: Invalid value: -1: must be greater than or equal to 1'],
    ['spec.scaleTargetRef.kind', '', 'spec.scaleTargetRef.kind: Required value'],
    ['spec.scaleTargetRef.name', 'a/b', `spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/'`],
    [
      'spec.scaleTargetRef.apiVersion',
      'a/b/c',
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    [
      'spec.scaleTargetRef.apiVersion',
      'v1',
      'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group',
    ],
    [
      'spec.metrics',
      [{ type: '' }],
      [
        'spec.metrics[0].type: Required value: must specify a metric source type',
        'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    ],
    [
      'spec.metrics',
      [{ type: 'Resource' }],
      'spec.metrics[0].resource: Required value: must populate information for the given metric source',
    ],
    [
      'spec.metrics',
      [{ type: 'Resource', resource: { name: '', target: { type: 'Foo' } } }],
      [
        'spec.metrics[0].resource.name: Required value: must specify a resource name',
        'spec.metrics[0].resource.target.type: Invalid value: "Foo": must be either Utilization, Value, or AverageValue',
        'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
    ],
    [
      'spec.metrics',
      [{ type: 'Pods', pods: { metric: { name: '' }, target: { type: 'AverageValue', averageValue: '0' } } }],
      [
        'spec.metrics[0].pods.metric.name: Required value: must specify a metric name',
        'spec.metrics[0].pods.target.averageValue: Invalid value: "0": must be positive',
      ],
    ],
    [
      'spec.metrics',
      [
        {
          type: 'External',
          external: { metric: { name: 'x' }, target: { type: 'Value', value: '1', averageValue: '1' } },
        },
      ],
      'spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target',
    ],
    [
      'spec.metrics',
      [
        {
          type: 'Object',
          object: { metric: { name: 'x' }, describedObject: { kind: 'K', name: 'n' }, target: { type: 'Value' } },
        },
      ],
      'spec.metrics[0].object.target.averageValue: Required value: must set either a target value or averageValue',
    ],
    [
      'spec.metrics',
      [
        {
          type: 'ContainerResource',
          containerResource: { name: 'foo', container: 'A', target: { type: 'Utilization', averageUtilization: 0 } },
        },
      ],
      [
        'spec.metrics[0].containerResource.name: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.metrics[0].containerResource.name: Invalid value: "foo": must be a standard resource for containers',
        `spec.metrics[0].containerResource.container: Invalid value: "A": ${LABEL}`,
        'spec.metrics[0].containerResource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      ],
    ],
    [
      'spec.behavior',
      {
        scaleUp: {
          stabilizationWindowSeconds: -1,
          selectPolicy: 'Foo',
          policies: [{ type: 'Foo', value: 0, periodSeconds: 9999 }],
        },
      },
      [
        'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
        'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Foo": supported values: "Disabled", "Max", "Min"',
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Foo": supported values: "Percent", "Pods"',
        'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 9999: must be less than or equal to 1800',
      ],
    ],
  ])
})
