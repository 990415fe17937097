import type { KubeObject } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import type { Authenticator } from '../../authn/authenticator.js'
import { reviewSelf, reviewToken } from '../../authn/reviews.js'
import {
  reviewLocalSubjectAccess,
  reviewSelfAccess,
  reviewSelfRules,
  reviewSubjectAccess,
} from '../../authz/access-reviews.js'
import type { RbacAuthorizer } from '../../authz/rbac.js'
import { header } from '../../http/exchange.js'
import type { Authorizer } from '../../identity/identity.js'
import { negotiateObject } from '../../request/accept.js'
import { serialiseObject } from '../forms.js'
import { isPretty, send } from '../reply.js'
import type { ResourceCall } from '../resource.js'
import { readTyped } from './typed-body.js'

export interface ReviewParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly rbac: RbacAuthorizer
  readonly clock: Clock
}

type Review = (review: KubeObject, call: ResourceCall, parts: ReviewParts) => KubeObject | Promise<KubeObject>

const REVIEWS: Readonly<Record<string, Review>> = {
  'tokenreviews.authentication.k8s.io': (review, _call, { authenticator }) => reviewToken(review, authenticator),
  'selfsubjectreviews.authentication.k8s.io': (review, call, { clock }) =>
    reviewSelf(review, call.identity, clock.now()),
  'subjectaccessreviews.authorization.k8s.io': (review, _call, { authorizer }) =>
    reviewSubjectAccess(review, authorizer),
  'localsubjectaccessreviews.authorization.k8s.io': (review, call, { authorizer }) =>
    reviewLocalSubjectAccess(review, call.namespace, authorizer),
  'selfsubjectaccessreviews.authorization.k8s.io': (review, call, { authorizer }) =>
    reviewSelfAccess(review, call.identity, authorizer),
  'selfsubjectrulesreviews.authorization.k8s.io': (review, call, { rbac }) =>
    reviewSelfRules(review, call.identity, rbac),
}

/** Returns the review of a resource that is only created and answered, never stored; undefined for other resources. */
export function reviewOf(bucket: string): Review | undefined {
  return Object.hasOwn(REVIEWS, bucket) ? REVIEWS[bucket] : undefined
}

export async function serveReview(review: Review, call: ResourceCall, parts: ReviewParts): Promise<void> {
  const { group, version, kind } = call.logic.resource
  const { exchange } = call
  const form = negotiateObject(header(exchange, 'accept'))
  const body = await readTyped(call, group, version, kind)
  await send(exchange, 201, serialiseObject(await review(body, call, parts), form, isPretty(exchange)))
}
