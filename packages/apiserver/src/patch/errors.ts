import { badRequest, failure, type StatusError } from '@orrery/kinds/values'

/**
 * The patch is well formed but does not fit the object. Clients get the same words whatever the reason was;
 * the reason stays in `cause` for the logs.
 */
export function unprocessablePatch(why: string): StatusError {
  const message = 'the server rejected our request due to an error in our request'
  const error = failure(422, 'Invalid', message, {})
  error.cause = new Error(why)
  return error
}

/**
 * The patch itself is wrong: an unknown directive, an item without its merge key, a value of the wrong type. The words
 * are kube-apiserver's, which answers 500 here; but it is the client that has to change something.
 */
export function wrongPatch(message: string): StatusError {
  return badRequest(message)
}
