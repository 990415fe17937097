import { CLUSTER_UID_ANNOTATION, ManagedClusterCondition, ManagedClusterReason } from '@orrery/api'
import { CertificateSigningRequest, Secret } from '@orrery/kinds'
import { type Finding, isForbidden, isInvalid } from '@orrery/kinds/values'
import {
  always,
  type ControllerSpec,
  certificateOf,
  type Informer,
  type KubeClient,
  type Logger,
  type Requeue,
  requeueAfter,
  requeueAt,
  type Wake,
} from '@orrery/kube'
import { parseCertificateBundle } from '@orrery/kube/pki'
import {
  type CertificateOrder,
  dropOrder,
  findOrder,
  fulfils,
  placeOrder,
  requestFor,
  requestSelector,
  sendOrder,
} from './certificate-order.js'
import type { HubAddress } from './hub-address.js'
import { type HubIdentity, identityData, identityIn, isFor, isValid, validityOf } from './hub-identity.js'
import type { HubTime } from './hub-time.js'
import { type AgentNames, agentSubject } from './names.js'
import { HUB_BACKOFF } from './registration-context.js'
import { type SecretRef, writeSecret } from './secretdata.js'

export interface CertificateContext {
  /** Of the controller: the first certificate and the next may be on their way at the same time. */
  readonly name: string
  readonly spoke: KubeClient
  readonly hub: HubAddress
  readonly names: AgentNames
  /** The Secret with the identity. */
  readonly identities: Informer<Secret>
  readonly identityRef: SecretRef
  /** The Secret with the order under way. */
  readonly orderRef: SecretRef
  /** The requests for the cluster's certificates that are on the hub. */
  readonly requests: Informer<CertificateSigningRequest>
  readonly certificateSeconds: () => number | undefined
  readonly hubTime: HubTime
  /** Whether this is the one to act: the bootstrap identity gets the first certificate, the agent's own all others. */
  readonly isMine: (identity: HubIdentity | undefined, now: Date) => boolean
  /** The uid of the ManagedCluster that a first certificate is for; undefined for those that follow. */
  readonly clusterUid: () => string | undefined
  /** Whether a request was sent for an earlier ManagedCluster of the same name: its certificate would be of no use. */
  readonly isOutdated: (request: CertificateSigningRequest) => boolean
  /** Whether the agent may ask at all. */
  readonly mayAsk: () => boolean
  /** Further things that may have changed that. */
  readonly wakes: readonly Wake[]
  /** Tells whoever looks at the cluster how its certificate fares. */
  readonly report: (finding: Finding, signal: AbortSignal) => Promise<void>
  /** A cluster has so many requests on the hub that another would not help. */
  readonly onHalt: () => void
}

/** With so many requests on the hub, another one is not heard. */
const TOO_MANY_REQUESTS = 10
/** How long a certificate that is of no use is put up with before anything is done about it. */
const USELESS_INTERVAL = 60_000

/**
 * Makes sure that the agent has a certificate for its hub, and has the next one in time.
 *
 * | identity             | order | request on the hub | then                                         |
 * |----------------------|-------|--------------------|----------------------------------------------|
 * | valid, not due       |       |                    | wait until it is due                         |
 * | none, expired or due | none  |                    | make a key and an order, unless too many wait |
 * |                      | kept  | none               | send it                                      |
 * |                      | kept  | for an earlier ManagedCluster | forget the order, and begin again |
 * |                      | kept  | undecided          | wait: the hub's watch wakes                  |
 * |                      | kept  | refused            | say so, and wait until the hub forgets it    |
 * |                      | kept  | issued             | keep the certificate, forget the order       |
 * |                      | kept  | issued, and of no use | forget the order, and begin again later   |
 * |                      | kept  | issued, and over by the clock here alone | wait until the clock is set |
 */
export function clusterCertificate(context: CertificateContext): ControllerSpec {
  const { name, identities, identityRef, requests, wakes } = context
  return {
    name,
    wakes: [always(identities, identityRef), always(requests, identityRef), ...wakes],
    backoff: HUB_BACKOFF,
    async reconcile(ref, { client, clock, log, signal }) {
      const step = new Step(context, client, log, signal)
      return step.take(await identityIn(identities.get(ref)), clock.now())
    },
  }
}

/** One look at where things stand. */
class Step {
  readonly #context: CertificateContext
  readonly #hub: KubeClient
  readonly #log: Logger
  readonly #signal: AbortSignal

  constructor(context: CertificateContext, hub: KubeClient, log: Logger, signal: AbortSignal) {
    this.#context = context
    this.#hub = hub
    this.#log = log
    this.#signal = signal
  }

