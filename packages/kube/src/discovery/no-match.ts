import { StatusError } from '@orrery/kinds/values'

export interface NoMatch {
  /** The beginning of the message. */
  readonly message: string
  readonly name: string
  readonly group?: string
  /** What may have been meant instead. */
  readonly nearMisses: readonly string[]
  /** Group versions that could not be read, and may contain it. */
  readonly unavailable: readonly string[]
}

/** The server has no such kind or resource: a 404, as for an unknown path. */
export class NoMatchError extends StatusError {
  readonly nearMisses: readonly string[]

  constructor({ message, name, group, nearMisses, unavailable }: NoMatch) {
    const meant = nearMisses.length === 0 ? '' : `; did you mean ${nearMisses.join(' or ')}?`
    const away = unavailable.length === 0 ? '' : ` (not available now: ${unavailable.join(', ')})`
    super({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `${message}${meant}${away}`,
      reason: 'NotFound',
      details: { kind: name, ...(group !== undefined && group !== '' && { group }) },
      code: 404,
    })
    this.name = 'NoMatchError'
    this.nearMisses = nearMisses
  }
}

/** Whether a kind or resource is missing, as opposed to an object. */
export function isNoMatch(error: unknown): error is NoMatchError {
  return error instanceof NoMatchError
}
