import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { AGE, column } from './column.js'
import { dig, type Fields, fieldsOf, integer, itemsOf, spec, status, text } from './fields.js'
import { firstFew } from './format.js'

const SHOWN_METRICS = 2
const UNKNOWN = '<unknown>'

export const AUTOSCALER_COLUMNS: readonly Column[] = [
  column('Reference', 'The scaled object.', (object) => {
    const { kind, name } = fieldsOf(spec(object).scaleTargetRef)
    return `${text(kind)}/${text(name)}`
  }),
  column('Targets', 'Current and target metrics.', targets),
  column('MinPods', 'Minimum number of pods.', (object) => {
    const least = spec(object).minReplicas
    return typeof least === 'number' ? `${least}` : '<unset>'
  }),
  column('MaxPods', 'Maximum number of pods.', (object) => integer(spec(object).maxReplicas)),
  column('Replicas', 'Current number of pods.', (object) => integer(status(object).currentReplicas)),
  AGE,
]

function targets(autoscaler: KubeObject): string {
  const metrics = itemsOf(spec(autoscaler).metrics)
  if (metrics.length === 0) return cpuTarget(autoscaler)
  const current = itemsOf(status(autoscaler).currentMetrics)
  return firstFew(
    metrics.map((metric, index) => metricText(metric, current[index])),
    SHOWN_METRICS,
    ', ',
  )
}

/** autoscaling/v1 has only one metric. */
function cpuTarget(autoscaler: KubeObject): string {
  const target = spec(autoscaler).targetCPUUtilizationPercentage
  if (typeof target !== 'number') return '<none>'
  return `cpu: ${percentage(status(autoscaler).currentCPUUtilizationPercentage) ?? UNKNOWN}/${target}%`
}

const SOURCE_FIELDS: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
}

function metricText(metric: Fields, observed: Fields | undefined): string {
  const type = text(metric.type)
  const source = Object.hasOwn(SOURCE_FIELDS, type) ? SOURCE_FIELDS[type] : undefined
  if (source === undefined) return '<unknown type>'
  const wanted = fieldsOf(metric[source])
  const target = fieldsOf(wanted.target)
  const current = fieldsOf(dig(observed, source, 'current'))
  const average = amount(target.averageValue)
  switch (type) {
    case 'Pods':
      return `${amount(current.averageValue) ?? UNKNOWN}/${average ?? '0'}`
    case 'External':
    case 'Object':
      if (average !== undefined) return `${amount(current.averageValue) ?? UNKNOWN}/${average} (avg)`
      return `${amount(current.value) ?? UNKNOWN}/${amount(target.value) ?? '0'}`
    default:
      if (average !== undefined) return `${text(wanted.name)}: ${amount(current.averageValue) ?? UNKNOWN}/${average}`
      return `${text(wanted.name)}: ${percentage(current.averageUtilization) ?? UNKNOWN}/${percentage(target.averageUtilization) ?? '<auto>'}`
  }
}

function amount(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function percentage(value: unknown): string | undefined {
  return typeof value === 'number' ? `${value}%` : undefined
}
