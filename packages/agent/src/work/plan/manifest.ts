import {
  applyRank,
  configFor,
  isOwnedByWork,
  ManifestCondition,
  type ManifestResourceMeta,
  type ManifestWork,
  type UpdateStrategy,
} from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { formatGroupVersion, isConditionTrue, isObject, parseGroupVersion } from '@orrery/kinds/values'
import { type ApiResource, type Discovery, isNoMatch } from '@orrery/kube/discovery'
import type { WatchedRef } from '../watched/types.js'

/** A manifest with the name of its object. */
export interface NamedManifest {
  readonly ordinal: number
  readonly rank: number
  readonly object: KubeObject
  readonly group: string
  readonly version: string
}

/** A manifest that cannot be applied as it is. */
export interface UnusableManifest {
  readonly resourceMeta: ManifestResourceMeta
  readonly problem: string
}

/** A manifest of a kind that the cluster serves, and how to apply it. */
export interface PlannedManifest {
  readonly resourceMeta: ManifestResourceMeta
  /** Lower ranks are applied first. */
  readonly rank: number
  readonly ref: WatchedRef
  readonly kind: ApiResource
  readonly object: KubeObject
  readonly strategy: UpdateStrategy
  /** Whether the object is deleted with the work. */
  readonly isOwned: boolean
  /** Whether the object is left as it is because it is complete. */
  readonly isComplete: boolean
}

/** The manifests of a work in the order of application, and those that cannot be applied. */
export function readManifests(work: Pick<ManifestWork, 'spec'>): {
  readonly named: readonly NamedManifest[]
  readonly unusable: readonly UnusableManifest[]
} {
  const named: NamedManifest[] = []
  const unusable: UnusableManifest[] = []
  for (const [ordinal, manifest] of (work.spec?.workload?.manifests ?? []).entries()) {
    const read = readManifest(ordinal, manifest)
    if ('problem' in read) unusable.push(read)
    else named.push(read)
  }
  // Sorting is stable: within a rank the order of the work stays.
  named.sort((a, b) => a.rank - b.rank)
  return { named, unusable }
}

function readManifest(ordinal: number, manifest: unknown): NamedManifest | UnusableManifest {
  const unusable = (problem: string, meta: Omit<ManifestResourceMeta, 'ordinal'> = {}) => ({
    resourceMeta: { ordinal, ...meta },
    problem,
  })
  if (!isObject(manifest)) return unusable('it is not an object. A manifest has apiVersion, kind and metadata')
  const { apiVersion, kind, metadata } = manifest
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || kind === '') {
    return unusable('it has no kind. Set apiVersion and kind')
  }
  const groupVersion = parseGroupVersion(apiVersion)
  if (groupVersion === undefined)
    return unusable(`${JSON.stringify(apiVersion)} is not a valid apiVersion. Set one such as v1 or apps/v1`, { kind })
  const type = { ...groupVersion, kind }
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '') {
    return unusable('it has no name. Set metadata.name', type)
  }
  if (metadata.namespace !== undefined && typeof metadata.namespace !== 'string') {
    return unusable('metadata.namespace is not a string. Set the name of a namespace', type)
  }
  const object = manifest as unknown as KubeObject
  return { ordinal, rank: applyRank(kind), object, ...groupVersion }
}

/** Plans how to apply a manifest on the cluster. Throws if discovery of the cluster fails. */
export async function planManifest(
  manifest: NamedManifest,
  work: Pick<ManifestWork, 'spec' | 'status'>,
  discovery: Discovery,
  signal: AbortSignal,
): Promise<PlannedManifest | UnusableManifest> {
  const { ordinal, object, group, version } = manifest
  const { name = '', namespace = '' } = object.metadata
  const type = { ordinal, group, version, kind: object.kind, name }
  let kind: ApiResource
  try {
    kind = await discovery.kind({ group, version, kind: object.kind }, { signal })
  } catch (error) {
    if (!isNoMatch(error)) throw error
    const { unavailable } = await discovery.catalog({ signal })
    const isAway = unavailable.has(formatGroupVersion(group, version))
    return { resourceMeta: { ...type, namespace }, problem: sentences(error.message, adviceForKind(object, isAway)) }
  }
  const isNamespaced = kind.scope === 'Namespaced'
  if (isNamespaced && namespace === '') {
    // Without the resource, so that nothing watches an object that cannot exist.
    return { resourceMeta: type, problem: `objects of kind ${kind.kind} are namespaced. Set metadata.namespace` }
  }
  const resourceMeta = { ...type, resource: kind.plural, namespace: isNamespaced ? namespace : '' }
  const ref: WatchedRef = { group, version, resource: kind.plural, namespace: resourceMeta.namespace, name }
  return {
    resourceMeta,
    rank: manifest.rank,
    ref,
    kind,
    object,
    strategy: configFor(resourceMeta, work.spec?.manifestConfigs)?.updateStrategy ?? { type: 'Update' },
    isOwned: isOwnedByWork(ref, work.spec?.deleteOption),
    isComplete: isComplete(resourceMeta, work),
  }
}

function sentences(first: string, second: string): string {
  return `${first}${first.endsWith('?') ? '' : '.'} ${second}`
}

/** The advice for a kind that the cluster does not serve. */
function adviceForKind({ apiVersion, kind }: KubeObject, isAway: boolean): string {
  if (isAway) return `Make sure that the API server for ${apiVersion} answers: the agent retries`
  return (
    `Install the CustomResourceDefinition of ${kind}, add it to the work, or use an apiVersion that the cluster serves: ` +
    'the agent applies the manifest as soon as the kind is served'
  )
}

/** Whether the status of the work reports the object of a manifest as complete. */
function isComplete(meta: ManifestResourceMeta, work: Pick<ManifestWork, 'status'>): boolean {
  const manifests = work.status?.resourceStatus?.manifests
  if (manifests === undefined) return false
  const known = complete.get(manifests) ?? completeIn(manifests)
  complete.set(manifests, known)
  return known.get(objectKey(meta)) === true
}

type Manifests = NonNullable<NonNullable<NonNullable<ManifestWork['status']>['resourceStatus']>['manifests']>

/** Which objects are complete. Works have thousands of manifests, which cannot all be compared with each other. */
const complete = new WeakMap<Manifests, ReadonlyMap<string, boolean>>()

function completeIn(manifests: Manifests): ReadonlyMap<string, boolean> {
  const known = new Map<string, boolean>()
  for (const { resourceMeta, conditions } of manifests) {
    const key = objectKey(resourceMeta)
    if (!known.has(key)) known.set(key, isConditionTrue(conditions, ManifestCondition.Complete))
  }
  return known
}

function objectKey({ group = '', version, kind, namespace = '', name }: ManifestResourceMeta): string {
  return JSON.stringify([group, version, kind, namespace, name])
}
