import { StatusError } from '@orrery/kinds/values'

/** The server was to tell everything there is, and did not come to an end. */
export class InitialEventsMissing extends Error {
  /** Whether the server gave away that it does not know of initial events. */
  readonly isIgnorance: boolean

  constructor(isIgnorance: boolean) {
    super('the server did not end the initial events')
    this.name = 'InitialEventsMissing'
    this.isIgnorance = isIgnorance
  }
}

/** The server knows less than it once did, such as after it was restored from a backup. */
export class VersionWentBack extends Error {
  constructor(from: string, to: string) {
    super(`the server went back from version ${from} to ${to}`)
    this.name = 'VersionWentBack'
  }
}

/**
 * Whether a watch may go on from its last version after this failure: the network's, and those that say nothing about
 * the request. After all others everything has to be asked for again.
 */
export function isResumable(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 401 || isBusy(error)
  return !(error instanceof VersionWentBack || isNonsense(error))
}

/** What reading something else than events ends in. A `TypeError` with a cause is how `fetch` reports the network's. */
function isNonsense(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined)
}

/** Whether a list may succeed where a stream of everything failed. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof StatusError) return error.code !== 401 && !isBusy(error)
  return error instanceof InitialEventsMissing
}

function isBusy(error: StatusError): boolean {
  if (error.code === 429 || error.code === 503) return true
  return error.code === 504 && !isTooLargeVersion(error)
}

function isTooLargeVersion({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') === true
}
