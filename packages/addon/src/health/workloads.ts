import type { FeedbackRule, ResourceIdentifier } from '@orrery/api'
import type { FieldResult, HealthProber, Manifest, ProbeField, WorkProbe } from '../agent-addon.js'

/** The name of an object, with its namespace if it has one. */
export interface WorkloadName {
  readonly namespace: string
  readonly name: string
}

const WELL_KNOWN: readonly FeedbackRule[] = [{ type: 'WellKnownStatus' }]

/** Available if these Deployments have a ready replica each. `*` in a name or namespace matches any text. */
export function deploymentProber(...deployments: readonly WorkloadName[]): HealthProber {
  return workloadProber('deployments', deployments)
}

/** Available if all Deployments of the works have a ready replica each. */
export function allDeploymentsProber(): HealthProber {
  return deploymentProber({ namespace: '*', name: '*' })
}

/** Available if these DaemonSets are ready on every node they are scheduled to. `*` matches any text. */
export function daemonSetProber(...daemonSets: readonly WorkloadName[]): HealthProber {
  return workloadProber('daemonsets', daemonSets)
}

function workloadProber(resource: string, names: readonly WorkloadName[]): HealthProber {
  const probe: WorkProbe = { fields: names.map((name) => fieldOf(resource, name)), check: checkWorkloads }
  return { type: 'Work', probe }
}

function fieldOf(resource: string, { namespace, name }: WorkloadName): ProbeField {
  return { resource: { group: 'apps', resource, name, namespace }, rules: WELL_KNOWN }
}

const RESOURCES: Readonly<Record<string, string>> = { Deployment: 'deployments', DaemonSet: 'daemonsets' }

/** The feedback to request for the workloads of some kinds among manifests. */
export function workloadFields(manifests: readonly Manifest[], kinds: readonly string[]): ProbeField[] {
  return manifests.flatMap(({ apiVersion, kind, metadata }) => {
    const resource = RESOURCES[kind]
    if (resource === undefined || !kinds.includes(kind) || !apiVersion.startsWith('apps/')) return []
    return [fieldOf(resource, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' })]
  })
}

/** Whether a manifest is a Deployment without replicas, which has nothing to probe. */
export function isIdle({ kind, spec }: Manifest): boolean {
  return kind === 'Deployment' && (spec as { readonly replicas?: number } | undefined)?.replicas === 0
}

/**
 * Checks Deployments and DaemonSets by their well-known feedback. A Deployment needs one ready replica unless it wants none, a
 * DaemonSet needs all. Throws an error with the first problem.
 */
export function checkWorkloads(results: readonly FieldResult[]): void {
  for (const result of results) checkWorkload(result)
}

function checkWorkload({ resource: identifier, values }: FieldResult): void {
  const { group, resource } = identifier
  if (resource !== 'deployments' && resource !== 'daemonsets') throw new Error(`unsupported resource type ${resource}`)
  if (group !== 'apps') throw new Error(`unsupported resource group ${group ?? ''}`)
  if (Object.keys(values).length === 0) throw new Error(`no values are probed for ${textOf(identifier)}`)
  const count = (name: string) => values[name]?.integer
  const [ready, desired] =
    resource === 'deployments'
      ? deploymentCounts(count('ReadyReplicas'), count('Replicas'))
      : [count('NumberReady'), count('DesiredNumberScheduled')]
  if (ready === undefined) throw new Error('readyReplica is not probed')
  if (desired === undefined) throw new Error('desiredNumberReplicas is not probed')
  const isReady = resource === 'deployments' ? desired === 0 || ready >= 1 : ready === desired
  if (isReady) return
  throw new Error(`desiredNumberReplicas is ${desired} but readyReplica is ${ready} for ${textOf(identifier)}`)
}

/** Kubernetes leaves out the counts of a Deployment that are 0. Without any count nothing is known. */
function deploymentCounts(
  ready: number | undefined,
  desired: number | undefined,
): [number | undefined, number | undefined] {
  return ready === undefined && desired === undefined ? [undefined, undefined] : [ready ?? 0, desired ?? 0]
}

function textOf({ resource, namespace = '', name }: ResourceIdentifier): string {
  return `${resource} ${namespace}/${name}`
}
