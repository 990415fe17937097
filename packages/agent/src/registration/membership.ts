import type { Secret } from '@orrery/kinds'
import { always, type ControllerSpec, type Informer, type Logger, requeueAfter, requeueAt } from '@orrery/kube'
import { type Requeue, soonest } from '@orrery/kube/controller'
import { deletePending } from '@orrery/kube/credentials'
import { renamed } from './agent-names.js'
import { bootstrapHubIn } from './bootstrap-secret.js'
import { type BootstrapHub, Bootstrapping } from './bootstrapping.js'
import { isSameHub } from './hub-address.js'
import { chooseHub } from './hub-choice.js'
import { type HubIdentity, identityIn, isFor, isValid } from './hub-identity.js'
import { HubSession, type HubSessionContext } from './hub-session.js'
import { type AgentNames, isSameAgent } from './names.js'
import { HUB_BACKOFF } from './registration-context.js'
import { rejoin } from './rejoining.js'

/** Where the agent is with its hub. */
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
  /** Hears when the state may be another. */
  readonly onChange: () => void
}

/** How often a hub is looked at that gives no sign by itself that it is away. */
const PROBLEM_INTERVAL = 5_000
/** How soon after the first try: whoever has just started the agent looks on. */
const FIRST_PROBLEM_INTERVAL = 1_000
/** How often a hub that does not know the cluster any more is asked whether that could be told again. */
const RETURN_INTERVAL = 60_000

/**
 * Keeps the agent on a hub.
 *
 * | identity for the hub | bootstrapping | session                                                     |
 * |----------------------|---------------|-------------------------------------------------------------|
 * | none                 | runs          | none                                                        |
 * | just got             | runs until the cluster is let in, when the session starts                   |
 * | valid                | none          | runs                                                        |
 * | expired              | runs          | stays: it goes on when there is a certificate               |
 * | for another hub      | runs          | ends: the old hub has no say any more                       |
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
  /** Whether the hub was found to know the cluster, and to refuse its agent. */
  #hasWaited = false
  /** When the hub was last asked to take the cluster back, in elapsed time. */
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

  /** What the agent is called: another after it had to join again. */
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
    return { phase: 'waiting', problem: `no hub can be joined with what is in Secret ${secrets}` }
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
    // Credentials may have changed: the latest are used next time.
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
    this.#log.info('asking the hub for an identity', { hub: hub.address.server, ...names })
    this.#bootstrapping = new Bootstrapping(this.#registration, hub, wasThere)
  }

  async #join(identity: HubIdentity): Promise<void> {
    this.#identity = identity
    await this.#endBootstrapping()
    if (this.#session !== undefined) return
    const { hub, names, notAfter } = identity
    this.#log.info('the hub knows this agent', { hub: hub.server, ...names, notAfter })
    this.#session = new HubSession({ ...this.#registration, onLost: (reason) => this.#lose(reason) }, identity)
  }

  /**
   * Introduces the cluster again to a hub that was put back to before it came. Resolves with whether that has to wait for the
   * end of a detachment.
   */
  async #returnIfForgotten(hub: BootstrapHub, signal: AbortSignal): Promise<boolean> {
    if (this.#session?.isForgotten !== true || this.#bootstrapping !== undefined) return false
    const { clock, rejoin: isWished } = this.#context.options
    const now = clock.elapsed()
    if (now - this.#askedToReturn < RETURN_INTERVAL) return false
    this.#askedToReturn = now
    // What people ask for at the start does not hold against those who detach the cluster later.
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
      this.#log.warn('the hub cannot be told of this cluster again', { hub: hub.address.server, error })
    }
    return false
  }

  /** Asks for an identity for a cluster that was introduced again. */
  async #startOver(hub: BootstrapHub, signal: AbortSignal): Promise<void> {
    const { options, identityRef, requestRef } = this.#context
    this.#names = await renamed(options, this.#names, identityRef, signal)
    await deletePending(options.spoke, requestRef)
    await this.#endSession()
    this.#log.warn('the hub knows this cluster again: asking for a new certificate', { ...this.#names })
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

  /** When to look again though nothing changes. */
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

  /** Leaves a hub that is lost, so that another is looked for. */
  async #leaveLost(): Promise<void> {
    if (this.#lost === undefined) return
    this.#log.warn('hub lost, looking for another', { hub: this.#hub?.address.server, reason: this.#lost })
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
