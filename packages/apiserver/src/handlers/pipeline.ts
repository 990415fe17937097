import {
  badRequest,
  isPathSegmentName,
  noSuchPath,
  parseFieldSelector,
  requiredFieldValue,
  type Status,
} from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import type { Auditor, AuditRecord } from '../audit/auditor.js'
import { forbiddenAccess } from '../authz/forbidden.js'
import { type FlowControl, type Seat, TooManyRequests } from '../flowcontrol/flow-control.js'
import { estimateSeats } from '../flowcontrol/work-estimate.js'
import { type Exchange, header } from '../http/exchange.js'
import { type AccessRequest, ANONYMOUS, type Authorizer, type Decision, type Identity } from '../identity/identity.js'
import type { Catalog } from '../registry/catalog.js'
import type { WaitFor } from '../registry/context.js'
import type { KindLogic } from '../registry/kind-logic.js'
import { newUuid } from '../registry/uuid.js'
import { waitingLogic } from '../registry/waiting-logic.js'
import { parseTarget, type RequestTarget } from '../request/target.js'
import { checkTimeout } from '../request/timeout.js'
import { AuditedExchange } from './audited-exchange.js'
import { OpenWatches } from './open-watches.js'
import { isRouted } from './placement.js'
import { sendFailure, sendPageNotFound, statusOf } from './reply.js'
import type { RequestMetrics } from './request-metrics.js'
import type { ResourceCall } from './resource.js'
import { WarningHeaders } from './warning-headers.js'

/** Authenticates requests. */
export interface Authenticator {
  /** Throws a 401 for invalid credentials. Without credentials the identity is anonymous. */
  authenticate(exchange: Exchange): Identity | Promise<Identity>
  /** Applies `Impersonate-*` headers. Throws a 403 if the user may not impersonate. */
  impersonate(exchange: Exchange, identity: Identity): Identity | Promise<Identity>
}

/** A handler for requests that are not for a resource: health, discovery, metrics, groups of the embedding program. */
export interface Endpoint {
  /** Returns whether the request is for this endpoint. */
  matches(target: RequestTarget): boolean
  serve(exchange: Exchange, target: RequestTarget, identity: Identity): void | Promise<void>
}

export interface PipelineParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly catalog: Catalog
  readonly endpoints: readonly Endpoint[]
  readonly serveResource: (call: ResourceCall) => void | Promise<void>
  readonly auditor: Auditor | undefined
  readonly metrics: RequestMetrics
  readonly flowControl: FlowControl
  /** Returns the number of objects of a resource, in one namespace or in all. */
  readonly count: (logic: KindLogic, namespace: string) => number
  /** Resolves when all writes so far are on disk. */
  readonly flushed: () => Promise<void>
  readonly now: () => Date
  readonly log: Logger
}

/**
 * The handler chain of every request (`DefaultBuildHandlerChain`): authentication, flow control, authorization, audit,
 * handler.
 */
export class Pipeline {
  readonly #parts: PipelineParts
  readonly #logsRequests: boolean
  readonly #watches: OpenWatches

  constructor(parts: PipelineParts) {
    this.#parts = parts
    this.#logsRequests = parts.log.enables('debug')
    this.#watches = new OpenWatches(parts.authorizer)
  }

  /** Serves one request. Never throws: an error that cannot be sent is logged, and the connection is closed. */
  async handle(exchange: Exchange): Promise<void> {
    const progress: Progress = {
      target: undefined,
      logic: undefined,
      identity: undefined,
      record: undefined,
      streams: false,
      annotations: {},
    }
    const started = performance.now()
    try {
      exchange.extraHeaders['Audit-Id'] = header(exchange, 'audit-id')?.slice(0, 64) ?? newUuid()
      let status: Status | undefined
      try {
        await this.#walk(exchange, progress)
      } catch (error) {
        status = await this.#fail(exchange, error)
      }
      this.#report(exchange, progress, performance.now() - started, status)
    } catch (error) {
      this.#parts.log.error('a request could not be answered', { method: exchange.method, error })
      if (!progress.streams) progress.record?.panic(error)
      exchange.destroy()
    }
  }

  /** Sends an error to the client. */
  async #fail(exchange: Exchange, error: unknown): Promise<Status> {
    const status = statusOf(error, this.#parts.log, exchange)
    // A conflict may be due to a write that readers cannot see yet, so the response waits until it is durable.
    if (exchange.method !== 'GET') await this.#parts.flushed()
    if (exchange.status === 0) sendFailure(exchange, status)
    // A client with half of a response must not take it for a whole one, nor wait for the rest.
    else exchange.destroy()
    return status
  }

