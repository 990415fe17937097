import {
  AddOnCondition,
  AddOnReason,
  ClusterManagementAddOn,
  ManagedClusterAddOn,
  ManagedClusterReason,
} from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { type Finding, findCondition, jsonEqual, setConditions } from '@orrery/kinds/values'
import {
  type ControllerSpec,
  each,
  isBeingDeleted,
  type KubeClient,
  type ReconcileContext,
  writeStatus,
} from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { annotationsChanged, anyOf, labelsChanged, type Predicate } from '@orrery/kube/controller'
import { refOfObject, semanticEqual } from '@orrery/kube/write'
import type { AddonContext, RegistrationConfig, RegistrationOptions } from '../agent-addon.js'
import { isConfigNotReady } from '../config/config-not-ready.js'
import type { AddonManagerContext } from '../manager/context.js'
import { acceptanceChanged, isAccepted } from './acceptance.js'
import { installNamespaceOf } from './install-namespace.js'
import { revokeAll, revokeClusterRoles } from './permissions.js'
import { mergeRegistrations } from './registrations.js'
import { SubjectNotReady } from './subject-not-ready.js'

const CONFIGURED = 'Registration of the addon agent is configured'
/** Permissions that were deleted on the hub are granted again. */
const RESYNC_MILLISECONDS = 600_000
/** Soon after the permission to grant permissions is back. */
const MAX_BACKOFF_MILLISECONDS = 60_000

/**
 * Registers the agents of add-ons: writes the supported configurations, the identities and the namespace of the agent to the
 * status of the ManagedClusterAddOn, and grants the agent its permissions.
 *
 * | `RegistrationApplied`             | when                                                             |
 * |-----------------------------------|------------------------------------------------------------------|
 * | True / `NilRegistration`          | the agent needs no identity                                      |
 * | True / `SetPermissionApplied`     | the agent has its permissions                                    |
 * | False / `PermissionConfigPending` | `status.registrations` had no subject to grant permissions to    |
 * | False / `SetPermissionFailed`     | the permissions could not be granted                             |
 * | False / `HubClusterAdminDenied`   | the hub does not accept the cluster: its agent has no permissions |
 */
export function addonRegistration(context: AddonManagerContext): ControllerSpec {
  const { addons, agents, clock, clusters } = context

  async function register(
    { namespace = '', name }: ObjectRef,
    { client, log, signal }: ReconcileContext,
  ): Promise<void> {
    const agent = agents.get(name)
    if (agent === undefined) return
    const addon = addons.get({ namespace, name })
    if (addon === undefined) return revokeClusterRoles(client, { namespace, name }, { signal })
    const cluster = clusters.get({ name: namespace })
    if (cluster === undefined || isBeingDeleted(addon)) return
    if (!isOwnedByItsManagementAddOn(addon)) return log.debug('the add-on has no owner yet')

    const supportedConfigs = (agent.supportedConfigs ?? []).map(({ group, resource }) => ({ group, resource }))
    if (!semanticEqual(supportedConfigs, addon.status?.supportedConfigs)) {
      await writeStatus(client, ManagedClusterAddOn, addon, ({ status }) => ({ ...status, supportedConfigs }), {
        signal,
      })
      return
    }
    const write = (
      finding: Finding,
      more: (current: ManagedClusterAddOn) => ManagedClusterAddOn['status'] = () => ({}),
    ) => writeFinding(client, addon, finding, more, clock, signal)
    const { registration } = agent
    if (registration === undefined) return write(applied(AddOnReason.NilRegistration))

    const call: AddonContext = { client, log, signal }
    if (!isAccepted(cluster)) {
      await revokeAll(client, addon, { signal })
      await registration.revoke?.(cluster, addon, call)
      return write(denied(namespace))
    }
    const configs = await configurationsOf(registration, () => registration.configurations?.(cluster, addon, call))
    // The agent may write all of the status. Nothing is granted to a subject that this add-on has not chosen.
    const merged =
      'list' in configs ? mergeRegistrations(configs.list, addon.status?.registrations, namespace, name) : []
    const isMerged = semanticEqual(merged, addon.status?.registrations)
    const trusted = { ...addon, status: { ...addon.status, registrations: isMerged ? merged : [] } }
    let isPending = false
    try {
      await registration.permissions?.(cluster, trusted, call)
    } catch (error) {
      isPending = error instanceof SubjectNotReady
      if (!isPending) {
        await write(failed(`Failed to set permission for hub agent: ${(error as Error).message}`))
        throw error
      }
    }
    if ('none' in configs) return write(applied(AddOnReason.NilRegistration))
    if ('error' in configs) throw configs.error
    const agentNamespace = await installNamespaceOf(agent, addon, call)
    await write(isPending ? pending() : applied(AddOnReason.SetPermissionApplied), ({ status }) => ({
      registrations: mergeRegistrations(configs.list, status?.registrations, namespace, name),
      namespace: agentNamespace,
    }))
  }

  return {
    name: 'addon-registration-controller',
    concurrency: 10,
    resyncMilliseconds: RESYNC_MILLISECONDS,
    backoff: { maxMilliseconds: MAX_BACKOFF_MILLISECONDS },
    wakes: [
      each(addons, undefined, { when: registrationChanged }),
      each(clusters, ({ metadata }) => addons.list(metadata.name).map(refOfObject), {
        when: anyOf(labelsChanged, annotationsChanged, acceptanceChanged),
      }),
      context.triggered,
    ],
    async reconcile(ref, run) {
      try {
        await register(ref, run)
      } catch (error) {
        if (!isConfigNotReady(error)) throw error
        // The normal course of an installation. The hash changes the status, which wakes this controller.
        run.log.debug('the configuration of the add-on is not ready', { reason: (error as Error).message })
      }
    },
  }
}

