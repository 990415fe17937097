import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/**
 * HorizontalPodAutoscaler of autoscaling/v1 has one metric, the CPU utilization. Other fields of a v2 object are stored
 * in annotations, so that a v1 client can read and write it without loss.
 */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'
const CARRIERS = [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR]

/** The default target of v1. */
const DEFAULT_CPU_PERCENT = 80

/** Converts a v2 autoscaler to v1. */
export function autoscalerToV1(object: KubeObject): KubeObject {
  const spec = fieldsOf(object.spec)
  const status = fieldsOf(object.status)
  const metrics = listOf(spec.metrics)
  const current = listOf(status.currentMetrics)
  const others = metrics.filter((metric) => cpuPercent(metric, 'target') === undefined)
  const carried: JsonObject = {}
  if (others.length > 0) carried[METRICS] = JSON.stringify(others.map((metric) => oldMetric(metric, 'target')))
  if (current.length > 0) carried[CURRENT_METRICS] = JSON.stringify(current.map((one) => oldMetric(one, 'current')))
  if (listOf(status.conditions).length > 0) carried[CONDITIONS] = JSON.stringify(status.conditions)
  if (spec.behavior !== undefined) carried[BEHAVIOR] = JSON.stringify(spec.behavior)

  const { metrics: _metrics, behavior: _behavior, ...restSpec } = spec
  const { currentMetrics: _current, conditions: _conditions, ...restStatus } = status
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, carried),
    spec: { ...restSpec, ...named('targetCPUUtilizationPercentage', first(metrics, 'target')) },
    status: { ...restStatus, ...named('currentCPUUtilizationPercentage', first(current, 'current')) },
  }
}

/** Converts a v1 autoscaler to v2. */
export function autoscalerToV2(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = fieldsOf(object.spec)
  const { currentCPUUtilizationPercentage: current, ...status } = fieldsOf(object.status)
  const annotations = fieldsOf(object.metadata.annotations)
  const metrics = parsedList(annotations[METRICS]).map((metric) => newMetric(metric, 'target'))
  if (target !== undefined) metrics.push(cpuMetric('target', target))
  else if (metrics.length === 0) metrics.push(cpuMetric('target', DEFAULT_CPU_PERCENT))
  const observed = parsedList(annotations[CURRENT_METRICS]).map((metric) => newMetric(metric, 'current'))
  if (observed.length === 0 && current !== undefined) observed.push(cpuMetric('current', current))
  const conditions = parsedList(annotations[CONDITIONS])
  const behavior = parsed(annotations[BEHAVIOR])
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object, {}),
    spec: { ...spec, metrics, ...(isObject(behavior) && { behavior }) },
    status: {
      ...status,
      currentMetrics: observed.length === 0 ? null : observed,
      ...(conditions.length > 0 && { conditions }),
    },
  }
}

/** The member of a metric with its values: the target or the current ones. */
type Figures = 'target' | 'current'

const SOURCES = ['object', 'pods', 'resource', 'containerResource', 'external']

/** Returns a metric as v1 names its fields. */
function oldMetric(metric: JsonObject, figures: Figures): JsonObject {
  const old: JsonObject = { type: metric.type ?? '' }
  for (const source of SOURCES) {
    const given = metric[source]
    if (!isObject(given)) continue
    const { [figures]: amounts, metric: identifier, describedObject, ...rest } = given
    const { name, selector } = fieldsOf(identifier)
    const { value, averageValue, averageUtilization } = fieldsOf(amounts)
    old[source] = {
      ...rest,
      ...named('target', describedObject),
      ...named('metricName', name),
      ...named(source === 'external' ? 'metricSelector' : 'selector', selector),
      ...named(`${figures}Value`, value),
      ...named(source === 'object' ? 'averageValue' : `${figures}AverageValue`, averageValue),
      ...named(`${figures}AverageUtilization`, averageUtilization),
    }
  }
  return old
}

/** Returns a metric as v2 names its fields. */
function newMetric(metric: JsonObject, figures: Figures): JsonObject {
  const made: JsonObject = { type: metric.type ?? '' }
  for (const source of SOURCES) {
    const given = metric[source]
    if (!isObject(given)) continue
    const amounts: JsonObject = {
      ...named('value', given[`${figures}Value`]),
      ...named('averageValue', given[source === 'object' ? 'averageValue' : `${figures}AverageValue`]),
      ...named('averageUtilization', given[`${figures}AverageUtilization`]),
    }
    const selector = given[source === 'external' ? 'metricSelector' : 'selector']
    made[source] = {
      ...named('name', given.name),
      ...named('container', given.container),
      ...named('describedObject', given.target),
      ...(given.metricName !== undefined && { metric: { name: given.metricName, ...named('selector', selector) } }),
      [figures]: figures === 'target' ? { type: targetType(amounts), ...amounts } : amounts,
    }
  }
  return made
}

function targetType(amounts: JsonObject): string {
  if (amounts.averageUtilization !== undefined) return 'Utilization'
  return amounts.averageValue === undefined ? 'Value' : 'AverageValue'
}

function cpuMetric(figures: Figures, percent: JsonValue): JsonObject {
  const amounts = { ...(figures === 'target' && { type: 'Utilization' }), averageUtilization: percent }
  return { type: 'Resource', resource: { name: 'cpu', [figures]: amounts } }
}

/** Returns the only value with a field in v1. */
function cpuPercent(metric: JsonObject, figures: Figures): JsonValue | undefined {
  const resource = fieldsOf(metric.resource)
  if (metric.type !== 'Resource' || resource.name !== 'cpu') return undefined
  return fieldsOf(resource[figures]).averageUtilization
}

function first(metrics: readonly JsonObject[], figures: Figures): JsonValue | undefined {
  for (const metric of metrics) {
    const percent = cpuPercent(metric, figures)
    if (percent !== undefined) return percent
  }
  return undefined
}

function withAnnotations(object: KubeObject, carried: JsonObject): KubeObject['metadata'] {
  const { annotations = {}, ...metadata } = object.metadata
  const own = Object.entries(annotations).filter(([key]) => !CARRIERS.includes(key))
  const all = { ...Object.fromEntries(own), ...carried } as Record<string, string>
  return Object.keys(all).length === 0 ? metadata : { ...metadata, annotations: all }
}

function named(key: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value }
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Clients can write annotations, so an invalid one is ignored. */
function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parsedList(text: unknown): JsonObject[] {
  return listOf(parsed(text))
}
