import { StatusError } from '@orrery/kinds/values'

/** The server did not end the initial events. */
export class InitialEventsMissing extends Error {
  /** Whether this shows that the server does not support initial events. */
  readonly isIgnorance: boolean

  constructor(isIgnorance: boolean) {
    super('the server did not end the initial events')
    this.name = 'InitialEventsMissing'
    this.isIgnorance = isIgnorance
  }
}

/** The server has an older state than before, for example after a restore from a backup. */
export class VersionWentBack extends Error {
  constructor(from: string, to: string) {
    super(`the resource version of the server went back from ${from} to ${to}`)
    this.name = 'VersionWentBack'
  }
}

/**
 * Whether a watch may resume from its last version after this error: errors of the network, and those that do not
 * concern the request. After all others everything has to be listed again.
 */
export function isResumable(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 401 || isBusy(error)
  return !(error instanceof VersionWentBack || isNonsense(error))
}

/** The result of reading anything but events. A `TypeError` with a cause is an error of the network in `fetch`. */
function isNonsense(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined)
}

/** Whether a list may succeed where a streaming list failed. */
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
