import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, WORK_FINALIZER } from '@orrery/api'
import {
  type ApiObject,
  type CallOptions,
  type Informer,
  type Informers,
  isBeingDeleted,
  refOfObject,
} from '@orrery/kube'
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from '@orrery/kube/kinds'
import type { HubContext } from '../context.js'
import { makeTrue, takeAway } from './accesswriter.js'
import {
  agentRoleName,
  agentRules,
  agentSubjects,
  REGISTRATION_ROLE,
  registrationBindingName,
  WORK_ROLE,
  workBindingName,
} from './agentroles.js'

/** What is known of the objects that agents have their rights from. Those of add-ons are somebody else's. */
export interface AccessInformers {
  readonly namespaces: Informer<Namespace>
  readonly roles: Informer<ClusterRole>
  readonly clusterBindings: Informer<ClusterRoleBinding>
  readonly bindings: Informer<RoleBinding>
}

/** The informers for the objects that agents have their rights from. */
export function accessInformers(informers: Informers): AccessInformers {
  const selection = { labelSelector: `${CLUSTER_NAME_LABEL},!${ADDON_NAME_LABEL}` }
  return {
    namespaces: informers.of(Namespace, selection),
    roles: informers.of(ClusterRole, selection),
    clusterBindings: informers.of(ClusterRoleBinding, selection),
    bindings: informers.of(RoleBinding, selection),
  }
}

/** The cluster that an object is for, going by its label. */
export function labelledCluster({ metadata }: ApiObject): { name: string } | undefined {
  const name = metadata.labels?.[CLUSTER_NAME_LABEL]
  return name === undefined || name === '' ? undefined : { name }
}

/** Gives the agents of clusters their rights on the hub, and takes them away. */
export class ClusterAccess {
  readonly #context: Pick<HubContext, 'client' | 'options'>
  readonly #known: AccessInformers

  constructor(context: Pick<HubContext, 'client' | 'options'>, known: AccessInformers) {
    this.#context = context
    this.#known = known
  }

  /** Whether the agent of a cluster has, or had, any rights. */
  exists(cluster: string): boolean {
    return this.#role(cluster) !== undefined || this.#bindings(cluster).length > 0
  }

  /** Makes the namespace of a cluster. */
  async makeNamespace(cluster: string, options: CallOptions): Promise<void> {
    const wanted = { metadata: { name: cluster, labels: this.#labels(cluster) } }
    const known = this.#known.namespaces.get(wanted.metadata)
    // One that is on its way out has to be waited for: what follows says so.
    if (known !== undefined && isBeingDeleted(known)) return
    await makeTrue(this.#context.client, Namespace, known, wanted, options)
  }

  /**
   * Gives the agent of a cluster all that it needs. Its namespace is there. While there are works, a binding to them that is
   * being deleted is left to it: it holds for as long as its finalizer does, and in a namespace that is being deleted there
   * could be no other.
   */
  async grant(cluster: string, hasWorks: boolean, options: CallOptions): Promise<void> {
    const { client } = this.#context
    const { bindings } = this.#known
    const inNamespace = (name: string, role: string, finalizers?: string[]) =>
      makeTrue(
        client,
        RoleBinding,
        bindings.get({ namespace: cluster, name }),
        {
          metadata: { namespace: cluster, name, labels: this.#labels(cluster), ...(finalizers && { finalizers }) },
          roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: role },
          subjects: agentSubjects(cluster),
        },
        options,
      )
    const toWorks = bindings.get({ namespace: cluster, name: workBindingName(cluster) })
    const isStillNeeded = hasWorks && toWorks !== undefined && isBeingDeleted(toWorks)
    await settled([
      this.#makeRole(cluster, true, options),
      inNamespace(registrationBindingName(cluster), REGISTRATION_ROLE),
      isStillNeeded ? undefined : inNamespace(workBindingName(cluster), WORK_ROLE, [WORK_FINALIZER]),
    ])
  }

  /** Leaves the agent of a cluster nothing but to see that it was thrown out. */
  async restrict(cluster: string, options: CallOptions): Promise<void> {
    await settled([
      this.#makeRole(cluster, false, options),
      ...this.#bindings(cluster).map((binding) => takeAway(this.#context.client, RoleBinding, binding, options)),
    ])
  }

  /**
   * Takes all rights away, save that works can be worked on while there are any: without, their agent could not let go
   * of them.
   */
  async revoke(cluster: string, hasWorks: boolean, options: CallOptions): Promise<void> {
    const { client } = this.#context
    const remove = (binding: RoleBinding) =>
      hasWorks && binding.metadata.name === workBindingName(cluster)
        ? this.#deleteHeldUp(binding, options)
        : takeAway(client, RoleBinding, binding, options)
    const name = agentRoleName(cluster)
    const role = this.#role(cluster)
    const clusterBinding = this.#known.clusterBindings.get({ name })
    await settled([
      ...this.#bindings(cluster).map(remove),
      clusterBinding && takeAway(client, ClusterRoleBinding, clusterBinding, options),
      role && takeAway(client, ClusterRole, role, options),
    ])
  }

  async #deleteHeldUp(binding: RoleBinding, options: CallOptions): Promise<void> {
    if (isBeingDeleted(binding)) return
    const { uid } = binding.metadata
    await this.#context.client.ensureDeleted(RoleBinding, refOfObject(binding), { ...options, preconditions: { uid } })
  }

  async #makeRole(cluster: string, accepted: boolean, options: CallOptions): Promise<void> {
    const { client } = this.#context
    const metadata = { name: agentRoleName(cluster), labels: this.#labels(cluster) }
    const { clusterBindings } = this.#known
    await makeTrue(
      client,
      ClusterRole,
      this.#role(cluster),
      { metadata, rules: agentRules(cluster, accepted) },
      options,
    )
    await makeTrue(
      client,
      ClusterRoleBinding,
      clusterBindings.get(metadata),
      {
        metadata,
        roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: metadata.name },
        subjects: agentSubjects(cluster),
      },
      options,
    )
  }

  #role(cluster: string): ClusterRole | undefined {
    const role = this.#known.roles.get({ name: agentRoleName(cluster) })
    // One that all agents share could go by the same name.
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

/** Waits for all, so that one failure keeps no other right from being given or taken; then fails with the first. */
async function settled(steps: readonly (Promise<void> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(steps)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure !== undefined) throw failure.reason
}