  async take(identity: HubIdentity | undefined, now: Date): Promise<Requeue | undefined> {
    if (!this.#context.isMine(identity, now)) return undefined
    const settled = await this.#settled(identity, now)
    if (settled !== undefined) return settled
    if (!this.#context.mayAsk()) return undefined
    const { spoke, orderRef, names } = this.#context
    const order = await findOrder(spoke, orderRef, names, this.#signal)
    return order === undefined ? this.#begin(now) : this.#pursue(order, identity, now)
  }

  /** When the certificate there is will do: until when. */
  async #settled(identity: HubIdentity | undefined, now: Date): Promise<Requeue | undefined> {
    const { report } = this.#context
    if (!this.#isKnown(identity, now) || now >= identity.renewAt) return undefined
    await report(rotated(identity), this.#signal)
    return requeueAt(identity.renewAt)
  }

  /** Whether the hub would know the agent by the certificate there is. */
  #isKnown(identity: HubIdentity | undefined, now: Date): identity is HubIdentity {
    const { hub, names, hubTime } = this.#context
    return isFor(identity, hub, names) && isValid(identity, now, hubTime.at(now))
  }

  async #begin(now: Date): Promise<Requeue | undefined> {
    const { spoke, orderRef, identityRef, names } = this.#context
    // The copy at hand may be older than the certificate that has just come: another request would be one too many.
    const settled = await this.#settled(await identityIn(await spoke.find(Secret, identityRef, this.#call)), now)
    if (settled !== undefined) return settled
    const { items } = await this.#hub.list(CertificateSigningRequest, this.#selection)
    if (items.length >= TOO_MANY_REQUESTS) return this.#halt()
    return this.#send(await placeOrder(spoke, orderRef, names, this.#signal))
  }

  async #pursue(order: CertificateOrder, identity: HubIdentity | undefined, now: Date): Promise<Requeue | undefined> {
    const { requests, names, hubTime, report } = this.#context
    const known = requestFor(order, requests.list())
    // The copy at hand may not have it yet.
    const request = known ?? requestFor(order, (await this.#hub.list(CertificateSigningRequest, this.#selection)).items)
    if (request === undefined) return this.#send(order)
    if (this.#context.isOutdated(request)) {
      this.#log.info('the cluster is another since the certificate was requested', { request: request.metadata.name })
      await this.#forget()
      return this.#begin(now)
    }
    const certificate = await this.#issued(request)
    if (certificate === undefined) return undefined
    const { notBefore, notAfter } = validityIn(certificate)
    // Another would be no better: hubs give each the time that is right by their own clock.
    if (now > notAfter && hubTime.at(now) <= notAfter) {
      await report(failed(`The certificate is over before it could be used; ${hubTime.problem}`), this.#signal)
      return requeueAfter(USELESS_INTERVAL)
    }
    const isStale = now > notAfter || (this.#isKnown(identity, now) && notBefore <= identity.notBefore)
    if (isStale || !fulfils(certificate, order, names)) {
      this.#log.warn('the hub issued a certificate that is of no use', { request: request.metadata.name })
      await this.#forget()
      return requeueAfter(USELESS_INTERVAL)
    }
    return this.#keep(certificate, order)
  }

  async #send(order: CertificateOrder): Promise<undefined> {
    const { names, certificateSeconds, report } = this.#context
    try {
      const request = await sendOrder(this.#hub, order, names, certificateSeconds(), this.#signal)
      this.#log.info('certificate requested', { request: request.metadata.name })
    } catch (error) {
      if (!this.#signal.aborted) await report(failed(`Failed to create CSR ${textOf(error)}`), this.#signal)
      throw error
    }
    return undefined
  }

  async #halt(): Promise<undefined> {
    const { onHalt, report, hubTime } = this.#context
    onHalt()
    const why = hubTime.problem === undefined ? '' : `; ${hubTime.problem}`
    await report(failed(`Stop creating csr since there are too many csr created already on hub${why}`), this.#signal)
    return undefined
  }

  /** The certificate, or undefined while the hub has not decided, or has decided against it. */
  async #issued(request: CertificateSigningRequest): Promise<string | undefined> {
    try {
      return certificateOf(request)
    } catch (error) {
      if (!isForbidden(error) && !isInvalid(error)) throw error
      this.#log.warn('certificate refused', { request: request.metadata.name, error })
      await this.#context.report(failed(`Failed to rotated client certificate ${textOf(error)}`), this.#signal)
      return undefined
    }
  }

  async #keep(certificatePem: string, order: CertificateOrder): Promise<undefined> {
    const { spoke, hub, names, identityRef, clusterUid } = this.#context
    const uid = clusterUid()
    const data = await identityData(hub, names, certificatePem, order.keyPem)
    // Not to be ended by a stop: the new certificate is the reason for one.
    await writeSecret(spoke, identityRef, data, undefined, uid === undefined ? {} : { [CLUSTER_UID_ANNOTATION]: uid })
    this.#log.info('certificate kept', { user: agentSubject(names).commonName, ...validityIn(certificatePem) })
    return this.#forget()
  }

  async #forget(): Promise<undefined> {
    await dropOrder(this.#context.spoke, this.#context.orderRef)
    return undefined
  }

  get #call() {
    return { signal: this.#signal }
  }

  get #selection() {
    return { labelSelector: requestSelector(this.#context.names), signal: this.#signal }
  }
}

function rotated({ notBefore, notAfter }: HubIdentity): Finding {
  return {
    type: ManagedClusterCondition.CertificateRotated,
    status: 'True',
    reason: ManagedClusterReason.CertificateUpdated,
    message: `client certificate rotated starting from ${goTime(notBefore)} to ${goTime(notAfter)}`,
  }
}

function failed(message: string): Finding {
  return {
    type: ManagedClusterCondition.CertificateRotated,
    status: 'False',
    reason: ManagedClusterReason.CertificateUpdateFailed,
    message,
  }
}

function validityIn(certificatePem: string) {
  const { notBefore, notAfter } = validityOf(parseCertificateBundle(certificatePem))
  return { notBefore, notAfter }
}

/** `2026-05-19 08:00:00 +0000 UTC`, as Go writes times for people. */
function goTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
