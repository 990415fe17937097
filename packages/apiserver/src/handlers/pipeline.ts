import { randomUUID } from 'node:crypto'
import { noSuchPath, type Status } from '@orrery/kube'
import type { AuditLog } from '../audit/index.js'
import { forbiddenAccess } from '../authz/forbidden.js'
import { type Exchange, header } from '../http/exchange.js'
import type { AccessRequest, Authorizer, Identity } from '../identity.js'
import type { Logger } from '../log.js'
import type { Metrics } from '../metrics.js'
import type { Catalog } from '../registry/catalog.js'
import type { KindLogic } from '../registry/kindlogic.js'
import { parseTarget, type RequestTarget } from '../request/target.js'
import { sendFailure, statusOf } from './reply.js'
import type { ResourceCall } from './resource.js'

/** Proves who asks. */
export interface Authenticator {
  /** Throws a 401 for wrong credentials; none at all is the anonymous identity. */
  authenticate(exchange: Exchange): Identity | Promise<Identity>
  /** Applies `Impersonate-*` headers. Throws a 403 when the identity may not. */
  impersonate(exchange: Exchange, identity: Identity): Identity | Promise<Identity>
}

/** A request that is not for a resource: health, discovery, metrics, groups served by the embedder. */
export interface Endpoint {
  /** True when the request is this endpoint's. */
  matches(target: RequestTarget): boolean
  serve(exchange: Exchange, target: RequestTarget, identity: Identity): void | Promise<void>
}

export interface PipelineParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly catalog: Catalog
  readonly endpoints: readonly Endpoint[]
  readonly serveResource: (call: ResourceCall) => Promise<void>
  readonly audit: AuditLog | undefined
  readonly metrics: Metrics
  readonly log: Logger
}

/** The walk of every request: who, what, may they, do it, tell them. */
export class Pipeline {
  private readonly parts: PipelineParts

  constructor(parts: PipelineParts) {
    this.parts = parts
  }

  /** Serves one request to its end. Never throws. */
  async handle(exchange: Exchange): Promise<void> {
    const started = process.hrtime.bigint()
    const { audit, metrics } = this.parts
    exchange.extraHeaders['Audit-Id'] = header(exchange, 'audit-id')?.slice(0, 64) ?? randomUUID()
    const progress: Progress = { target: undefined, identity: undefined, annotations: {}, impersonator: undefined }
    let status: Status | undefined
    try {
      await this.walk(exchange, progress)
    } catch (error) {
      status = statusOf(error, this.parts.log, exchange)
      if (exchange.status === 0) sendFailure(exchange, status)
    }
    metrics.observeRequest(exchange, progress.target, started)
    audit?.complete(exchange, progress.target, progress.identity, progress.impersonator, progress.annotations, status)
  }

  private async walk(exchange: Exchange, progress: Progress): Promise<void> {
    const { authenticator, audit } = this.parts
    const target = parseTarget(exchange.method, exchange.url)
    progress.target = target
    const caller = exchange.identity ?? (await authenticator.authenticate(exchange))
    progress.identity = caller
    const identity = await authenticator.impersonate(exchange, caller)
    if (identity !== caller) {
      progress.impersonator = caller
      progress.identity = identity
    }
    audit?.received(exchange, target, identity)
    await this.authorize(target, identity, progress.annotations)
    if (target.isResource) {
      const logic = this.parts.catalog.lookup(target.group, target.version, target.resource)
      if (logic !== undefined) return this.resource(exchange, target, identity, logic, progress.annotations)
    }
    const endpoint = this.parts.endpoints.find((one) => one.matches(target))
    if (endpoint === undefined) throw noSuchPath()
    return endpoint.serve(exchange, target, identity)
  }

  private resource(
    exchange: Exchange,
    target: RequestTarget,
    identity: Identity,
    logic: KindLogic,
    annotations: Record<string, string>,
  ): Promise<void> {
    const { resource } = logic
    const isNamespace = resource.plural === 'namespaces' && resource.group === ''
    const namespace = resource.namespaced ? target.namespace : ''
    const misplaced = resource.namespaced
      ? target.name !== '' && namespace === ''
      : target.namespace !== '' && !isNamespace
    if (misplaced) throw noSuchPath()
    const warnings = new WarningHeaders(exchange)
    const requireAccess = (verb: string) => this.authorize({ ...target, verb }, identity, annotations)
    return this.parts.serveResource({
      exchange,
      target,
      identity,
      logic,
      namespace,
      warnings,
      annotations,
      requireAccess,
    })
  }

  private async authorize(
    target: RequestTarget,
    identity: Identity,
    annotations: Record<string, string>,
  ): Promise<void> {
    const request = accessRequest(target, identity)
    const pending = this.parts.authorizer.authorize(request)
    const decision = pending instanceof Promise ? await pending : pending
    annotations['authorization.k8s.io/decision'] = decision.allowed ? 'allow' : 'forbid'
    annotations['authorization.k8s.io/reason'] = decision.reason
    if (!decision.allowed) throw forbiddenAccess(request, decision.reason)
  }
}

interface Progress {
  target: RequestTarget | undefined
  identity: Identity | undefined
  impersonator: Identity | undefined
  readonly annotations: Record<string, string>
}

/** Warnings become headers as they are pushed, so that whoever replies need not know of them. */
class WarningHeaders extends Array<string> {
  private readonly exchange: Exchange

  constructor(exchange: Exchange) {
    super()
    this.exchange = exchange
  }

  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  override push(...messages: string[]): number {
    for (const message of messages) {
      if (this.includes(message)) continue
      super.push(message)
    }
    if (this.length > 0) this.exchange.extraHeaders['Warning'] = this.map(warningHeader)
    return this.length
  }
}

/** RFC 7234's `Warning: 299 - "text"`, the form kubectl prints. */
function warningHeader(message: string): string {
  const text = message.replace(/[\p{C}]/gu, ' ').replace(/[\\"]/g, '\\$&')
  return `299 - "${Buffer.from(text, 'utf8').toString('latin1')}"`
}

/** What an authoriser is asked about a request. */
export function accessRequest(target: RequestTarget, identity: Identity): AccessRequest {
  const { verb, group, version, resource, subresource, namespace, path, isResource } = target
  const pinned = target.name === '' && isResource ? pinnedName(target) : target.name
  return { identity, verb, group, version, resource, subresource, namespace, name: pinned, path, isResource }
}

/** `fieldSelector=metadata.name=x` on a list or watch is authorised like a request for `x`. */
function pinnedName(target: RequestTarget): string {
  const selector = target.query.get('fieldSelector')
  const match = /(?:^|,)metadata\.name==?([^,=!\\]+)(?:,|$)/.exec(selector)
  return match?.[1] ?? ''
}
