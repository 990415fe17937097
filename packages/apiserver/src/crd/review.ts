import type { KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

const GROUP = 'apiextensions.k8s.io'

/** The request to a conversion webhook. */
export interface ConversionReview {
  readonly apiVersion: string
  readonly kind: 'ConversionReview'
  readonly request: {
    readonly uid: string
    readonly desiredAPIVersion: string
    readonly objects: readonly KubeObject[]
  }
}

/** Returns the review in the first version that both sides support; undefined if there is none. */
export function reviewOf(
  versions: readonly string[],
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
  uid: string,
): ConversionReview | undefined {
  const version = versions.find((name) => name === 'v1' || name === 'v1beta1')
  if (version === undefined) return undefined
  const request = { uid, desiredAPIVersion, objects }
  return { apiVersion: `${GROUP}/${version}`, kind: 'ConversionReview', request }
}

/** Returns the converted objects of a response. Throws an `Error` with the reason if there are none. */
export function readReview(answer: unknown, apiVersion: string, uid: string): readonly unknown[] {
  if (!isObject(answer)) throw new Error('the response is not a JSON object')
  const strict = apiVersion === `${GROUP}/v1`
  if (strict && (answer.apiVersion !== apiVersion || answer.kind !== 'ConversionReview')) {
    const got = `${text(answer.apiVersion)}, Kind=${text(answer.kind)}`
    throw new Error(`expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${got}`)
  }
  const response = answer.response
  if (!isObject(response)) throw new Error('no response provided')
  if (strict && response.uid !== uid) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response.uid))}`)
  }
  const result = isObject(response.result) ? response.result : {}
  if (result.status !== 'Success') {
    const message = text(result.message)
    throw new Error(message || `response.result.status was '${text(result.status)}', not 'Success'`)
  }
  const converted = response.convertedObjects
  return Array.isArray(converted) ? converted : []
}

/** A webhook can put any text into its response, which becomes part of an error. */
const MAX_TEXT = 4_096

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : ''
}
