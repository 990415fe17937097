import { CertificateSigningRequest } from '@orrery/kinds/certificates'
import { Secret } from '@orrery/kinds/core'
import { isForbidden, isInvalid } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { always } from '../controller/always.js'
import type { Backoff } from '../controller/backoff.js'
import { requeueAfter, requeueAt } from '../controller/requeue.js'
import type { ControllerSpec, ReconcileContext, Requeue, Wake } from '../controller/types.js'
import { type CertificateRequestOptions, type PreparedRequest, sendRequest } from '../csr/request.js'
import { certificateOf } from '../csr/wait.js'
import type { Informer } from '../informer/types.js'
import type { Logger } from '../log.js'
import { parseCertificateBundle } from '../pki/index.js'
import {
  CERTIFICATE_KEY,
  certificateIn,
  isCertificateOf,
  PRIVATE_KEY_KEY,
  type Validity,
  validityOf,
} from './certificate.js'
import { deletePending, findPending, sentRequest, storePending } from './pending-request.js'
import { type CredentialProblem, type CredentialReport, type ServerTime, textOf, UNUSABLE_INTERVAL } from './report.js'
import { type SecretRef, writeSecret } from './secret-data.js'

/** A certificate that a controller keeps in a Secret. */
export interface CertificateCredential {
  /** The certificate to request: subject, signer, labels. Read for every request. */
  readonly request: () => CertificateRequestOptions
  /** Selects the requests of this credential on the server; see `requests`. */
  readonly labelSelector: string
  readonly requests: Informer<CertificateSigningRequest>
  /** The cluster that stores the Secrets. */
  readonly store: KubeClient
  /** The Secret with the credential. */
  readonly secrets: Informer<Secret>
  readonly secret: SecretRef
  /** The Secret with the key and the pending request. */
  readonly requestSecret: SecretRef
  /** Data to write besides certificate and key, for example a kubeconfig. Default none. */
  readonly additionalData?: () => Promise<Readonly<Record<string, string>>>
  readonly annotations?: () => Readonly<Record<string, string>>
  /** Labels of both Secrets. Default none. */
  readonly labels?: Readonly<Record<string, string>>
  /** Keys of other credentials to remove from the Secret. Default none. */
  readonly obsoleteKeys?: readonly string[]
  /**
   * The certificate in the Secret if it can be used now. Default: it is for this user, with its key, and not expired.
   */
  readonly current?: (secret: Secret | undefined, now: Date) => Promise<Validity | undefined>
  /** Whether this controller acts, given whether there is a certificate that can be used. Default always. */
  readonly isActive?: (hasCurrent: boolean) => boolean
  /** Whether a request may be sent. Default always. */
  readonly mayRequest?: () => boolean
  /** Whether the certificate of a request would be useless, so that another has to be sent. Default never. */
  readonly isOutdated?: (request: CertificateSigningRequest) => boolean
  /** The time on the server, and the problem with the local clock. Default: the clocks agree. */
  readonly serverTime?: ServerTime
  /** Called whenever the controller finds the credential valid or fails to renew it. */
  readonly report: (report: CredentialReport, signal: AbortSignal) => Promise<void>
}

export interface ClientCertificateOptions extends CertificateCredential {
  /** The name of the controller. */
  readonly name: string
  /** Further wakes. Default none. */
  readonly wakes?: readonly Wake[]
  readonly backoff?: Backoff
}

/** With this many requests on the server, no other is sent. */
const TOO_MANY_REQUESTS = 10
const SAME_CLOCK: ServerTime = { at: (now) => now, problem: undefined }

/** A controller for one client certificate; see `keepCertificate`. */
export function clientCertificate(options: ClientCertificateOptions): ControllerSpec {
  const { name, secrets, secret, requests, wakes = [], backoff } = options
  return {
    name,
    wakes: [always(secrets, secret), always(requests, secret), ...wakes],
    ...(backoff !== undefined && { backoff }),
    reconcile: (_, context) => keepCertificate(options, context),
  }
}

/**
 * Keeps a client certificate in a Secret: requests it with a CertificateSigningRequest, stores it, and renews it when 20 to 25 %
 * of its lifetime are left. Corresponds to the `csr` registration driver of Open Cluster Management. To be called when one of
 * the Secrets or requests changes, and at the returned time.
 *
 * | certificate           | pending request | on the server               | action                                      |
 * |-----------------------|-----------------|-----------------------------|---------------------------------------------|
 * | valid, not due        |                 |                             | wait until it is due                        |
 * | none, expired or due  | none            |                             | create key and request, unless too many wait |
 * |                       | stored          | none                        | send it                                     |
 * |                       | stored          | outdated                    | delete it, create another                   |
 * |                       | stored          | undecided                   | wait for the watch                          |
 * |                       | stored          | denied or failed            | report, wait until the server deletes it    |
 * |                       | stored          | issued                      | store the certificate, delete the request   |
 * |                       | stored          | issued, cannot be used      | delete the request, create another later    |
 * |                       | stored          | issued, expired by the local clock only | wait until the clock is corrected |
 */
export function keepCertificate(
  credential: CertificateCredential,
  { client, clock, log, signal }: ReconcileContext,
): Promise<Requeue | undefined> {
  return new Reconciliation(credential, client, log, signal, clock.now()).run()
}

class Reconciliation {
  readonly #options: CertificateCredential
  readonly #server: KubeClient
  readonly #log: Logger
  readonly #signal: AbortSignal
  readonly #now: Date