  /** Reports a served request to the metrics, the log and the audit log. */
  #report(exchange: Exchange, progress: Progress, milliseconds: number, status: Status | undefined): void {
    const { record } = progress
    this.#parts.metrics.observe(exchange, knownTarget(progress), milliseconds / 1000)
    if (this.#logsRequests) this.#logRequest(exchange, progress, milliseconds)
    if (record === undefined || progress.streams) return
    for (const [key, value] of Object.entries(progress.annotations)) record.annotate(key, value)
    record.responseComplete(exchange.status, status)
  }

  /** Queries are not logged, since clients put tokens there. */
  #logRequest({ method, url, status }: Exchange, { target, identity }: Progress, milliseconds: number): void {
    const path = target?.path ?? url.split('?', 1)[0]
    const fields = { method, path, status, milliseconds: Math.round(milliseconds * 10) / 10, user: identity?.username }
    this.#parts.log.debug('request', fields)
  }

  async #walk(exchange: Exchange, progress: Progress): Promise<void> {
    const target = parseTarget(exchange.method, exchange.url)
    progress.target = target
    if (target.isResource) {
      progress.logic = this.#parts.catalog.lookup(target.group, target.version, target.resource)
    }
    checkTimeout(target)
    // Awaits only actual promises: each turn of the event loop that is saved is time for other requests.
    const { auditor } = this.#parts
    const proving =
      auditor === undefined
        ? (exchange.identity ?? this.#parts.authenticator.authenticate(exchange))
        : this.#authenticateAudited(auditor, exchange, target, progress)
    const caller = proving instanceof Promise ? await proving : proving
    if (caller !== ANONYMOUS) exchange.authenticated?.(caller.username)
    const { record, logic, annotations } = progress
    const audited = record === undefined ? exchange : new AuditedExchange(exchange, record)
    const acting = this.#parts.authenticator.impersonate(exchange, caller)
    const identity = acting instanceof Promise ? await acting : acting
    progress.identity = identity
    if (identity !== caller) record?.impersonatedAs(identity)
    const access = accessRequest(target, identity, logic !== undefined)
    const entering = isUnlimited(target, logic) ? undefined : this.#enter(exchange, target, identity, logic)
    const seat = entering instanceof Promise ? await entering : entering
    if (seat !== undefined) {
      markFlow(exchange, seat)
      exchange.seated?.(seat)
    }
    try {
      const deciding = this.#authorize(access, annotations)
      if (deciding !== undefined) await deciding
      if (target.verb === 'watch') this.#watches.add(exchange, access)
      const serving =
        logic === undefined
          ? this.#serveEndpoint(audited, target, identity)
          : this.#serveResource(audited, target, access, logic, annotations, seat)
      if (serving !== undefined) await serving
    } finally {
      seat?.release()
      progress.streams = audited instanceof AuditedExchange && audited.streams
    }
  }

  /** Acquires seats for a request, synchronously unless its priority level has none free. */
  #enter(
    exchange: Exchange,
    target: RequestTarget,
    identity: Identity,
    logic: KindLogic | undefined,
  ): Seat | Promise<Seat> {
    const { flowControl, count } = this.#parts
    const seats = logic === undefined ? 1 : estimateSeats(exchange, target, () => count(logic, target.namespace))
    const entering = flowControl.enter(identity, target, seats, (callback) => exchange.onClose(callback))
    if (!(entering instanceof Promise)) return entering
    return entering.catch((error: unknown) => {
      if (error instanceof TooManyRequests) markFlow(exchange, error)
      throw error
    })
  }

  /** Authenticates the request and starts the audit event, also if authentication fails. */
  async #authenticateAudited(
    auditor: Auditor,
    exchange: Exchange,
    target: RequestTarget,
    progress: Progress,
  ): Promise<Identity> {
    let identity: Identity = ANONYMOUS
    try {
      const pending = exchange.identity ?? this.#parts.authenticator.authenticate(exchange)
      identity = pending instanceof Promise ? await pending : pending
      return identity
    } finally {
      progress.record = this.#beginRecord(
        auditor,
        exchange,
        accessRequest(target, identity, progress.logic !== undefined),
      )
    }
  }

  #beginRecord(auditor: Auditor, exchange: Exchange, access: AccessRequest): AuditRecord | undefined {
    const record = auditor.begin({
      access,
      url: exchange.url,
      sourceIps: [exchange.remoteAddress],
      userAgent: header(exchange, 'user-agent') ?? '',
      receivedAt: this.#parts.now(),
      requestedId: header(exchange, 'audit-id'),
    })
    if (record !== undefined) exchange.extraHeaders['Audit-Id'] = record.id
    return record
  }

  #serveEndpoint(exchange: Exchange, target: RequestTarget, identity: Identity): void | Promise<void> {
    const endpoint = this.#parts.endpoints.find((one) => one.matches(target))
    if (endpoint === undefined) return sendPageNotFound(exchange)
    return endpoint.serve(exchange, target, identity)
  }

  #serveResource(
    exchange: Exchange,
    target: RequestTarget,
    access: AccessRequest,
    logic: KindLogic,
    annotations: Record<string, string>,
    seat: Seat | undefined,
  ): void | Promise<void> {
    const { resource } = logic
    if (!isRouted(target, resource)) {
      if (resource.custom) return sendPageNotFound(exchange)
      throw noSuchPath()
    }
    checkName(target.name)
    const namespace = resource.namespaced ? target.namespace : ''
    const warnings = new WarningHeaders(exchange)
    if (logic.deprecationWarning !== undefined) warnings.push(logic.deprecationWarning)
    const requireAccess = async (verb: string) => this.#authorize({ ...access, verb }, annotations)
    const waitFor: WaitFor = (answer) =>
      seat === undefined ? answer() : seat.waitFor(answer, (callback) => exchange.onClose(callback))
    return this.#parts.serveResource({
      exchange,
      target,
      identity: access.identity,
      // A watch has no seats any more when it converts.
      logic: target.verb === 'watch' ? logic : waitingLogic(logic, waitFor),
      namespace,
      warnings,
      annotations,
      requireAccess,
      waitFor,
      waitAtEnd: (answer) => (seat === undefined ? answer() : seat.waitAtEnd(answer)),
    })
  }

  #authorize(request: AccessRequest, annotations: Record<string, string>): void | Promise<void> {
    const deciding = this.#parts.authorizer.authorize(request)
    if (!(deciding instanceof Promise)) return enforce(request, deciding, annotations)
    return deciding.then((decision) => enforce(request, decision, annotations))
  }
}

