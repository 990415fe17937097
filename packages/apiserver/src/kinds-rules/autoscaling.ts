import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  isDNS1123Label,
  isObject,
  isPathSegmentName,
  parseGroupVersion,
} from '@orrery/kinds/values'
import type { ObjectChange } from './change.js'
import { between, type Check, named, nonNegative, positive, type StructCheck, strictlyOneOf, struct } from './check.js'
import { type GroupRules, NAMESPACED } from './kind.js'
import { checkContainerResourceName, isPositive, nonNegativeQuantity, shown } from './quantities.js'
import { childOf, has, listOf, numberOf, optionalNumber, structsOf, textOf } from './read.js'

const MAX_PERIOD = 1800
const MAX_WINDOW = 3600
const METRIC_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue']

function objectReference(groupRequired: boolean): StructCheck {
  return struct({
    kind: named(isPathSegmentName),
    name: named(isPathSegmentName),
    '. version': (ref, at, errors) => {
      const text = textOf(ref, 'apiVersion')
      const version = parseGroupVersion(text)
      const report = (detail: string) => errors.push(fieldInvalid(`${at}.apiVersion`, text, detail))
      if (version === undefined) report(`unexpected GroupVersion string: ${text}`)
      else if (groupRequired && version.group === '') report('apiVersion must specify API group')
    },
  })
}

