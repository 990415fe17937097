import { randomUUID } from 'node:crypto'
import { formatMicroTime, type Status } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { userInfo } from '../authn/reviews.js'
import type { AccessRequest, Decision, Identity } from '../identity/identity.js'
import type { AuditLog } from './audit-log.js'
import type { AuditDecision, AuditPolicy, AuditStage } from './policy.js'

const MAX_USER_AGENT = 1024
/** How long a closing server waits for running requests. */
const TIMEOUT_MILLISECONDS = 2000
const AUDIT_ID = /^[\x21-\x7e]{1,64}$/

/** Resources whose bodies contain credentials. No policy logs them. */
const CREDENTIAL_BODIES = new Set(['secrets', 'tokenreviews.authentication.k8s.io', 'serviceaccounts/token'])
/** Bodies of these kinds are not logged either, even if sent to the wrong resource. */
const CREDENTIAL_KINDS = new Set<unknown>(['Secret', 'SecretList', 'TokenRequest', 'TokenReview', 'List'])

/** What is known about a request before it is served. */
export interface AuditedRequest {
  /** The user before impersonation. */
  readonly access: AccessRequest
  /** The path and query as sent. */
  readonly url: string
  readonly sourceIps: readonly string[]
  readonly userAgent: string
  readonly receivedAt: Date
  /** The `Audit-ID` header of the client, if any. */
  readonly requestedId: string | undefined
}

/** Writes the audit log (audit.k8s.io/v1): who did what to which object, when, from where, with which result. */
export class Auditor {
  readonly #policy: AuditPolicy
  readonly #log: AuditLog
  readonly #clock: Clock
  /** Requests whose end is not written yet. */
  readonly #open = new Set<AuditRecord>()
  #closing: (() => void) | undefined

  constructor(policy: AuditPolicy, log: AuditLog, clock: Clock) {
    this.#policy = policy
    this.#log = log
    this.#clock = clock
  }

  /** Starts the audit event of a request; returns undefined if the policy wants none. */
  begin(request: AuditedRequest): AuditRecord | undefined {
    const decision = this.#policy.decide(request.access)
    if (decision.level === 'None') return undefined
    const record = new AuditRecord(request, decision, this.#log, this.#clock, () => this.#ended(record))
    this.#open.add(record)
    record.emit('RequestReceived')
    return record
  }

  /**
   * Writes pending events and closes the log. The connections are closed already, but their requests end a moment
   * later, so it waits for them. Returns how many requests did not end in time.
   */
  async close(timeoutMilliseconds = TIMEOUT_MILLISECONDS): Promise<number> {
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMilliseconds)
        this.#closing = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    await this.#log.close()
    return this.#open.size
  }

  #ended(record: AuditRecord): void {
    this.#open.delete(record)
    if (this.#open.size === 0) this.#closing?.()
  }
}

/** The audit event of one request, written at each stage. */
export class AuditRecord {
  readonly id: string
  readonly #request: AuditedRequest
  readonly #decision: AuditDecision
  readonly #log: AuditLog
  readonly #clock: Clock
  readonly #ended: () => void
  readonly #annotations = new Map<string, string>()
  #impersonated: Identity | undefined
  #objectName = ''
  #requestObject: unknown
  #responseObject: unknown
  #responseStatus: Partial<Status> | undefined

  constructor(request: AuditedRequest, decision: AuditDecision, log: AuditLog, clock: Clock, ended: () => void) {
    this.#request = request
    this.#ended = ended
    this.#decision = decision
    this.#log = log
    this.#clock = clock
    this.id =
      request.requestedId !== undefined && AUDIT_ID.test(request.requestedId) ? request.requestedId : randomUUID()
  }

  /** Whether bodies are recorded, so that the caller need not parse unused ones. */
  get wantsRequestBody(): boolean {
    return !this.#holdsCredentials && this.#decision.level !== 'Metadata'
  }