/** Long-running requests as in kube-apiserver. A watch has a seat only until it waits for its turn. */
const LONG_RUNNING: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz'])

/** Health checks are exempt from flow control, whatever the configuration. */
function isUnlimited({ path, subresource, verb }: RequestTarget, logic: KindLogic | undefined): boolean {
  if (logic !== undefined) return LONG_RUNNING.has(subresource)
  return verb === 'watch' || HEALTH.has(path) || path.startsWith('/livez/') || path.startsWith('/readyz/')
}

/** Adds headers with the UIDs of the flow schema and the priority level. */
function markFlow({ extraHeaders }: Exchange, { schemaUid, levelUid }: Pick<Seat, 'schemaUid' | 'levelUid'>): void {
  extraHeaders['X-Kubernetes-PF-FlowSchema-UID'] = schemaUid
  extraHeaders['X-Kubernetes-PF-PriorityLevel-UID'] = levelUid
}

/** Adds the decision to the audit annotations, and throws if it denies the request. */
function enforce(request: AccessRequest, decision: Decision, annotations: Record<string, string>): void {
  annotations['authorization.k8s.io/decision'] = decision.allowed ? 'allow' : 'forbid'
  annotations['authorization.k8s.io/reason'] = decision.reason
  if (!decision.allowed) throw forbiddenAccess(request, decision.reason)
}

/** Refuses names that could be parsed as another path. */
function checkName(name: string): void {
  if (name !== '.' && name !== '..') return
  throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${isPathSegmentName(name).join('; ')}`)
}

interface Progress {
  target: RequestTarget | undefined
  /** The logic of the requested resource; undefined if the request is not for a served resource. */
  logic: KindLogic | undefined
  /** The user; undefined before authentication. */
  identity: Identity | undefined
  record: AuditRecord | undefined
  /** Whether the response continues after the handler returned: the audit event ends with it. */
  streams: boolean
  readonly annotations: Record<string, string>
}

/** Returns the target only if it is served: clients choose paths, and the number of metric series must be bounded. */
function knownTarget({ target, logic }: Progress): RequestTarget | undefined {
  if (target === undefined || logic === undefined) return undefined
  const { subresource } = target
  return subresource === '' || logic.resource.subresources.has(subresource) ? target : undefined
}

/**
 * Returns the authorization attributes of a request. A selector restricts them only if the server applies it: groups of
 * the embedding program may ignore it.
 */
function accessRequest(target: RequestTarget, identity: Identity, appliesSelectors: boolean): AccessRequest {
  const { verb, group, version, resource, subresource, namespace, path, isResource } = target
  const pinned = target.name === '' && appliesSelectors ? pinnedName(target) : target.name
  return { identity, verb, group, version, resource, subresource, namespace, name: pinned, path, isResource }
}

/** A list or watch with `fieldSelector=metadata.name=x` is authorized like a request for `x`. */
function pinnedName({ verb, query }: RequestTarget): string {
  if (verb !== 'list' && verb !== 'watch') return ''
  const selector = query.get('fieldSelector')
  if (!selector.includes('metadata.name')) return ''
  try {
    const name = requiredFieldValue(parseFieldSelector(selector), 'metadata.name') ?? ''
    return isPathSegmentName(name).length === 0 ? name : ''
  } catch {
    // An invalid selector selects no name; the handler reports the error.
    return ''
  }
}