const target: StructCheck = (value, at, errors) => {
  const type = textOf(value, 'type')
  if (type === '') errors.push(fieldRequired(`${at}.type`, 'must specify a metric target type'))
  if (!TARGET_TYPES.includes(type)) {
    errors.push(fieldInvalid(`${at}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  }
  for (const name of ['value', 'averageValue']) {
    if (has(value, name) && !isPositive(value[name])) {
      errors.push(fieldInvalid(`${at}.${name}`, shown(value[name]), 'must be positive'))
    }
  }
  const utilization = optionalNumber(value, 'averageUtilization')
  if (utilization !== undefined && utilization < 1) {
    errors.push(fieldInvalid(`${at}.averageUtilization`, utilization, 'must be greater than 0'))
  }
}

const metricName = named(isPathSegmentName, 'must specify a metric name')

/** Requires one of two targets, and not both if `both` is set. */
function targets(
  a: string,
  b: string,
  neither: readonly [string, string],
  both?: readonly [string, string],
): StructCheck {
  return (source, at, errors) => {
    const value = childOf(source, 'target')
    if (!has(value, a) && !has(value, b)) errors.push(fieldRequired(`${at}.target.${neither[0]}`, neither[1]))
    if (both && has(value, a) && has(value, b)) errors.push(fieldForbidden(`${at}.target.${both[0]}`, both[1]))
  }
}

const utilizationOrValue = targets(
  'averageUtilization',
  'averageValue',
  ['averageUtilization', 'must set either a target raw value or a target utilization'],
  ['averageValue', 'may not set both a target raw value and a target utilization'],
)

const resourceName: Check = (value, at, errors) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') errors.push(fieldRequired(at, 'must specify a resource name'))
}

const SOURCES: readonly (readonly [string, StructCheck])[] = [
  [
    'object',
    struct({
      describedObject: objectReference(false),
      'metric.name': metricName,
      target,
      '. targets': targets('value', 'averageValue', ['averageValue', 'must set either a target value or averageValue']),
    }),
  ],
  [
    'external',
    struct({
      'metric.name': metricName,
      target,
      '. targets': targets(
        'value',
        'averageValue',
        ['averageValue', 'must set either a target value for metric or a per-pod target'],
        ['value', 'may not set both a target value for metric and a per-pod target'],
      ),
    }),
  ],
  [
    'pods',
    struct({
      'metric.name': metricName,
      target,
      '. targets': targets('averageValue', 'averageValue', [
        'averageValue',
        'must specify a positive target averageValue',
      ]),
    }),
  ],
  ['resource', struct({ name: resourceName, target, '. targets': utilizationOrValue })],
  [
    'containerResource',
    struct({
      name: [
        resourceName,
        (value, at, errors) => {
          if (typeof value === 'string' && value !== '') checkContainerResourceName(value, at, errors)
        },
      ],
      container: named(isDNS1123Label, 'must specify a container'),
      target,
      '. targets': utilizationOrValue,
    }),
  ],
]

const metric: StructCheck = (spec, at, errors) => {
  const type = textOf(spec, 'type')
  if (type === '') errors.push(fieldRequired(`${at}.type`, 'must specify a metric source type'))
  if (!METRIC_TYPES.includes(type)) errors.push(fieldNotSupported(`${at}.type`, type, METRIC_TYPES))
  const present = SOURCES.filter(([name]) => has(spec, name))
  const [first] = present
  if (first !== undefined) first[1](childOf(spec, first[0]) ?? {}, `${at}.${first[0]}`, errors)
  const expected = type.charAt(0).toLowerCase() + type.slice(1)
  if (METRIC_TYPES.includes(type) && !has(spec, expected)) {
    errors.push(fieldRequired(`${at}.${expected}`, 'must populate information for the given metric source'))
  }
  if (present.length === 1) return
  for (const [name] of present) {
    if (name !== expected) errors.push(fieldForbidden(`${at}.${name}`, 'must populate the given metric source only'))
  }
}

const scalingRules: StructCheck = struct({
  '. window': (rules, at, errors) => {
    const window = optionalNumber(rules, 'stabilizationWindowSeconds') ?? 0
    const path = `${at}.stabilizationWindowSeconds`
    if (window < 0) errors.push(fieldInvalid(path, window, 'must be greater than or equal to zero'))
    if (window > MAX_WINDOW) errors.push(fieldInvalid(path, window, `must be less than or equal to ${MAX_WINDOW}`))
  },
  'selectPolicy?': strictlyOneOf('Disabled', 'Max', 'Min'),
  '. policies': (rules, at, errors) => {
    if (listOf(rules, 'policies').length > 0) return
    errors.push(fieldRequired(`${at}.policies`, 'must specify at least one Policy'))
  },
  'policies[].type': strictlyOneOf('Percent', 'Pods'),
  'policies[].value': positive,
  'policies[].periodSeconds': [positive, between(-Infinity, MAX_PERIOD, `must be less than or equal to ${MAX_PERIOD}`)],
  'tolerance?': nonNegativeQuantity,
})

const replicas: StructCheck = (spec, at, errors) => {
  const min = optionalNumber(spec, 'minReplicas')
  const max = numberOf(spec, 'maxReplicas')
  if (min !== undefined && min < 1) {
    errors.push(fieldInvalid(`${at}.minReplicas`, min, 'must be greater than or equal to 1'))
  }
  if (max === 0) errors.push(fieldRequired(`${at}.maxReplicas`, 'must be set and greater than 0'))
  else if (max < 0) errors.push(fieldInvalid(`${at}.maxReplicas`, max, 'must be greater than or equal to 1'))
  if (min !== undefined && max < min) {
    errors.push(fieldInvalid(`${at}.maxReplicas`, max, 'must be greater than or equal to `minReplicas`'))
  }
}

const scaleToZero: StructCheck = (spec, at, errors) => {
  if (spec.minReplicas !== 0) return
  const metrics = structsOf(spec, 'metrics')
  if (metrics.some((one) => one.type === 'Object' || one.type === 'External')) return
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas'
  errors.push(fieldForbidden(`${at}.metrics`, detail))
}

const autoscalerSpec = struct({
  '. replicas': replicas,
  scaleTargetRef: objectReference(true),
  'metrics[]': metric,
  '. zero': scaleToZero,
  'behavior?.scaleUp?': scalingRules,
  'behavior?.scaleDown?': scalingRules,
})

const autoscalerStatus: ObjectChange = (object: JsonObject, _old, errors: FieldError[]) => {
  const status = childOf(object, 'status')
  nonNegative(status?.currentReplicas, 'status.currentReplicas', errors)
  nonNegative(status?.desiredReplicas, 'status.desiredReplicas', errors)
}

const scale: StructCheck = (value, _at, errors) => {
  const spec = isObject(value) ? childOf(value, 'spec') : undefined
  nonNegative(spec?.replicas, 'spec.replicas', errors)
}

export const autoscalingGroup: GroupRules = {
  HorizontalPodAutoscaler: {
    ...NAMESPACED,
    valid: struct({ spec: autoscalerSpec }),
    onUpdate: { status: autoscalerStatus },
  },
  Scale: { ...NAMESPACED, withoutMetadata: true, valid: scale },
}