  get wantsResponseBody(): boolean {
    return !this.#holdsCredentials && this.#decision.level === 'RequestResponse'
  }

  impersonatedAs(identity: Identity): void {
    this.#impersonated = identity
  }

  authorized({ allowed, reason }: Decision): void {
    this.annotate('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid')
    this.annotate('authorization.k8s.io/reason', reason)
  }

  /** The first value of a key stays. */
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value)
  }

  /** Sets the name of a created object, which may come from its body. */
  named(name: string): void {
    this.#objectName = name
  }

  requestBody(object: unknown): void {
    if (this.wantsRequestBody && !isCredential(object)) this.#requestObject = this.#trim(object)
  }

  responseBody(object: unknown): void {
    if (this.wantsResponseBody) this.#responseObject = this.#trim(object)
  }

  /** Records the start of a stream: watches, logs. */
  responseStarted(code: number): void {
    this.#responseStatus = { metadata: {}, code }
    this.emit('ResponseStarted')
  }

  /** Records the end. `status` is the error that was sent, if any. */
  responseComplete(code: number, status?: Status): void {
    this.#responseStatus = { metadata: {}, ...(status === undefined ? {} : this.#summary(status)), code }
    this.emit('ResponseComplete')
    this.#ended()
  }

  /** Records an unexpected error of the server. */
  panic(error: unknown): void {
    const message = `APIServer panic'd: ${error instanceof Error ? error.message : String(error)}`
    this.#responseStatus = { metadata: {}, status: 'Failure', reason: 'InternalError', message, code: 500 }
    this.emit('Panic')
    this.#ended()
  }

  emit(stage: AuditStage): void {
    if (this.#decision.omitStages.has(stage)) return
    const { access, url, sourceIps, userAgent, receivedAt } = this.#request
    const event = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#decision.level,
      auditID: this.id,
      stage,
      requestURI: url,
      verb: access.verb,
      user: userInfo(access.identity),
      impersonatedUser: this.#impersonated && userInfo(this.#impersonated),
      sourceIPs: sourceIps,
      userAgent: userAgent.length > MAX_USER_AGENT ? `${userAgent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : userAgent,
      objectRef: access.isResource ? objectRef(access, this.#objectName) : undefined,
      responseStatus: this.#responseStatus,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      requestReceivedTimestamp: formatMicroTime(receivedAt),
      stageTimestamp: formatMicroTime(this.#clock.now()),
      annotations: this.#annotations.size === 0 ? undefined : Object.fromEntries(this.#annotations),
    }
    this.#log.write(`${JSON.stringify(event)}\n`)
  }

  get #holdsCredentials(): boolean {
    const { group, resource, subresource } = this.#request.access
    const plain = group === '' ? resource : `${resource}.${group}`
    return CREDENTIAL_BODIES.has(plain) || CREDENTIAL_BODIES.has(`${plain}/${subresource}`)
  }

  /** Messages about objects with credentials can contain them. */
  #summary(status: Status): Partial<Status> {
    if (!this.#holdsCredentials) return status
    const { message: _, details: __, ...rest } = status
    return rest
  }

  #trim(object: unknown): unknown {
    if (!this.#decision.omitManagedFields || typeof object !== 'object' || object === null) return object
    const { metadata } = object as { metadata?: { managedFields?: unknown } }
    if (metadata?.managedFields === undefined) return object
    const { managedFields, ...rest } = metadata
    return { ...object, metadata: rest }
  }
}

function isCredential(object: unknown): boolean {
  return typeof object === 'object' && object !== null && CREDENTIAL_KINDS.has((object as { kind?: unknown }).kind)
}

function objectRef(access: AccessRequest, nameFromBody: string): Record<string, string> {
  const fields = {
    resource: access.resource,
    namespace: access.namespace,
    name: access.name || nameFromBody,
    apiGroup: access.group,
    apiVersion: access.version,
    subresource: access.subresource,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
