import type { Secret } from '@orrery/kinds'
import { always, type ControllerSpec, type Informer, type Logger, requeueAfter, requeueAt } from '@orrery/kube'
import { type Requeue, soonest } from '@orrery/kube/controller'
import { deletePending } from '@orrery/kube/credentials'
import { isSameHub } from '../hub-address.js'
import { renamed } from './agent-names.js'
import { bootstrapHubIn } from './bootstrap-secret.js'
import { type BootstrapHub, Bootstrapping } from './bootstrapping.js'
import { chooseHub } from './hub-choice.js'
import { type HubIdentity, identityIn, isFor, isValid } from './hub-identity.js'
import { HubSession, type HubSessionContext } from './hub-session.js'
import { type AgentNames, isSameAgent } from './names.js'
import { HUB_BACKOFF } from './registration-context.js'
import { rejoin } from './rejoining.js'

/** The state of the agent's hub membership. */
export type MembershipState =
  /** There is no bootstrap kubeconfig. */
  | { readonly phase: 'waiting'; readonly problem: string }
  /** It requests a certificate, or waits to be accepted. */
  | { readonly phase: 'bootstrapping'; readonly hub: string; readonly problem?: string }
  /** It has a certificate for the hub. */
  | { readonly phase: 'joined'; readonly hub: string; readonly certificateExpires: Date; readonly problem?: string }

export interface MembershipContext extends Omit<HubSessionContext, 'onLost' | 'certificateSeconds'> {
  /** The Secrets with bootstrap kubeconfigs, each with its informer. */
  readonly bootstraps: readonly { readonly name: string; readonly informer: Informer<Secret> }[]
  /** Called when the state may have changed. */
  readonly onChange: () => void
}

/** How often to check a hub, since an unreachable hub causes no event. */
const PROBLEM_INTERVAL = 5_000
/** The same after the first attempt: the person who started the agent is waiting. */
const FIRST_PROBLEM_INTERVAL = 1_000
/** How often to ask a hub that no longer knows the cluster whether the agent may rejoin. */
const RETURN_INTERVAL = 60_000

/**
 * Keeps the agent on a hub.
 *
 * | identity for the hub | bootstrapping | session                                                     |
 * |----------------------|---------------|-------------------------------------------------------------|
 * | none                 | runs          | none                                                        |
 * | just issued          | runs until the cluster is accepted, then the session starts                 |
 * | valid                | none          | runs                                                        |
 * | expired              | runs          | stays: it continues with the next certificate               |
 * | for another hub      | runs          | ends                                                        |
 */
export class Membership {
  readonly #context: MembershipContext
  readonly #log: Logger
  #hub: BootstrapHub | undefined
  #identity: HubIdentity | undefined
  #bootstrapping: Bootstrapping | undefined
  #session: HubSession | undefined
  #lost: string | undefined
  #names: AgentNames
  /** Whether the hub knows the cluster but rejects its agent. */
  #hasWaited = false
  /** When the agent last tried to rejoin, in elapsed time. */
  #askedToReturn = Number.NEGATIVE_INFINITY

  constructor(context: MembershipContext) {
    this.#context = context
    this.#names = context.names
    this.#log = context.options.log.child('membership')
  }

  controller(): ControllerSpec {
    const { bootstraps, identities, identityRef, trigger } = this.#context
    return {
      name: 'membership',
      wakes: [
        always(identities, identityRef),
        ...bootstraps.map(({ informer }) => always(informer, identityRef)),
        trigger.wake(identities, identityRef),
      ],
      backoff: HUB_BACKOFF,
      reconcile: (_, { clock, signal }) => this.#reconcile(clock.now(), signal),
    }
  }

  /** The names of the agent. They change when it has to join again. */
  get names(): AgentNames {
    return this.#names
  }

  async close(): Promise<void> {
    await this.#bootstrapping?.close()
    await this.#session?.close()
  }

