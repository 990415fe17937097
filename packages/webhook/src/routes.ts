import { answerConversion } from '@orrery/api'
import { type AdmissionOptions, admissionRules, type HubQueries } from '@orrery/hub'
import type { ConversionReview } from '@orrery/kinds'
import { badRequest, isObject } from '@orrery/kinds/values'
import type { BodyLimits } from './body.js'
import { CONVERSION_PATH, reviewPath, TRIAL_PATH } from './paths.js'
import { answerReview } from './review.js'
import { answerTrial } from './trial.js'

/** Larger than two objects of the maximum size of API servers, and the review around them. */
const REVIEW_LIMITS: BodyLimits = { maxBytes: 7 * 1024 * 1024, maxValues: 1_000_000 }
/** A list is converted in one request, however long it is. Add-ons have about 20 bytes a value. */
const CONVERSION_LIMITS: BodyLimits = { maxBytes: 64 * 1024 * 1024, maxValues: 3_000_000 }

/** A path that API servers call. */
export interface Route {
  readonly path: string
  readonly limits: BodyLimits
  /** Answers a body. Throws a `StatusError` if it is not valid. */
  readonly answer: (body: unknown) => object | Promise<object>
}

/** All paths that API servers call. */
export function webhookRoutes(options: AdmissionOptions, queries: HubQueries): ReadonlyMap<string, Route> {
  const reviews = admissionRules(options).map((rule): Route => {
    const path = reviewPath('mutate' in rule ? 'mutate' : 'validate', rule.kind)
    return { path, limits: REVIEW_LIMITS, answer: (body) => answerReview(body, rule, queries) }
  })
  const conversion: Route = { path: CONVERSION_PATH, limits: CONVERSION_LIMITS, answer: convert }
  const trial: Route = { path: TRIAL_PATH, limits: REVIEW_LIMITS, answer: answerTrial }
  return new Map([...reviews, conversion, trial].map((route) => [route.path, route]))
}

function convert(body: unknown): object {
  const isReview = isObject(body) && body.kind === 'ConversionReview' && isObject(body.request)
  if (!isReview || !Array.isArray((body.request as { objects?: unknown }).objects)) {
    throw badRequest('expected a ConversionReview of apiextensions.k8s.io/v1')
  }
  return answerConversion(body as unknown as ConversionReview)
}
