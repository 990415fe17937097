import {
  ADDON_GROUP,
  ADDON_NAME_LABEL,
  ClusterManagementAddOn,
  CONFIG_SPEC_HASH_ANNOTATION,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
  ManifestWork,
  type NewClusterManagementAddOnSpec,
} from '@orrery/api'
import { type Condition, type ConditionStatus, Namespace } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { writeConditions, writeStatus } from '@orrery/kube'
import { createCluster, says } from '../hub/clusters.js'
import type { HubServer } from '../hub/hub-server.js'
import { configMapWork, NAMESPACE } from '../hub/works.js'

export const ADDON = 'helloworld'

/** Placements are decided by the tests themselves. */
export const FEATURES = { PlacementScheduling: false } as const

/** A reference to an AddOnDeploymentConfig. */
export function deploymentConfig(name: string) {
  return { group: ADDON_GROUP, resource: 'addondeploymentconfigs', namespace: NAMESPACE, name }
}

/** Creates accepted clusters, and the namespace of placements. */
export async function withClusters(hub: HubServer, ...names: string[]): Promise<void> {
  await hub.client.create(Namespace, { metadata: { name: NAMESPACE } })
  await Promise.all(names.map((name) => withCluster(hub, name)))
}

/** Creates an accepted cluster with a namespace. */
export async function withCluster(
  hub: HubServer,
  name: string,
  annotations: Record<string, string> = {},
): Promise<void> {
  await createCluster(hub, name, { spec: { hubAcceptsClient: true }, annotations })
  await hub.when(ManagedCluster, { name }, says(ManagedClusterCondition.HubAccepted, 'True'))
}

type Placements = NonNullable<NonNullable<NewClusterManagementAddOnSpec['installStrategy']>['placements']>

/** An install strategy with placements of the tests' namespace. */
export function placedBy(...placements: readonly (string | Omit<Placements[number], 'namespace'>)[]) {
  return {
    type: 'Placements' as const,
    placements: placements.map((one) => ({ namespace: NAMESPACE, ...(typeof one === 'string' ? { name: one } : one) })),
  }
}

/** Creates the definition of an add-on. */
export function define(
  hub: HubServer,
  spec: NewClusterManagementAddOnSpec = {},
  annotations: Record<string, string> = {},
): Promise<ClusterManagementAddOn> {
  return hub.client.create(ClusterManagementAddOn, { metadata: { name: ADDON, annotations }, spec })
}

export function onCluster(cluster: string): { namespace: string; name: string } {
  return { namespace: cluster, name: ADDON }
}

/** Waits until exactly these clusters have the add-on, and checks that it stays so. */
export async function isInstalledOn(hub: HubServer, ...clusters: string[]): Promise<ManagedClusterAddOn[]> {
  let found: ManagedClusterAddOn[] = []
  const names = () => found.map(({ metadata }) => metadata.namespace).sort()
  const isSo = async () => {
    found = (await hub.client.list(ManagedClusterAddOn)).items
    return names().join() === clusters.join()
  }
  const what = `the add-on is installed on ${clusters.join(', ') || 'no cluster'}`
  await hub.eventually(what, isSo)
  await hub.settle()
  if (!(await isSo())) throw new Error(`${what}, and then on ${names().join(', ')}`)
  return found
}

/** Writes the hashes of configurations into the status of the definition, as the controller of the add-on does. */
export async function hashDefinition(hub: HubServer, hashes: Readonly<Record<string, string>>): Promise<void> {
  const wanted = new Set(Object.keys(hashes))
  const definition = await hub.when(ClusterManagementAddOn, { name: ADDON }, ({ status }) => {
    const progressions = status?.installProgressions ?? []
    const references = [
      ...(status?.defaultConfigReferences ?? []),
      ...progressions.flatMap(({ configReferences = [] }) => configReferences),
    ]
    const names = new Set(references.map(({ desiredConfig }) => desiredConfig?.name ?? ''))
    return [...wanted].every((name) => names.has(name))
  })
  const hashed = <R extends { readonly desiredConfig?: { readonly name: string } }>(references: readonly R[] = []) =>
    references.map((reference) => {
      const specHash = hashes[reference.desiredConfig?.name ?? '']
      return specHash === undefined
        ? reference
        : { ...reference, desiredConfig: { ...reference.desiredConfig, specHash } }
    })
  await writeStatus(hub.client, ClusterManagementAddOn, definition, ({ status }) => ({
    ...status,
    defaultConfigReferences: hashed(status?.defaultConfigReferences) as never,
    installProgressions: (status?.installProgressions ?? []).map((progression) => ({
      ...progression,
      configReferences: hashed(progression.configReferences) as never,
    })),
  }))
}

/** The configurations of the add-on on a cluster, as `name@hash`. */
export function configsOf({ status }: ManagedClusterAddOn): string {
  const references = status?.configReferences ?? []
  return references.map(({ desiredConfig }) => `${desiredConfig?.name}@${desiredConfig?.specHash ?? ''}`).join()
}

export function conditionOf({ status }: ManagedClusterAddOn, type: string): Condition | undefined {
  return findCondition(status?.conditions, type)
}

/** Whether a condition of the add-on has this status and reason. */
export function reports(
  type: string,
  status: ConditionStatus,
  reason: string,
): (addOn: ManagedClusterAddOn) => boolean {
  return (addOn) => {
    const condition = conditionOf(addOn, type)
    return condition?.status === status && condition.reason === reason
  }
}

/** Sets a condition of the add-on, as one of its controllers or agents does. */
export async function setOn(hub: HubServer, cluster: string, type: string, status: ConditionStatus): Promise<void> {
  const addOn = await hub.client.get(ManagedClusterAddOn, onCluster(cluster))
  const finding = { type, status, reason: 'Reported', message: 'reported' }
  await writeConditions(hub.client, ManagedClusterAddOn, addOn, [finding], { clock: hub.clock })
}

/**
 * Applies the desired configurations of the add-on on clusters, as its controller and the agents do: writes the work, reports that it
 * is applied, and sets ManifestApplied.
 */
export async function applyOn(hub: HubServer, ...clusters: string[]): Promise<void> {
  await Promise.all(
    clusters.map(async (cluster) => {
      const addOn = await hub.client.get(ManagedClusterAddOn, onCluster(cluster))
      const hashes = (addOn.status?.configReferences ?? []).map(({ group, resource, desiredConfig }) => {
        return [`${resource}.${group}/${desiredConfig?.namespace}/${desiredConfig?.name}`, desiredConfig?.specHash]
      })
      const ref = { namespace: cluster, name: `addon-${ADDON}-deploy-0` }
      const annotations = { [CONFIG_SPEC_HASH_ANNOTATION]: JSON.stringify(Object.fromEntries(hashes)) }
      const metadata = { ...ref, labels: { [ADDON_NAME_LABEL]: ADDON }, annotations }
      const known = await hub.client.find(ManifestWork, ref)
      const work =
        known === undefined
          ? await hub.client.create(ManifestWork, { metadata, spec: configMapWork() })
          : await hub.client.patch(ManifestWork, ref, { metadata: { annotations } })
      const observedGeneration = work.metadata.generation
      const findings = ['Applied', 'Available'].map((type) => {
        return { type, status: 'True' as const, reason: 'Reported', message: '', observedGeneration }
      })
      await writeConditions(hub.client, ManifestWork, work, findings, { clock: hub.clock })
      await setOn(hub, cluster, 'ManifestApplied', 'True')
    }),
  )
}
