import {
  AddOnCondition,
  AddOnReason,
  ManagedClusterAddOn,
  TOKEN_ADDON_NAME_LABEL,
  TOKEN_INFRASTRUCTURE_LABEL,
} from '@orrery/api'
import { type ApiObject, type Kind, type ObjectRef, Role, RoleBinding, ServiceAccount } from '@orrery/kinds'
import { findCondition, isNotFound, jsonEqual, removeCondition } from '@orrery/kinds/values'
import {
  type ControllerSpec,
  each,
  ensure,
  type Informer,
  isBeingDeleted,
  writeConditions,
  writeStatus,
} from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { Predicate } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'
import { HUB_FIELD_MANAGER } from '../field-manager.js'
import { tokenRole, tokenRoleBinding, tokenServiceAccount } from './token-objects.js'

const READY = AddOnCondition.TokenInfrastructureReady

const tokenChanged: Predicate<ManagedClusterAddOn> = ({ before, after }) =>
  isBeingDeletedNow(before) !== isBeingDeletedNow(after) ||
  usesToken(before) !== usesToken(after) ||
  !jsonEqual(readyCondition(before), readyCondition(after))

const notAdded: Predicate<ApiObject> = (change) => change.type !== 'added' || change.initial

/**
 * Keeps the service account of add-ons whose agents have tokens, and the permission of the cluster's agent to request them. Deletes
 * both when the add-on is deleted or its agent has a certificate instead.
 */
export function tokenInfrastructure({ client, clock, informers, options: hubOptions }: HubContext): ControllerSpec {
  const addOns = informers.of(ManagedClusterAddOn)
  const selection = { labelSelector: `${TOKEN_INFRASTRUCTURE_LABEL}=true` }
  const accounts = informers.of(ServiceAccount, selection)
  const roles = informers.of(Role, selection)
  const bindings = informers.of(RoleBinding, selection)

  async function create(addOn: ManagedClusterAddOn, call: CallOptions): Promise<void> {
    const user = { namespace: addOn.metadata.namespace, name: addOn.metadata.name, labels: hubOptions.labels }
    const [account, role, binding] = [tokenServiceAccount(user), tokenRole(user), tokenRoleBinding(user)]
    const options = { fieldManager: HUB_FIELD_MANAGER, ...call }
    try {
      const { metadata } = await ensure(client, ServiceAccount, account, accounts.get(account.metadata), options)
      await ensure(client, Role, role, roles.get(role.metadata), options)
      await ensure(client, RoleBinding, binding, bindings.get(binding.metadata), options)
      const message = `ServiceAccount ${metadata.namespace}/${metadata.name} (UID: ${metadata.uid}) is ready`
      const finding = { type: READY, status: 'True', reason: AddOnReason.TokenInfrastructureReady, message } as const
      await writeConditions(client, ManagedClusterAddOn, addOn, [finding], { clock, ...call })
    } catch (error) {
      if (isNotFound(error) || call.signal?.aborted === true) throw error
      const why = error instanceof Error ? error.message : String(error)
      const message = `Failed to apply token infrastructure: ${why}`
      const reason = AddOnReason.TokenInfrastructureApplyFailed
      const finding = { type: READY, status: 'False', reason, message } as const
      await writeConditions(client, ManagedClusterAddOn, addOn, [finding], { clock, ...call })
      throw error
    }
  }

  /** Deletes the objects with our labels only: an account of the same name may belong to somebody else. */
  async function remove(ref: ObjectRef, call: CallOptions): Promise<void> {
    const removeFrom = async <T extends ApiObject>(kind: Kind<T, object>, informer: Informer<T>) => {
      const obsolete = informer.list(ref.namespace).filter((object) => addOnOf(object)?.name === ref.name)
      for (const { metadata } of obsolete) {
        await client.ensureDeleted(kind, metadata, { preconditions: { uid: metadata.uid }, ...call })
      }
    }
    await removeFrom(RoleBinding, bindings)
    await removeFrom(Role, roles)
    await removeFrom(ServiceAccount, accounts)
  }

  const eachOf = <T extends ApiObject>(informer: Informer<T>) => each(informer, addOnOf, { when: notAdded })

  return {
    name: 'addon-token-infrastructure',
    concurrency: 4,
    wakes: [each(addOns, undefined, { when: tokenChanged }), eachOf(accounts), eachOf(roles), eachOf(bindings)],
    async reconcile(ref, { signal }) {
      const call = { signal }
      const addOn = addOns.get(ref)
      if (addOn === undefined || isBeingDeleted(addOn)) return remove(ref, call)
      if (usesToken(addOn)) return create(addOn, call)
      await remove(ref, call)
      const statusOf = ({ status }: ManagedClusterAddOn) => ({
        ...status,
        conditions: removeCondition(status?.conditions, READY),
      })
      await writeStatus(client, ManagedClusterAddOn, addOn, statusOf, call)
    },
  }
}

/** Whether the agent of an add-on authenticates to the hub with a token. */
function usesToken(addOn: ManagedClusterAddOn | undefined): boolean {
  const registration = addOn?.status?.registrations?.find(({ type, kubeClient }) => type === 'kubeClient' && kubeClient)
  return registration?.kubeClient?.driver === 'token'
}

function readyCondition(addOn: ManagedClusterAddOn | undefined) {
  return findCondition(addOn?.status?.conditions, READY)
}

function isBeingDeletedNow(addOn: ManagedClusterAddOn | undefined): boolean {
  return addOn === undefined || isBeingDeleted(addOn)
}

function addOnOf({ metadata: { namespace, labels } }: ApiObject): ObjectRef | undefined {
  const name = labels?.[TOKEN_ADDON_NAME_LABEL] ?? ''
  return name === '' ? undefined : { namespace, name }
}
