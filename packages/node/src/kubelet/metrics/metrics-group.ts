import type { Pod } from '@orrery/kinds'
import {
  badRequest,
  type FieldSelector,
  formatTime,
  notFound,
  ParseError,
  parseFieldSelector,
  parseLabelSelector,
} from '@orrery/kinds/values'
import type { Usage } from './process-usage.js'

const API_VERSION = 'metrics.k8s.io/v1beta1'

/** The usage of a node and of the containers of its pods. */
export interface NodeUsage {
  readonly name: string
  readonly usage: Usage
  readonly pods: readonly { readonly pod: Pod; readonly containers: ReadonlyMap<string, Usage> }[]
}

/** The part of an HTTP connection of the API server that a handler needs. */
interface MetricsExchange {
  reply(status: number, headers: Record<string, string>, body: Buffer): void
}

export interface MetricsTarget {
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly query: { get(key: string): string }
}

/** An API group in the form that the embedded API server takes. */
export interface MetricsGroup {
  readonly group: string
  readonly version: string
  readonly resources: readonly {
    readonly plural: string
    readonly kind: string
    readonly namespaced: boolean
    readonly verbs: readonly ('get' | 'list')[]
  }[]
  serve(exchange: MetricsExchange, target: MetricsTarget): Promise<void>
}

/** Returns the API group that `kubectl top` reads. */
export function metricsGroup(measure: () => Promise<readonly NodeUsage[]>, now: () => Date): MetricsGroup {
  return {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    resources: [
      { plural: 'nodes', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] },
      { plural: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] },
    ],
    async serve(exchange, target) {
      const nodes = await measure()
      const isNodes = target.resource === 'nodes'
      const common = { timestamp: formatTime(now()), window: '10s' }
      const all = isNodes ? nodeMetrics(nodes, common) : podMetrics(nodes, common, target)
      const selector = fieldSelectorOf(target)
      const items = all.filter(({ metadata }) => selector.matches((field) => fieldOf(metadata, field)))
      const body =
        target.name === '' ? listOf(isNodes ? 'NodeMetricsList' : 'PodMetricsList', items) : one(items, target)
      exchange.reply(200, { 'Content-Type': 'application/json' }, Buffer.from(JSON.stringify(body)))
    },
  }
}

interface Metrics {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** The fields that field selectors support for every kind. */
const SELECTABLE = new Set(['metadata.name', 'metadata.namespace'])

function fieldSelectorOf({ query }: MetricsTarget): FieldSelector {
  const selector = selectorOf(() => parseFieldSelector(query.get('fieldSelector')))
  const unknown = selector.requirements.find(({ field }) => !SELECTABLE.has(field))
  if (unknown !== undefined) throw badRequest(`field label not supported: ${unknown.field}`)
  return selector
}

function selectorOf<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof ParseError ? badRequest(error.message) : error
  }
}

function fieldOf({ name, namespace = '' }: Metrics['metadata'], field: string): string {
  return field === 'metadata.name' ? name : namespace
}

interface Common {
  readonly timestamp: string
  readonly window: string
}

function nodeMetrics(nodes: readonly NodeUsage[], common: Common): Metrics[] {
  return nodes.map(({ name, usage }) => ({
    kind: 'NodeMetrics',
    apiVersion: API_VERSION,
    metadata: { name, creationTimestamp: common.timestamp },
    ...common,
    usage: quantities(usage),
  }))
}

function podMetrics(nodes: readonly NodeUsage[], common: Common, { namespace, query }: MetricsTarget): Metrics[] {
  const selector = selectorOf(() => parseLabelSelector(query.get('labelSelector')))
  return nodes
    .flatMap(({ pods }) => pods)
    .filter(({ pod: { metadata } }) => namespace === '' || metadata.namespace === namespace)
    .filter(({ pod: { metadata } }) => selector.matches(metadata.labels ?? {}))
    .map(({ pod: { metadata }, containers }) => ({
      kind: 'PodMetrics',
      apiVersion: API_VERSION,
      metadata: {
        name: metadata.name,
        namespace: metadata.namespace,
        ...(metadata.labels !== undefined && { labels: metadata.labels }),
        creationTimestamp: common.timestamp,
      },
      ...common,
      containers: Array.from(containers, ([name, usage]) => ({ name, usage: quantities(usage) })),
    }))
}

function quantities({ cores, bytes }: Usage): Record<string, string> {
  return { cpu: `${Math.round(cores * 1e9)}n`, memory: `${Math.round(bytes / 1024)}Ki` }
}

function listOf(kind: string, items: readonly Metrics[]): object {
  return { kind, apiVersion: API_VERSION, metadata: {}, items }
}

function one(items: readonly Metrics[], { resource, name }: MetricsTarget): Metrics {
  const found = items.find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw notFound({ group: 'metrics.k8s.io', resource }, name)
  return found
}
