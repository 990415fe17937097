import { isFresh } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { utf8Length } from '@orrery/kinds/values'
import { semanticEqual } from '@orrery/kube/write'
import type { AddonAgent } from '../addon-agent.js'
import { recall, remember } from './memory.js'
import { checkOwn, reportLabels, reportOwner } from './ownership.js'
import { annotationsOf, checkValidity, freshnessFrom, freshnessOf, NOT_WRITTEN, type Report } from './report.js'

/** Values by key. A string is stored as it is, anything else as JSON. */
export type ConfigMapData = Readonly<Record<string, unknown>>

/** What to report in a ConfigMap. */
export interface ConfigMapReport {
  /** The name of the ConfigMap, in the namespace of the cluster on the hub. */
  readonly name: string
  /**
   * The data, or a function that gets the time of the observation. While the data does not change, that time is renewed only
   * when half of the validity is over: a time of the caller's own would cause a write for each report.
   */
  readonly data: ConfigMapData | ((observedAt: string) => ConfigMapData)
  /** How long the report is valid if it is not renewed. Default 600. */
  readonly validitySeconds?: number
}

/** The limit of Kubernetes. */
const MAX_BYTES = 1_048_576
const DEFAULT_VALIDITY_SECONDS = 600

/**
 * Reports data of any structure in a ConfigMap on the hub, up to 1 MiB. Its annotations `addon.orrery.dev/observed-at` and
 * `…/valid-until` say how fresh it is. The hub deletes it with the ManagedClusterAddOn. The agent needs `get`, `create` and
 * `patch` for ConfigMaps in the namespace of its cluster.
 */
export async function reportConfigMap(agent: AddonAgent, report: ConfigMapReport): Promise<Report> {
  const { hub, clusterName: namespace, addonName, clock, signal } = agent
  const { name, validitySeconds = DEFAULT_VALIDITY_SECONDS } = report
  checkValidity(`report ${JSON.stringify(name)}`, validitySeconds)
  const current = recall(agent, ConfigMap, name) ?? (await hub.find(ConfigMap, { namespace, name }, { signal }))
  checkOwn(agent, ConfigMap, current)
  const before = freshnessOf(current?.metadata.annotations)
  const now = clock.now()
  if (current !== undefined && before !== undefined && isFresh(before.validUntil, validitySeconds, now)) {
    if (semanticEqual(current.data, textsOf(report, before.observedAt))) {
      if (recall(agent, ConfigMap, name) === undefined) remember(agent, ConfigMap, current)
      return { written: false, validUntil: before.validUntil }
    }
  }
  const freshness = freshnessFrom(now, validitySeconds)
  const data = textsOf(report, freshness.observedAt)
  const owner = await reportOwner(agent)
  if (owner === undefined) return NOT_WRITTEN
  const annotations = annotationsOf(freshness)
  const metadata = { namespace, name, labels: reportLabels(agent), annotations, ownerReferences: [owner] }
  const options = { fieldManager: `${addonName}-agent`, force: true, signal }
  remember(agent, ConfigMap, await hub.apply(ConfigMap, { metadata, data }, options))
  return { written: true, validUntil: freshness.validUntil }
}

/** The data as text. Throws if it does not fit into a ConfigMap. */
function textsOf({ name, data }: ConfigMapReport, observedAt: string): Record<string, string> {
  const values = Object.entries(typeof data === 'function' ? data(observedAt) : data)
  const texts = values.map(([key, value]) => [key, textOf(name, key, value)] as const)
  const bytes = texts.reduce((sum, [key, text]) => sum + utf8Length(key) + utf8Length(text), 0)
  if (bytes > MAX_BYTES) {
    const [largest = ''] = texts.toSorted(([, a], [, b]) => utf8Length(b) - utf8Length(a))[0] ?? []
    throw new RangeError(
      `report ${JSON.stringify(name)}: data has ${bytes} bytes, most of them in ${JSON.stringify(largest)}, and a ConfigMap ` +
        `has at most ${MAX_BYTES}: report less, or several ConfigMaps`,
    )
  }
  return Object.fromEntries(texts)
}

function textOf(name: string, key: string, value: unknown): string {
  const text: string | undefined = typeof value === 'string' ? value : JSON.stringify(value)
  if (text !== undefined) return text
  throw new RangeError(`report ${JSON.stringify(name)}: data[${JSON.stringify(key)}] has no JSON form: set a value`)
}
