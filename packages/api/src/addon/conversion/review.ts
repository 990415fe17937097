import type { ConversionRequest, ConversionResponse, ConversionReview, KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { convertAddOn } from './convert.js'

/**
 * Answers a ConversionReview for add-ons. Converts all objects or none, with the reason in the result. Throws a
 * `TypeError` for a review without a request.
 */
export function answerConversion({ apiVersion, kind, request }: ConversionReview): ConversionReview {
  if (request === undefined) throw new TypeError('the review has no request')
  return { apiVersion, kind, response: responseTo(request) }
}

function responseTo({ uid, desiredAPIVersion, objects }: ConversionRequest): ConversionResponse {
  try {
    const convertedObjects = objects.map((object, index) => convertAddOn(checked(object, index), desiredAPIVersion))
    return { uid, convertedObjects, result: { status: 'Success' } }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { uid, convertedObjects: [], result: { status: 'Failure', message: error.message } }
  }
}

function checked(object: object, index: number): KubeObject {
  if (isObject(object) && isObject(object.metadata)) return object as unknown as KubeObject
  throw new TypeError(`objects[${index}] is not a Kubernetes object`)
}
