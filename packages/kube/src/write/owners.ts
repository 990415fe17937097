import type { ApiObject, JsonValue, Kind, OwnerReference, ResourceType } from '@orrery/kinds'
import { failure, formatGroupVersion, parseGroupVersion } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { type LockedPatchOptions, patchLocked } from './patch.js'

export interface OwnershipOptions {
  /** Whether the owner is the managing controller. Default false. */
  readonly controller?: boolean
  /** Whether a foreground deletion of the owner waits for the object. Default: as `controller`. */
  readonly blockOwnerDeletion?: boolean
}

/** A reference to an owner, for `metadata.ownerReferences` of its dependents. */
export function ownerReferenceTo(owner: ApiObject, kind: ResourceType, options: OwnershipOptions = {}): OwnerReference {
  const { controller = false, blockOwnerDeletion = controller } = options
  return {
    apiVersion: formatGroupVersion(kind.group, kind.version),
    kind: kind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    ...(controller && { controller }),
    ...(blockOwnerDeletion && { blockOwnerDeletion }),
  }
}

type Owned = Pick<ApiObject, 'metadata'>

export function isOwnedBy(object: Owned, owner: Owned): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false
}

/** The owner that is the managing controller. */
export function controllerOf({ metadata: { ownerReferences } }: Owned): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true)
}

/**
 * The references with this owner: the same list if nothing changes. Throws if there is another controller. A
 * reference to a former object of the same name is replaced, since only one exists.
 */
export function withOwner(
  references: readonly OwnerReference[] | undefined,
  owner: OwnerReference,
): readonly OwnerReference[] {
  const known = references ?? []
  const index = known.findIndex((reference) => reference.uid === owner.uid || isNamedLike(reference, owner))
  const manager = known.find(({ controller }, at) => controller === true && at !== index)
  if (owner.controller === true && manager !== undefined) {
    const taken = `${manager.kind} ${JSON.stringify(manager.name)} controls it already`
    const message = `${owner.kind} ${JSON.stringify(owner.name)} cannot become the controller: ${taken}`
    throw failure(422, 'Invalid', message, { kind: owner.kind, name: owner.name })
  }
  if (index < 0) return [...known, owner]
  return isSame(known[index] as OwnerReference, owner) ? known : known.with(index, owner)
}

/** The references without an owner: the same list if it is not an owner. */
export function withoutOwner(
  references: readonly OwnerReference[] | undefined,
  owner: { readonly uid: string },
): readonly OwnerReference[] {
  const known = references ?? []
  return known.some(({ uid }) => uid === owner.uid) ? known.filter(({ uid }) => uid !== owner.uid) : known
}

/** Adds an owner to an object. Sends nothing if it is an owner already; `Invalid` if there is another controller. */
export function setOwner<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  owner: OwnerReference,
  options: LockedPatchOptions = {},
): Promise<T> {
  return changeOwners(client, kind, object, (known) => withOwner(known, owner), options)
}

/** Removes an owner from an object. Sends nothing if it is not an owner. */
export function removeOwner<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  owner: { readonly uid: string },
  options: LockedPatchOptions = {},
): Promise<T> {
  return changeOwners(client, kind, object, (known) => withoutOwner(known, owner), options)
}

function changeOwners<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  change: (known: readonly OwnerReference[]) => readonly OwnerReference[],
  options: LockedPatchOptions,
): Promise<T> {
  const patchOf = (current: T) => {
    const before = current.metadata.ownerReferences ?? []
    const after = change(before)
    if (after === before) return undefined
    const ownerReferences = after.length === 0 ? null : (after as unknown as JsonValue)
    return { metadata: { ownerReferences } }
  }
  return patchLocked(client, kind, object, patchOf, options)
}

function isNamedLike(a: OwnerReference, b: OwnerReference): boolean {
  return a.kind === b.kind && a.name === b.name && groupOf(a) === groupOf(b)
}

function groupOf({ apiVersion }: OwnerReference): string | undefined {
  return parseGroupVersion(apiVersion)?.group
}

/** The version of the owner's API may differ: it is the same owner. */
function isSame(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.uid === b.uid &&
    (a.controller ?? false) === (b.controller ?? false) &&
    (a.blockOwnerDeletion ?? false) === (b.blockOwnerDeletion ?? false)
  )
}