  constructor(options: CertificateCredential, server: KubeClient, log: Logger, signal: AbortSignal, now: Date) {
    this.#options = options
    this.#server = server
    this.#log = log
    this.#signal = signal
    this.#now = now
  }

  async run(): Promise<Requeue | undefined> {
    const { secrets, secret, isActive, mayRequest, store, requestSecret, request } = this.#options
    const current = await this.#current(secrets.get(secret))
    if (isActive?.(current !== undefined) === false) return undefined
    if (current !== undefined && this.#now < current.renewAt) return this.#valid(current)
    if (mayRequest?.() === false) return undefined
    const pending = await findPending(store, requestSecret, request(), this.#signal)
    return pending === undefined ? this.#begin() : this.#continue(pending, current)
  }

  async #current(secret: Secret | undefined): Promise<Validity | undefined> {
    if (this.#options.current !== undefined) return this.#options.current(secret, this.#now)
    const found = certificateIn(secret, this.#options.request().commonName)
    return found !== undefined && this.#now <= found.notAfter ? found : undefined
  }

  async #valid({ notBefore, notAfter, renewAt }: Validity): Promise<Requeue> {
    await this.#options.report({ state: 'valid', notBefore, notAfter }, this.#signal)
    return requeueAt(renewAt)
  }

  async #begin(): Promise<Requeue | undefined> {
    const { store, secret, requestSecret, request, labels } = this.#options
    // The informer may be stale: without this, a certificate that was just stored would be requested again.
    const current = await this.#current(await store.find(Secret, secret, { signal: this.#signal }))
    if (current !== undefined && this.#now < current.renewAt) return this.#valid(current)
    const { items } = await this.#server.list(CertificateSigningRequest, this.#selection)
    if (items.length >= TOO_MANY_REQUESTS) {
      await this.#fail('too-many-requests', `${items.length} requests for this certificate are on the server`)
      return undefined
    }
    return this.#send(await storePending(store, requestSecret, request(), { labels, signal: this.#signal }))
  }

  async #continue(pending: PreparedRequest, current: Validity | undefined): Promise<Requeue | undefined> {
    const { requests, serverTime = SAME_CLOCK, isOutdated } = this.#options
    const known = sentRequest(pending, requests.list())
    // The informer may be stale.
    const request =
      known ?? sentRequest(pending, (await this.#server.list(CertificateSigningRequest, this.#selection)).items)
    if (request === undefined) return this.#send(pending)
    const about = { request: request.metadata.name }
    if (isOutdated?.(request) === true) {
      this.#log.info('the certificate request is outdated', about)
      await this.#delete()
      return this.#begin()
    }
    const certificate = await this.#issued(request)
    if (certificate === undefined) return undefined
    const { notBefore, notAfter } = validityOf(parseCertificateBundle(certificate))
    // Another request would not help: servers issue certificates by their own clock.
    if (this.#now > notAfter && serverTime.at(this.#now) <= notAfter) {
      await this.#fail('expired', `the certificate expired before it could be used; ${serverTime.problem}`)
      return requeueAfter(UNUSABLE_INTERVAL)
    }
    const isStale = this.#now > notAfter || (current !== undefined && notBefore <= current.notBefore)
    if (isStale || !isCertificateOf(certificate, pending.keyPem, this.#options.request().commonName)) {
      this.#log.warn('the issued certificate cannot be used', about)
      await this.#delete()
      return requeueAfter(UNUSABLE_INTERVAL)
    }
    return this.#store(certificate, pending)
  }

  async #send({ requestPem }: PreparedRequest): Promise<undefined> {
    try {
      const request = await sendRequest(this.#server, this.#options.request(), requestPem, { signal: this.#signal })
      this.#log.info('certificate requested', { request: request.metadata.name })
    } catch (error) {
      if (!this.#signal.aborted) await this.#fail('not-created', textOf(error))
      throw error
    }
    return undefined
  }

  /** The certificate; undefined while the request is undecided, or when it was denied or failed. */
  async #issued(request: CertificateSigningRequest): Promise<string | undefined> {
    try {
      return certificateOf(request)
    } catch (error) {
      if (!isForbidden(error) && !isInvalid(error)) throw error
      this.#log.warn('certificate request denied or failed', { request: request.metadata.name, error })
      await this.#fail('denied', textOf(error))
      return undefined
    }
  }

  async #store(certificatePem: string, { keyPem }: PreparedRequest): Promise<undefined> {
    const { store, secret, additionalData, annotations, labels, obsoleteKeys, request } = this.#options
    const data = { ...(await additionalData?.()), [CERTIFICATE_KEY]: certificatePem, [PRIVATE_KEY_KEY]: keyPem }
    // Not aborted by a stop: the new certificate may be the reason for it.
    await writeSecret(store, secret, data, { annotations: annotations?.(), labels, obsoleteKeys })
    const { notBefore, notAfter } = validityOf(parseCertificateBundle(certificatePem))
    this.#log.info('certificate stored', { user: request().commonName, notBefore, notAfter })
    return this.#delete()
  }

  async #delete(): Promise<undefined> {
    await deletePending(this.#options.store, this.#options.requestSecret)
    return undefined
  }

  #fail(problem: CredentialProblem, message: string): Promise<void> {
    return this.#options.report({ state: 'failed', problem, message }, this.#signal)
  }

  get #selection() {
    return { labelSelector: this.#options.labelSelector, signal: this.#signal }
  }
}
