import { ManagedClusterSetBinding, Placement } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { PlacementRef } from '../placement/index.js'
import { bindCommand } from './cluster-set-remedies.js'
import { OperationError } from './operation-error.js'
import { type PlacementDraft, placementFrom } from './placement-draft.js'

export interface CreatePlacementOptions extends CallOptions {
  /** Replace the spec of an existing placement. Default false. */
  readonly overwrite?: boolean
}

/** Creates a placement. Its cluster sets must be bound to the namespace. */
export async function createPlacement(
  client: KubeClient,
  draft: PlacementDraft,
  { overwrite = false, ...call }: CreatePlacementOptions = {},
): Promise<'created' | 'updated'> {
  const { namespace, name, clusterSets = [] } = draft
  const wanted = placementFrom(draft)
  if ((await client.find(Namespace, { name: namespace }, call)) === undefined) {
    throw new OperationError(`namespace ${namespace} does not exist on the hub: create it first`)
  }
  await requireBindings(client, namespace, clusterSets, call)
  try {
    await client.create(Placement, wanted, call)
    return 'created'
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    if (!overwrite) {
      const message = `placement ${namespace}/${name} already exists: use --overwrite to replace its spec`
      throw new OperationError(message, { cause: error })
    }
  }
  const found = await client.get(Placement, { namespace, name }, call)
  await client.update(Placement, { ...found, spec: wanted.spec } as typeof found, call)
  return 'updated'
}

/** Deletes a placement. Its decisions are deleted with it. False if it does not exist. */
export async function deletePlacement(
  client: KubeClient,
  { namespace, name }: PlacementRef,
  call: CallOptions = {},
): Promise<boolean> {
  if ((await client.find(Placement, { namespace, name }, call)) === undefined) return false
  await client.ensureDeleted(Placement, { namespace, name }, call)
  return true
}

async function requireBindings(
  client: KubeClient,
  namespace: string,
  sets: readonly string[],
  call: CallOptions,
): Promise<void> {
  const bindings = await Promise.all(
    sets.map((name) => client.find(ManagedClusterSetBinding, { namespace, name }, call)),
  )
  const unbound = sets.filter((_, index) => bindings[index] === undefined)
  if (unbound.length === 0) return
  const commands = unbound.map((set) => `\`${bindCommand(set, namespace)}\``)
  throw new OperationError(
    `cluster set ${unbound.join(', ')} is not bound to namespace ${namespace}: run ${commands.join(' and ')}`,
  )
}
