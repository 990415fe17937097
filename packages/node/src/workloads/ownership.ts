import type { ApiObject, Kind, NamespacedObject, ObjectRef } from '@orrery/kinds'
import { isNotFound, type LabelSelector, StatusError } from '@orrery/kinds/values'
import { byController, each, type Informer, isBeingDeleted, ownerReferenceTo } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { controllerOf, removeOwner, setOwner } from '@orrery/kube/write'
import { inBursts } from './batches.js'
import { OWNER_INDEX, orphansOf, type WorkloadContext } from './context.js'

/** An owner with its kind. It claims the objects that its selector matches. */
export interface Claimant<O extends NamespacedObject> {
  readonly kind: Kind<O, object>
  readonly owner: O
  readonly selector: LabelSelector
}

/** Returns the objects in the informer that an owner controls. */
export function controlledBy<T extends ApiObject>(informer: Informer<T>, owner: ApiObject): readonly T[] {
  return informer.byIndex(OWNER_INDEX, owner.metadata.uid)
}

/**
 * Returns the objects that an owner controls, after it adopted matching objects without a controller and released its
 * own that no longer match (`ControllerRefManager`).
 */
export async function claim<T extends ApiObject, O extends NamespacedObject>(
  context: WorkloadContext,
  kind: Kind<T, object>,
  claimant: Claimant<O>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const { owner, selector } = claimant
  const informer = context.owned(kind)
  const matches = ({ metadata }: T) => selector.matches(metadata.labels)
  const lost = controlledBy(informer, owner).filter((object) => !matches(object))
  const orphans = informer
    .byIndex(OWNER_INDEX, orphansOf(owner.metadata.namespace))
    .filter((object) => matches(object) && !isBeingDeleted(object))
  if (isBeingDeleted(owner) || (lost.length === 0 && orphans.length === 0)) {
    return controlledBy(informer, owner).filter(matches)
  }
  const expectations = context.expectations(kind)
  const write = (change: Promise<T>) => expectations.after(change, signal).catch(unlessGone)
  await inBursts(lost, (object) => write(removeOwner(context.client, kind, object, owner.metadata, { signal })))
  if (orphans.length > 0 && (await isStillThere(context, claimant, signal))) {
    const reference = ownerReferenceTo(owner, claimant.kind, { controller: true })
    await inBursts(orphans, (object) => write(setOwner(context.client, kind, object, reference, { signal })))
  }
  return controlledBy(informer, owner).filter(matches)
}

/**
 * Read from the server: the garbage collector deletes objects that a deleted owner, or another of the same name,
 * adopts.
 */
async function isStillThere<O extends NamespacedObject>(
  { client }: WorkloadContext,
  { kind, owner }: Claimant<O>,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, namespace, uid } = owner.metadata
  const current = await client.find(kind, { name, namespace }, { signal })
  return current?.metadata.uid === uid && !isBeingDeleted(current)
}

/** Another client may have deleted or claimed it first. */
function unlessGone(error: unknown): undefined {
  if (isNotFound(error) || (error instanceof StatusError && error.code === 422)) return undefined
  throw error
}

/** Wakes an owner for objects that it controls or could adopt. */
export function eachOwned<T extends NamespacedObject, O extends NamespacedObject>(
  informer: Informer<T>,
  owners: Informer<O>,
  selectorOf: (owner: O) => LabelSelector,
): Wake {
  const controller = byController(owners.kind)
  return each(informer, (object): ObjectRef | Iterable<ObjectRef> | undefined => {
    if (controllerOf(object) !== undefined) return controller(object)
    return owners
      .list(object.metadata.namespace)
      .filter((owner) => selectorOf(owner).matches(object.metadata.labels))
      .map(({ metadata }) => metadata)
  })
}
