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

/** A manifest that says which object it is about. */
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

/** A manifest whose kind the cluster has, and how it is to be applied. */
export interface PlannedManifest {
  readonly resourceMeta: ManifestResourceMeta
  /** It is applied before all of higher rank. */
  readonly rank: number
  readonly ref: WatchedRef
  readonly kind: ApiResource
  readonly object: KubeObject
  readonly strategy: UpdateStrategy
  /** Whether the object goes with the work. */
  readonly isOwned: boolean
  /** Whether it is left as it is, since it has done what it was for. */
  readonly isComplete: boolean
}

/** The manifests of a work in the order they are applied, and those that nothing can be done with. */
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
  // Within a rank the order of the work stands.
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
    return unusable('it does not say what it is. Set apiVersion and kind')
  }
  const groupVersion = parseGroupVersion(apiVersion)
  if (groupVersion === undefined)
    return unusable(`${JSON.stringify(apiVersion)} is no apiVersion. Set one such as v1 or apps/v1`, { kind })
  const type = { ...groupVersion, kind }
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '') {
    return unusable('it does not say which object it is. Set metadata.name', type)
  }
  if (metadata.namespace !== undefined && typeof metadata.namespace !== 'string') {
    return unusable('metadata.namespace is no text. Set the name of a namespace', type)
  }
  const object = manifest as unknown as KubeObject
  return { ordinal, rank: applyRank(kind), object, ...groupVersion }
}

/** Finds out how a manifest is to be applied on the cluster. Throws when the cluster cannot be asked. */
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
    // Without the resource: nobody is to look for an object that there cannot be.
    return { resourceMeta: type, problem: `objects of kind ${kind.kind} are in namespaces. Set metadata.namespace` }
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

/** What somebody can do about a kind that the cluster does not have. */
function adviceForKind({ apiVersion, kind }: KubeObject, isAway: boolean): string {
  if (isAway) return `See to it that what serves ${apiVersion} answers: it is tried again`
  return (
    `Install the CustomResourceDefinition of ${kind}, add it to the work, or use an apiVersion that the cluster has: ` +
    'it is applied as soon as the kind is there'
  )
}

/** Whether the status says that the object of a manifest has done what it was for. */
function isComplete(meta: ManifestResourceMeta, work: Pick<ManifestWork, 'status'>): boolean {
  const manifests = work.status?.resourceStatus?.manifests ?? []
  const known = manifests.find(({ resourceMeta: other }) => isSameObject(other, meta))
  return isConditionTrue(known?.conditions, ManifestCondition.Complete)
}

function isSameObject(a: ManifestResourceMeta, b: ManifestResourceMeta): boolean {
  return (
    (a.group ?? '') === (b.group ?? '') &&
    a.version === b.version &&
    a.kind === b.kind &&
    (a.namespace ?? '') === (b.namespace ?? '') &&
    a.name === b.name
  )
}
