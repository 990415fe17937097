import { badRequest, failure, type StatusError } from '../values/index.js'

/**
 * The patch is well-formed but does not apply to the object. Clients get the same message whatever the reason; the
 * reason is in `cause` for the logs.
 */
export function unprocessablePatch(why: string): StatusError {
  const message = 'the server rejected our request due to an error in our request'
  const error = failure(422, 'Invalid', message, {})
  error.cause = new Error(why)
  return error
}

/**
 * The patch itself is invalid: an unknown directive, an item without its merge key, a value of the wrong type. The
 * message is that of kube-apiserver, which returns a 500 here; a 400 is returned instead, since the client must change
 * its request.
 */
export function wrongPatch(message: string): StatusError {
  return badRequest(message)
}
