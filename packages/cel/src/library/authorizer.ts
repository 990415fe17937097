import { isDNS1123Label, isDNS1123Subdomain } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { overload } from '../overload.js'
import { type CelType, opaqueType } from '../type.js'
import { CelEvalError, CelOpaque } from '../values/value.js'

/** A question for the authorizer: a resource or a path, for the user of the request or a service account. */
export interface AuthorizerQuestion {
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
  readonly path?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
  readonly verb: string
}

export interface AuthorizerAnswer {
  readonly allowed: boolean
  readonly reason: string
  /** Set if there was no decision. */
  readonly error?: string
}

export type Authorizer = (question: AuthorizerQuestion) => AuthorizerAnswer

/** The type of the variable `authorizer`. */
export const authorizerType = opaqueType('kubernetes.authorization.Authorizer')
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType = opaqueType('kubernetes.authorization.ResourceCheck')
const pathCheckType = opaqueType('kubernetes.authorization.PathCheck')
const groupCheckType = opaqueType('kubernetes.authorization.GroupCheck')
const decisionType = opaqueType('kubernetes.authorization.Decision')

/** A question under construction. */
export class CelAuthorizer extends CelOpaque {
  readonly type: CelType
  readonly authorize: Authorizer
  readonly question: Partial<AuthorizerQuestion>

  constructor(authorize: Authorizer, question: Partial<AuthorizerQuestion> = {}, type: CelType = authorizerType) {
    super()
    this.authorize = authorize
    this.question = question
    this.type = type
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelAuthorizer && JSON.stringify(this.question) === JSON.stringify(other.question)
  }

  with(more: Partial<AuthorizerQuestion>, type: CelType = this.type): CelAuthorizer {
    return new CelAuthorizer(this.authorize, { ...this.question, ...more }, type)
  }
}

class CelDecision extends CelOpaque {
  readonly type: CelType = decisionType
  readonly answer: AuthorizerAnswer

  constructor(answer: AuthorizerAnswer) {
    super()
    this.answer = answer
  }

  equals(other: CelOpaque): boolean {
    return other === this
  }
}

const A = `<${authorizerType.name}>`
const P = `<${pathCheckType.name}>`
const G = `<${groupCheckType.name}>`
const R = `<${resourceCheckType.name}>`
const D = `<${decisionType.name}>`

/** Kubernetes' authorization checks. */
export const authorizer: CelLibrary = {
  name: 'kubernetes.authz',
  types: [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType],
  overloads: [
    overload('authorizer_path', `${A}.path(string) -> ${P}`, (base: CelAuthorizer, path: string) => {
      if (path.trim() === '') throw new CelEvalError('path must not be empty')
      return base.with({ path }, pathCheckType)
    }),
    overload('authorizer_group', `${A}.group(string) -> ${G}`, (base: CelAuthorizer, group: string) =>
      base.with({ group }, groupCheckType),
    ),
    overload('authorizer_serviceaccount', `${A}.serviceAccount(string, string) -> ${A}`, serviceAccount),
    overload('groupcheck_resource', `${G}.resource(string) -> ${R}`, (base: CelAuthorizer, resource: string) => {
      if (resource.trim() === '') throw new CelEvalError('resource must not be empty')
      return base.with({ resource }, resourceCheckType)
    }),
    overload(
      'resourcecheck_subresource',
      `${R}.subresource(string) -> ${R}`,
      (base: CelAuthorizer, subresource: string) => base.with({ subresource }),
    ),
    overload('resourcecheck_namespace', `${R}.namespace(string) -> ${R}`, (base: CelAuthorizer, namespace: string) =>
      base.with({ namespace }),
    ),
    overload('resourcecheck_name', `${R}.name(string) -> ${R}`, (base: CelAuthorizer, name: string) =>
      base.with({ name }),
    ),
    overload(
      'authorizer_fieldselector',
      `${R}.fieldSelector(string) -> ${R}`,
      (base: CelAuthorizer, fieldSelector: string) => base.with({ fieldSelector }),
    ),
    overload(
      'authorizer_labelselector',
      `${R}.labelSelector(string) -> ${R}`,
      (base: CelAuthorizer, labelSelector: string) => base.with({ labelSelector }),
    ),
    overload('pathcheck_check', `${P}.check(string) -> ${D}`, check),
    overload('resourcecheck_check', `${R}.check(string) -> ${D}`, check),
    overload('decision_errored', `${D}.errored() -> bool`, ({ answer }: CelDecision) => answer.error !== undefined),
    overload('decision_error', `${D}.error() -> string`, ({ answer }: CelDecision) => answer.error ?? ''),
    overload('decision_allowed', `${D}.allowed() -> bool`, ({ answer }: CelDecision) => answer.allowed),
    overload('decision_reason', `${D}.reason() -> string`, ({ answer }: CelDecision) => answer.reason),
  ],
}

function check(base: CelAuthorizer, verb: string): CelDecision {
  return new CelDecision(base.authorize({ ...base.question, verb }))
}

function serviceAccount(base: CelAuthorizer, namespace: string, name: string): CelAuthorizer {
  if (isDNS1123Subdomain(name).length > 0) throw new CelEvalError('Invalid service account name')
  if (isDNS1123Label(namespace).length > 0) throw new CelEvalError('Invalid service account namespace')
  return base.with({ serviceAccount: { namespace, name } })
}