type Configurations =
  | { readonly list: readonly RegistrationConfig[] }
  | { readonly none: true }
  | { readonly error: Error }

/** An error is reported after one of the permissions, which shows in the status. */
async function configurationsOf(
  registration: RegistrationOptions,
  read: () => ReturnType<NonNullable<RegistrationOptions['configurations']>> | undefined,
): Promise<Configurations> {
  if (registration.configurations === undefined) return { none: true }
  try {
    return { list: (await read()) ?? [] }
  } catch (error) {
    return { error: new Error(`failed to get csr configurations: ${(error as Error).message}`, { cause: error }) }
  }
}

async function writeFinding(
  client: KubeClient,
  addon: ManagedClusterAddOn,
  finding: Finding,
  more: (current: ManagedClusterAddOn) => ManagedClusterAddOn['status'],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const statusOf = (current: ManagedClusterAddOn) => ({
    ...current.status,
    ...more(current),
    conditions: setConditions(current.status?.conditions, [finding], now),
  })
  await writeStatus(client, ManagedClusterAddOn, addon, statusOf, { signal })
}

function applied(reason: string): Finding {
  return { type: AddOnCondition.RegistrationApplied, status: 'True', reason, message: CONFIGURED }
}

function failed(message: string): Finding {
  return { type: AddOnCondition.RegistrationApplied, status: 'False', reason: AddOnReason.SetPermissionFailed, message }
}

function denied(clusterName: string): Finding {
  const message = `The hub does not accept the cluster ${clusterName}: the addon agent has no permissions`
  return { ...failed(message), reason: ManagedClusterReason.HubAdminDenied }
}

function pending(): Finding {
  const { message } = new SubjectNotReady()
  return { ...failed(message), reason: AddOnReason.PermissionConfigPending }
}

/** The hub sets this owner on every ManagedClusterAddOn of a ClusterManagementAddOn. */
function isOwnedByItsManagementAddOn({ metadata }: ManagedClusterAddOn): boolean {
  return (
    metadata.ownerReferences?.some(
      ({ kind, name }) => kind === ClusterManagementAddOn.kind && name === metadata.name,
    ) ?? false
  )
}

/** Other parts of the status, such as availability, change often and do not concern the registration. */
const registrationChanged: Predicate<ManagedClusterAddOn> = ({ before, after }) =>
  before === undefined || after === undefined || !jsonEqual(concerning(before), concerning(after))

function concerning({ metadata, spec, status }: ManagedClusterAddOn) {
  const { uid, annotations, ownerReferences, deletionTimestamp } = metadata
  const { supportedConfigs, registrations, namespace, configReferences, conditions } = status ?? {}
  const condition = findCondition(conditions, AddOnCondition.RegistrationApplied)
  const parts = { uid, annotations, ownerReferences, deletionTimestamp, spec, supportedConfigs, registrations }
  return { ...parts, namespace, configReferences, condition }
}
