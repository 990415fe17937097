import { failure, type StatusError } from '@orrery/kube'

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

/** A failure that kube-apiserver answers with status 500 and no reason, its message being all there is. */
export function unexplained(message: string): StatusError {
  return failure(500, '', message)
}
