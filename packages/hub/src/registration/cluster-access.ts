import {
  ADDON_NAME_LABEL,
  CLUSTER_NAME_LABEL,
  type ManagedCluster,
  REGISTERED_AGENTS_ANNOTATION,
  WORK_FINALIZER,
} from '@orrery/api'
import { type ApiObject, ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { type Informer, type Informers, isBeingDeleted } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { refOfObject } from '@orrery/kube/write'
import type { HubContext } from '../context.js'
import { deleteAccess, ensureAccess } from './access-writer.js'
import { type ApprovedAgent, agentsIn, type Registration, registrationOf } from './agent-registration.js'
import {
  type Acceptance,
  agentRoleName,
  agentRules,
  REGISTRATION_ROLE,
  registrationBindingName,
  WORK_ROLE,
  workBindingName,
} from './agentroles.js'
import { registeredAgents } from './first-request.js'

/** How many agent names are recorded: all certificates expire within so many registrations. */
const MAX_AGENTS = 100

/** The informers of the objects that grant access to agents, without those of add-ons. */
export interface AccessInformers {
  readonly namespaces: Informer<Namespace>
  readonly roles: Informer<ClusterRole>
  readonly clusterBindings: Informer<ClusterRoleBinding>
  readonly bindings: Informer<RoleBinding>
}

/** The informers of the objects that grant access to agents. */
export function accessInformers(informers: Informers): AccessInformers {
  const selection = { labelSelector: `${CLUSTER_NAME_LABEL},!${ADDON_NAME_LABEL}` }
  return {
    namespaces: informers.of(Namespace, selection),
    roles: informers.of(ClusterRole, selection),
    clusterBindings: informers.of(ClusterRoleBinding, selection),
    bindings: informers.of(RoleBinding, selection),
  }
}

/** The cluster in the label of an object. */
export function labelledCluster({ metadata }: ApiObject): { name: string } | undefined {
  const name = metadata.labels?.[CLUSTER_NAME_LABEL]
  return name === undefined || name === '' ? undefined : { name }
}

/** Grants and revokes the access of agents to the hub. */
export class ClusterAccess {
  readonly #context: Pick<HubContext, 'client' | 'options'>
  readonly #known: AccessInformers
  /** Agents whose certificates are about to be approved, by the uid of their cluster. Informers lag behind. */
  readonly #expected = new Map<string, ApprovedAgent>()
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(context: Pick<HubContext, 'client' | 'options'>, known: AccessInformers) {
    this.#context = context
    this.#known = known
  }

  /** Whether the agent of a cluster has, or had, any permissions. */
  exists(cluster: string): boolean {
    return (this.#role(cluster)?.rules ?? []).length > 0 || this.#bindings(cluster).length > 0
  }

  /** Serializes the changes to the access of a cluster. */
  async inTurn<T>(cluster: string, step: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#turns.get(cluster)]).then(step)
    this.#turns.set(cluster, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(cluster) === turn) this.#turns.delete(cluster)
    }
  }

  /** The registration of a cluster, given the agent whose certificate was approved last. */
  registration(cluster: ManagedCluster, approved: ApprovedAgent | undefined): Registration {
    const { name, uid } = cluster.metadata
    const clusterBinding = this.#known.clusterBindings.get({ name: agentRoleName(name) })
    const expected = this.#expected.get(uid)
    const latest = expected !== undefined && expected.approvedOn > (approved?.approvedOn ?? '') ? expected : approved
    const registration = registrationOf(cluster, clusterBinding, this.#bindings(name), latest)
    if (latest !== expected) this.#expected.delete(uid)
    return registration
  }

  /** Grants access to an agent before its certificate is approved, so that it has access once it has the certificate. */
  async expect(cluster: ManagedCluster, agent: ApprovedAgent, options: CallOptions): Promise<void> {
    const { name, uid } = cluster.metadata
    this.#expected.set(uid, agent)
    const registration = this.registration(cluster, undefined)
    if (!this.exists(name)) return this.record(name, registration, options)
    if (cluster.spec?.hubAcceptsClient !== true) return this.restrict(name, registration, options)
    await this.ensureNamespace(name, registration, options)
    await this.grant(name, registration, true, options)
  }

  /** Ensures the namespace of a cluster. It outlives the cluster, and records the agents that were registered. */
  async ensureNamespace(cluster: string, registration: Registration, options: CallOptions): Promise<void> {
    const known = this.#known.namespaces.get({ name: cluster })
    const agents = [...new Set([...registeredAgents(known), ...agentsIn(registration)])].slice(-MAX_AGENTS)
    const annotations = agents.length === 0 ? {} : { [REGISTERED_AGENTS_ANNOTATION]: agents.join(',') }
    const wanted = { metadata: { name: cluster, labels: this.#labels(cluster), annotations } }
    // A terminating namespace cannot be used: the requests after this fail with the reason.
    if (known !== undefined && isBeingDeleted(known)) return
    await ensureAccess(this.#context.client, Namespace, wanted, known, options)
  }

  /**
   * Grants the agent of a cluster all permissions that it needs. The namespace exists. While there are works, a binding for
   * works that is being deleted stays: its finalizer keeps it, and a terminating namespace accepts no new one. A binding of
   * an earlier registration does not stay.
   */
  async grant(cluster: string, registration: Registration, hasWorks: boolean, options: CallOptions): Promise<void> {
    const { client } = this.#context
    const { bindings } = this.#known
    const { subjects, annotations } = registration
    const inNamespace = (name: string, role: string, finalizers?: string[]) =>
      ensureAccess(
        client,
        RoleBinding,
        {
          metadata: {
            namespace: cluster,
            name,
            labels: this.#labels(cluster),
            annotations,
            ...(finalizers && { finalizers }),
          },
          roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: role },
          subjects,
        },
        bindings.get({ namespace: cluster, name }),
        options,
      )
    const toWorks = bindings.get({ namespace: cluster, name: workBindingName(cluster) })
    const isStillNeeded =
      hasWorks && toWorks !== undefined && isBeingDeleted(toWorks) && jsonEqual(toWorks.subjects, subjects)
    await settled([
      this.#ensureRole(cluster, 'accepted', registration, options),
      inNamespace(registrationBindingName(cluster), REGISTRATION_ROLE),
      isStillNeeded ? undefined : inNamespace(workBindingName(cluster), WORK_ROLE, [WORK_FINALIZER]),
    ])
  }

  /** Records the agent of a cluster that is not accepted yet. It gets no permissions. */
  async record(cluster: string, registration: Registration, options: CallOptions): Promise<void> {
    await this.#ensureRole(cluster, 'undecided', registration, options)
  }

  /** Revokes all permissions of an agent but to read its ManagedCluster. */
  async restrict(cluster: string, registration: Registration, options: CallOptions): Promise<void> {
    await settled([
      this.#ensureRole(cluster, 'denied', registration, options),
      ...this.#bindings(cluster).map((binding) => deleteAccess(this.#context.client, RoleBinding, binding, options)),
    ])
  }

  /**
   * Revokes all permissions. While there are works, the agent keeps access to them: it has to remove its finalizer.
   */
  async revoke(cluster: string, hasWorks: boolean, options: CallOptions): Promise<void> {
    const { client } = this.#context
    const remove = (binding: RoleBinding) =>
      hasWorks && binding.metadata.name === workBindingName(cluster)
        ? this.#deleteWithFinalizer(binding, options)
        : deleteAccess(client, RoleBinding, binding, options)
    const name = agentRoleName(cluster)
    const role = this.#role(cluster)
    const clusterBinding = this.#known.clusterBindings.get({ name })
    await settled([
      ...this.#bindings(cluster).map(remove),
      clusterBinding && deleteAccess(client, ClusterRoleBinding, clusterBinding, options),
      role && deleteAccess(client, ClusterRole, role, options),
    ])
  }

  async #deleteWithFinalizer(binding: RoleBinding, options: CallOptions): Promise<void> {
    if (isBeingDeleted(binding)) return
    const { uid } = binding.metadata
    await this.#context.client.ensureDeleted(RoleBinding, refOfObject(binding), { ...options, preconditions: { uid } })
  }

  async #ensureRole(
    cluster: string,
    acceptance: Acceptance,
    { subjects, annotations }: Registration,
    options: CallOptions,
  ): Promise<void> {
    const { client } = this.#context
    const metadata = { name: agentRoleName(cluster), labels: this.#labels(cluster) }
    const { clusterBindings } = this.#known
    await ensureAccess(
      client,
      ClusterRole,
      { metadata, rules: agentRules(cluster, acceptance) },
      this.#role(cluster),
      options,
    )
    await ensureAccess(
      client,
      ClusterRoleBinding,
      {
        metadata: { ...metadata, annotations },
        roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: metadata.name },
        subjects,
      },
      clusterBindings.get(metadata),
      options,
    )
  }

  #role(cluster: string): ClusterRole | undefined {
    const role = this.#known.roles.get({ name: agentRoleName(cluster) })
    // A role that all agents share can have the same name.
    return role && labelledCluster(role)?.name === cluster ? role : undefined
  }

  #bindings(cluster: string): RoleBinding[] {
    return [registrationBindingName(cluster), workBindingName(cluster)]
      .map((name) => this.#known.bindings.get({ namespace: cluster, name }))
      .filter((binding) => binding !== undefined)
  }

  #labels(cluster: string): Record<string, string> {
    return { ...this.#context.options.labels, [CLUSTER_NAME_LABEL]: cluster }
  }
}

/** Waits for all, so that one failure does not prevent the other changes; then throws the first error. */
async function settled(steps: readonly (Promise<void> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(steps)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure !== undefined) throw failure.reason
}
