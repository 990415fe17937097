import { acceptanceChanged, isAccepted } from '@orrery/addon'
import {
  AddOnCondition,
  AddOnReason,
  ManagedCluster,
  ManagedClusterAddOn,
  TOKEN_ADDON_NAME_LABEL,
  TOKEN_INFRASTRUCTURE_LABEL,
} from '@orrery/api'
import {
  type ApiObject,
  type ConditionStatus,
  type Draft,
  type Kind,
  type ObjectRef,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@orrery/kinds'
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
import { refOfObject } from '@orrery/kube/write'
import type { HubContext } from '../context.js'
import { HUB_FIELD_MANAGER } from '../field-manager.js'
import { registrationBindingName } from '../registration/agentroles.js'
import { accessInformers } from '../registration/cluster-access.js'
import { tokenRole, tokenRoleBinding, tokenServiceAccount } from './token-objects.js'

const READY = AddOnCondition.TokenInfrastructureReady

const tokenChanged: Predicate<ManagedClusterAddOn> = ({ before, after }) =>
  isBeingDeletedNow(before) !== isBeingDeletedNow(after) ||
  usesToken(before) !== usesToken(after) ||
  !jsonEqual(readyCondition(before), readyCondition(after))

const notAdded: Predicate<ApiObject> = (change) => change.type !== 'added' || change.initial

const isRegistration: Predicate<RoleBinding> = ({ before, after }) => {
  const { namespace, name } = (after ?? before).metadata
  return name === registrationBindingName(namespace) && !jsonEqual(before?.subjects, after?.subjects)
}

/**
 * Keeps the service account of add-ons whose agents have tokens, and the permission of the cluster's agent to request them. Deletes
 * both when the add-on is deleted, its agent has a certificate instead, or the cluster is denied: this ends its tokens. Only the agent
 * of the current registration has the permission, which is the one that can read the add-ons of the cluster.
 */
export function tokenInfrastructure({ client, clock, informers, options: hubOptions }: HubContext): ControllerSpec {
  const addOns = informers.of(ManagedClusterAddOn)
  const clusters = informers.of(ManagedCluster)
  const { bindings: agentBindings } = accessInformers(informers)
  const selection = { labelSelector: `${TOKEN_INFRASTRUCTURE_LABEL}=true` }
  const accounts = informers.of(ServiceAccount, selection)
  const roles = informers.of(Role, selection)
  const bindings = informers.of(RoleBinding, selection)

  /** The current object, if it is of the add-on. Throws if it belongs to another owner: it would be changed, and deleted later. */
  async function own<T extends ApiObject>(
    kind: Kind<T, object>,
    informer: Informer<T>,
    { metadata: wanted }: Draft<ApiObject>,
    call: CallOptions,
  ): Promise<T | undefined> {
    const { namespace, name = '' } = wanted
    const current = informer.get({ namespace, name }) ?? (await client.find(kind, { namespace, name }, call))
    const isOwn = [TOKEN_ADDON_NAME_LABEL, TOKEN_INFRASTRUCTURE_LABEL].every(
      (key) => current?.metadata.labels?.[key] === wanted.labels?.[key],
    )
    if (current === undefined || isOwn) return current
    throw new Error(`${kind.kind} ${namespace}/${name} exists and is not of this add-on: delete or rename it`)
  }

  async function create(addOn: ManagedClusterAddOn, call: CallOptions): Promise<void> {
    const { namespace, name } = addOn.metadata
    const user = { namespace, name, labels: hubOptions.labels }
    const agent = agentBindings.get({ namespace, name: registrationBindingName(namespace) })?.subjects ?? []
    const [account, role, binding] = [tokenServiceAccount(user), tokenRole(user), tokenRoleBinding(user, agent)]
    const options = { fieldManager: HUB_FIELD_MANAGER, ...call }
    try {
      const current = {
        account: await own(ServiceAccount, accounts, account, call),
        role: await own(Role, roles, role, call),
        binding: await own(RoleBinding, bindings, binding, call),
      }
      const { metadata } = await ensure(client, ServiceAccount, account, current.account, options)
      await ensure(client, Role, role, current.role, options)
      await ensure(client, RoleBinding, binding, current.binding, options)
      const message = `ServiceAccount ${metadata.namespace}/${metadata.name} (UID: ${metadata.uid}) is ready`
      await report(addOn, 'True', AddOnReason.TokenInfrastructureReady, message, call)
    } catch (error) {
      if (isNotFound(error) || call.signal?.aborted === true) throw error
      await fail(addOn, error instanceof Error ? error.message : String(error), call)
      throw error
    }
  }

  const fail = (addOn: ManagedClusterAddOn, why: string, call: CallOptions) => {
    const message = `Failed to apply token infrastructure: ${why}`
    return report(addOn, 'False', AddOnReason.TokenInfrastructureApplyFailed, message, call)
  }

  async function report(
    addOn: ManagedClusterAddOn,
    status: ConditionStatus,
    reason: string,
    message: string,
    call: CallOptions,
  ): Promise<void> {
    const finding = { type: READY, status, reason, message }
    await writeConditions(client, ManagedClusterAddOn, addOn, [finding], { clock, ...call })
  }

  /** Deletes the objects with our labels only: an account of the same name may have another owner. */
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
    wakes: [
      each(addOns, undefined, { when: tokenChanged }),
      each(clusters, ({ metadata }) => addOns.list(metadata.name).map(refOfObject), { when: acceptanceChanged }),
      each(agentBindings, ({ metadata }) => addOns.list(metadata.namespace).map(refOfObject), { when: isRegistration }),
      eachOf(accounts),
      eachOf(roles),
      eachOf(bindings),
    ],
    async reconcile(ref, { signal }) {
      const call = { signal }
      const addOn = addOns.get(ref)
      if (addOn === undefined || isBeingDeleted(addOn)) return remove(ref, call)
      const cluster = clusters.get({ name: addOn.metadata.namespace })
      // Users can create add-ons in namespaces of their own, which are no clusters.
      if (usesToken(addOn) && isAccepted(cluster)) return create(addOn, call)
      await remove(ref, call)
      if (usesToken(addOn)) return fail(addOn, `the hub has accepted no cluster ${addOn.metadata.namespace}`, call)
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