  get state(): MembershipState {
    const problem = this.#bootstrapping?.problem ?? this.#session?.problem
    const why = problem === undefined ? {} : { problem }
    if (this.#session !== undefined && this.#identity !== undefined) {
      const { hub, notAfter } = this.#identity
      return { phase: 'joined', hub: hub.server, certificateExpires: notAfter, ...why }
    }
    if (this.#bootstrapping !== undefined) {
      return { phase: 'bootstrapping', hub: this.#bootstrapping.hub.address.server, ...why }
    }
    const { namespace, bootstrapSecrets } = this.#context.options
    const secrets = bootstrapSecrets.map((name) => `${namespace}/${name}`).join(', ')
    return { phase: 'waiting', problem: `no hub can be joined with the bootstrap kubeconfig in Secret ${secrets}` }
  }

  async #reconcile(now: Date, signal: AbortSignal): Promise<Requeue | undefined> {
    try {
      return await this.#settle(now, signal)
    } finally {
      this.#context.onChange()
    }
  }

  async #settle(now: Date, signal: AbortSignal): Promise<Requeue | undefined> {
    const { identities, identityRef } = this.#context
    const names = this.#names
    const identity = await identityIn(identities.get(identityRef))
    await this.#leaveLost()
    const hub = await this.#pick(await this.#bootstrapHubs(), identity, signal)
    if (hub === undefined) return this.#continueWithoutBootstrap(identity, now)
    const own = isFor(identity, hub.address, names) ? identity : undefined
    if (this.#session !== undefined && !isSameHub(this.#session.identity.hub, hub.address)) await this.#endSession()
    if (own !== undefined) this.#session?.use(own)
    const hubNow = (this.#bootstrapping ?? this.#session)?.hubNow(now)
    const isKnown = own !== undefined && isValid(own, now, hubNow)
    if (!isKnown) await this.#bootstrap(hub, identity)
    else if (this.#session !== undefined || (this.#bootstrapping?.isOver ?? true)) await this.#join(own)
    const isLeaving = await this.#returnIfForgotten(hub, signal)
    return soonest(now, this.#next(own, now), isLeaving ? requeueAfter(PROBLEM_INTERVAL) : undefined)
  }

  /** Without a bootstrap kubeconfig, a valid certificate is still used. */
  async #continueWithoutBootstrap(identity: HubIdentity | undefined, now: Date): Promise<Requeue | undefined> {
    await this.#endBootstrapping()
    if (identity === undefined || !isSameAgent(identity.names, this.#names) || !isValid(identity, now)) return
    if (this.#session?.isFor(identity) === false) await this.#endSession()
    this.#session?.use(identity)
    await this.#join(identity)
    return requeueAt(identity.notAfter)
  }

  /** The hubs of the bootstrap kubeconfigs. One that cannot be used is logged each time the Secret changes. */
  async #bootstrapHubs(): Promise<BootstrapHub[]> {
    const { bootstraps, options } = this.#context
    const hubs: BootstrapHub[] = []
    for (const { name, informer } of bootstraps) {
      try {
        const hub = await bootstrapHubIn(informer.get({ namespace: options.namespace, name }))
        if (hub !== undefined) hubs.push(hub)
      } catch (error) {
        this.#log.error('a bootstrap kubeconfig cannot be used', {
          kind: 'Secret',
          namespace: options.namespace,
          name,
          error,
        })
      }
    }
    return hubs
  }

  async #pick(
    hubs: readonly BootstrapHub[],
    identity: HubIdentity | undefined,
    signal: AbortSignal,
  ): Promise<BootstrapHub | undefined> {
    const { options } = this.#context
    const current = this.#hub
    // Credentials may have changed: the next attempt uses the latest.
    this.#hub = current && hubs.find(({ address }) => isSameHub(address, current.address))
    if (this.#hub !== undefined || !options.features.MultipleHubs) {
      this.#hub ??= hubs[0]
      return this.#hub
    }
    if (hubs.length === 0) return undefined
    this.#hub = await chooseHub(hubs, identity, this.#names, options, signal)
    if (this.#hub === undefined) throw new Error('none of the hubs can be joined')
    this.#log.info('hub chosen', { hub: this.#hub.address.server })
    return this.#hub
  }

  async #bootstrap(hub: BootstrapHub, identity: HubIdentity | undefined): Promise<void> {
    const { options } = this.#context
    const names = this.#names
    const running = this.#bootstrapping
    if (running !== undefined && JSON.stringify(running.hub) === JSON.stringify(hub)) {
      const isGone = options.features.MultipleHubs && running.failingFor >= options.hubTimeout
      if (isGone) this.#lose('the hub does not answer')
      return
    }
    await this.#endBootstrapping()
    const wasThere = identity !== undefined && isSameAgent(identity.names, names)
    this.#log.info('requesting a certificate from the hub', { hub: hub.address.server, ...names })
    this.#bootstrapping = new Bootstrapping(this.#registration, hub, wasThere)
  }

  async #join(identity: HubIdentity): Promise<void> {
    this.#identity = identity
    await this.#endBootstrapping()
    if (this.#session !== undefined) return
    const { hub, names, notAfter } = identity
    this.#log.info('joined the hub', { hub: hub.server, ...names, notAfter })
    this.#session = new HubSession({ ...this.#registration, onLost: (reason) => this.#lose(reason) }, identity)
  }

  /**
   * Registers the cluster again with a hub that was restored from an older backup. Resolves with whether the
   * detachment of the cluster has to complete first.
   */
  async #returnIfForgotten(hub: BootstrapHub, signal: AbortSignal): Promise<boolean> {
    if (this.#session?.isForgotten !== true || this.#bootstrapping !== undefined) return false
    const { clock, rejoin: isWished } = this.#context.options
    const now = clock.elapsed()
    if (now - this.#askedToReturn < RETURN_INTERVAL) return false
    this.#askedToReturn = now
    // The option `rejoin` is for the start. It does not override a later detachment.
    const isAsked = isWished && !this.#session.wasKnown
    try {
      const { lastVersion } = this.#session
      const refusal = { lastVersion, isAsked, isLasting: this.#hasWaited }
      const found = await rejoin(this.#registration, hub, refusal, signal)
      this.#hasWaited = found === 'waiting'
      if (found === 'leaving') {
        this.#askedToReturn = Number.NEGATIVE_INFINITY
        return true
      }
      if (found === 'unknown') this.#log.warn('the hub does not know this agent any more')
      if (found === 'introduced') await this.#startOver(hub, signal)
    } catch (error) {
      this.#log.warn('the cluster cannot be registered with the hub again', { hub: hub.address.server, error })
    }
    return false
  }

  /** Requests a certificate for a cluster that was registered again. */
  async #startOver(hub: BootstrapHub, signal: AbortSignal): Promise<void> {
    const { options, identityRef, requestRef } = this.#context
    this.#names = await renamed(options, this.#names, identityRef, signal)
    await deletePending(options.spoke, requestRef)
    await this.#endSession()
    this.#log.warn('cluster registered with the hub again: requesting a new certificate', { ...this.#names })
    await this.#bootstrap(hub, undefined)
  }

  /** Context for bootstrapping and the session. `certificateSeconds` is read lazily because the bootstrap Secret can change it. */
  get #registration() {
    const { certificateSeconds } = this.#context.options
    return {
      ...this.#context,
      names: this.#names,
      certificateSeconds: () => certificateSeconds ?? this.#hub?.certificateSeconds,
    }
  }

  /** When to reconcile again without a change. */
  #next(identity: HubIdentity | undefined, now: Date): Requeue | undefined {
    const expiry = identity === undefined || identity.notAfter < now ? undefined : requeueAt(identity.notAfter)
    if (this.#bootstrapping === undefined) return expiry
    const interval = Math.min(Math.max(this.#bootstrapping.age, FIRST_PROBLEM_INTERVAL), PROBLEM_INTERVAL)
    return soonest(now, expiry, requeueAfter(interval))
  }

  #lose(reason: string): void {
    this.#lost = reason
    this.#context.trigger.fire()
  }

  /** Closes the session with a lost hub, so that another one is chosen. */
  async #leaveLost(): Promise<void> {
    if (this.#lost === undefined) return
    this.#log.warn('hub lost, switching to another', { hub: this.#hub?.address.server, reason: this.#lost })
    this.#lost = undefined
    this.#hub = undefined
    await this.#endBootstrapping()
    await this.#endSession()
  }

  async #endBootstrapping(): Promise<void> {
    const ending = this.#bootstrapping
    this.#bootstrapping = undefined
    await ending?.close()
  }

  async #endSession(): Promise<void> {
    const ending = this.#session
    this.#session = undefined
    await ending?.close()
  }
}
