import {
  ADDON_NAME_LABEL,
  AddOnCondition,
  AddOnPlacementScore,
  type FieldValue,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
} from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { itemsIfServed } from '../served-items.js'
import { requireAddOns } from './add-ons.js'
import { OperationError } from './operation-error.js'

/** The way in which an add-on reports to the hub. */
export type ReportStrategy = 'ConfigMap' | 'Condition' | 'Score' | 'Claim' | 'Feedback'

/** One value that an add-on has reported about a cluster. */
export interface AddOnReport {
  readonly cluster: string
  readonly strategy: ReportStrategy
  /** Its name: the key of a ConfigMap, the type of a condition, a score, a claim, a feedback value. */
  readonly name: string
  readonly value: string
  /** The time of the observation, where it is reported. */
  readonly observed: string | undefined
}

/** Annotation of a report: the time of the observation. */
const OBSERVED_AT = 'addon.orrery.dev/observed-at'

const CONDITIONS_OF_OTHERS: ReadonlySet<string> = new Set(Object.values(AddOnCondition))

/**
 * What an add-on has reported about clusters, in all five ways. Objects of an add-on have its label; claims have its name as a
 * prefix. Throws for a cluster on which it is not enabled.
 */
export async function addOnReports(
  client: KubeClient,
  name: string,
  { clusters, ...call }: CallOptions & { readonly clusters?: readonly string[] | undefined } = {},
): Promise<AddOnReport[]> {
  const all = await itemsIfServed(client, ManagedClusterAddOn, { ...call, fieldSelector: `metadata.name=${name}` })
  const enabled = all.map(({ metadata }) => metadata.namespace)
  const missing = (clusters ?? []).filter((cluster) => !enabled.includes(cluster))
  if (missing.length > 0 || all.length === 0) {
    await requireAddOns(client, [name], call)
    const where = missing.length > 0 ? `cluster ${missing.join(', ')}` : 'any cluster'
    throw new OperationError(
      `add-on ${name} is not enabled on ${where}: run \`orrery addon enable ${name} --clusters …\``,
    )
  }
  const wanted = all.filter(({ metadata }) => clusters?.includes(metadata.namespace) !== false)
  const reports = await Promise.all(wanted.map((addOn) => reportsOn(client, addOn, call)))
  return reports.flat()
}

async function reportsOn(client: KubeClient, addOn: ManagedClusterAddOn, call: CallOptions): Promise<AddOnReport[]> {
  const { namespace: cluster, name } = addOn.metadata
  const ofAddOn = { ...call, namespace: cluster, labelSelector: `${ADDON_NAME_LABEL}=${name}` }
  const [{ items: maps }, scores, { items: works }, managedCluster] = await Promise.all([
    client.list(ConfigMap, ofAddOn),
    itemsIfServed(client, AddOnPlacementScore, ofAddOn),
    client.list(ManifestWork, ofAddOn),
    client.find(ManagedCluster, { name: cluster }, call),
  ])
  const report = (strategy: ReportStrategy, of: string, value: string, observed?: string): AddOnReport => ({
    cluster,
    strategy,
    name: of,
    value,
    observed,
  })
  return [
    ...maps.flatMap(({ metadata, data = {} }) =>
      Object.entries(data).map(([key, value]) =>
        report('ConfigMap', `${metadata.name}/${key}`, value, metadata.annotations?.[OBSERVED_AT]),
      ),
    ),
    ...(addOn.status?.conditions ?? [])
      .filter(({ type }) => !CONDITIONS_OF_OTHERS.has(type))
      .map(({ type, status, reason, message }) => report('Condition', type, `${status} (${reason}): ${message}`)),
    ...scores.flatMap(({ metadata, status }) =>
      (status?.scores ?? []).map((score) => report('Score', `${metadata.name}/${score.name}`, String(score.value))),
    ),
    ...(managedCluster?.status?.clusterClaims ?? [])
      .filter((claim) => claim.name?.startsWith(`${name}.`))
      .map((claim) => report('Claim', claim.name ?? '', claim.value ?? '')),
    ...works.flatMap(({ status }) =>
      (status?.resourceStatus?.manifests ?? []).flatMap(({ resourceMeta, statusFeedback }) =>
        (statusFeedback?.values ?? []).map((value) =>
          report('Feedback', `${resourceMeta.resource}/${resourceMeta.name}/${value.name}`, textOf(value.fieldValue)),
        ),
      ),
    ),
  ]
}

function textOf(value: FieldValue): string {
  return String(value.integer ?? value.string ?? value.boolean ?? value.jsonRaw ?? '')
}
