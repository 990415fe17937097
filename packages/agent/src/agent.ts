import { CERTIFICATE_SECONDS_KEY, HUB_KUBECONFIG_REQUEST_SECRET, HubKubeconfigKey } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { Informers, startControllers } from '@orrery/kube'
import type { ControllerGroup } from '@orrery/kube/controller'
import { writeSecret } from '@orrery/kube/credentials'
import { ensureNamespace } from './namespace.js'
import { type AgentOptions, type ResolvedAgentOptions, resolveAgentOptions } from './options.js'
import { DEFAULT_PARTS } from './parts.js'
import { resolveNames } from './registration/agent-names.js'
import { dumpedSecret } from './registration/dumped-secret.js'
import { Membership, type MembershipState } from './registration/membership.js'
import type { AgentNames } from './registration/names.js'
import { Trigger } from './registration/wakes.js'

/** An agent that is running. */
export interface Agent extends AgentNames {
  /** The state of the hub membership. */
  readonly state: MembershipState
  /** Calls back when the state may have changed. Returns a function that unsubscribes. */
  subscribe(onChange: (state: MembershipState) => void): () => void
  /** Resolves when the agent has joined a hub and runs with its own certificate. */
  whenJoined(signal?: AbortSignal): Promise<void>
  /** Stops the agent. Applied objects and the hub credentials stay. */
  close(): Promise<void>
}

/**
 * Starts the agent of a cluster: it joins the hub of its bootstrap kubeconfig, however long that takes, and applies
 * the hub's works. Resolves when it has started; rejects when the cluster cannot be reached or an option is not
 * valid.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const resolved = resolveAgentOptions(options, DEFAULT_PARTS)
  await prepare(resolved, options)
  const { namespace, hubSecret } = resolved
  const names = await resolveNames(resolved, { namespace, name: hubSecret })
  return new RunningAgent(resolved, names)
}

/** Stores the bootstrap kubeconfigs of the options in Secrets. */
async function prepare(
  { spoke, namespace, bootstrapSecrets, certificateSeconds }: ResolvedAgentOptions,
  { bootstrap }: AgentOptions,
) {
  await ensureNamespace(spoke, namespace)
  if (bootstrap === undefined || !('kubeconfigs' in bootstrap)) return
  for (const [index, kubeconfig] of bootstrap.kubeconfigs.entries()) {
    await writeSecret(
      spoke,
      { namespace, name: bootstrapSecrets[index] as string },
      {
        [HubKubeconfigKey.Kubeconfig]: kubeconfig,
        ...(certificateSeconds !== undefined && { [CERTIFICATE_SECONDS_KEY]: String(certificateSeconds) }),
      },
    )
  }
}

class RunningAgent implements Agent {
  readonly clusterName: string
  readonly #listeners = new Set<(state: MembershipState) => void>()
  readonly #informers: Informers
  readonly #membership: Membership
  readonly #controllers: ControllerGroup

  constructor(options: ResolvedAgentOptions, names: AgentNames) {
    const { spoke, clock, log, metrics, random, namespace, hubSecret, hubKubeconfigDirectory } = options
    this.clusterName = names.clusterName
    this.#informers = new Informers(spoke, { clock, log, random })
    const secretsCalled = (name: string) =>
      this.#informers.of(Secret, { namespace, fieldSelector: `metadata.name=${name}` })
    const identities = secretsCalled(hubSecret)
    const identityRef = { namespace, name: hubSecret }
    this.#membership = new Membership({
      options,
      names,
      identities,
      identityRef,
      requestRef: { namespace, name: HUB_KUBECONFIG_REQUEST_SECRET },
      trigger: new Trigger(),
      spokeInformers: this.#informers,
      bootstraps: options.bootstrapSecrets.map((name) => ({ name, informer: secretsCalled(name) })),
      onChange: () => this.#notify(),
    })
    const context = { spoke, spokeInformers: this.#informers, agentNamespace: namespace, clock, log, metrics }
    const specs = [
      this.#membership.controller(),
      ...options.parts.flatMap(({ controllers }) => controllers?.(context) ?? []),
    ]
    if (hubKubeconfigDirectory !== undefined) specs.push(dumpedSecret(identities, identityRef, hubKubeconfigDirectory))
    this.#controllers = startControllers(specs, { client: spoke, clock, log, metrics })
  }

  get agentName(): string {
    return this.#membership.names.agentName
  }

  get state(): MembershipState {
    return this.#membership.state
  }

  subscribe(onChange: (state: MembershipState) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  whenJoined(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const end = () => {
        unsubscribe()
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        end()
        reject(signal?.reason)
      }
      const look = ({ phase }: MembershipState) => {
        if (phase !== 'joined') return
        end()
        resolve()
      }
      const unsubscribe = this.subscribe(look)
      signal?.addEventListener('abort', abort, { once: true })
      look(this.state)
    })
  }

  async close(): Promise<void> {
    await this.#controllers.stop()
    await this.#membership.close()
    await this.#informers.close()
  }

  #notify(): void {
    const { state } = this
    for (const listener of this.#listeners) listener(state)
  }
}
