/** The kinds of errors, each with its number in `hyperfleet-adapter-N` and its HTTP status. */
const KINDS = {
  NotFound: [1, 404],
  Validation: [2, 400],
  Conflict: [3, 409],
  Forbidden: [4, 403],
  Unauthorized: [5, 403],
  Unauthenticated: [6, 401],
  BadRequest: [7, 400],
  MalformedRequest: [8, 400],
  NotImplemented: [9, 405],
  General: [10, 500],
  AdapterConfigNotFound: [11, 404],
  BrokerConnection: [12, 500],
  Kubernetes: [13, 500],
  HyperFleetAPI: [14, 500],
  InvalidCloudEvent: [15, 400],
  Maestro: [16, 500],
  Configuration: [17, 500],
} as const satisfies Readonly<Record<string, readonly [number, number]>>

export type AdapterErrorKind = keyof typeof KINDS

/** An error of an adapter, with the codes of HyperFleet's adapter framework. */
export class AdapterError extends Error {
  readonly kind: AdapterErrorKind

  constructor(kind: AdapterErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AdapterError'
    this.kind = kind
  }

  /** `hyperfleet-adapter-16`. */
  get code(): string {
    return `hyperfleet-adapter-${KINDS[this.kind][0]}`
  }

  get httpStatus(): number {
    return KINDS[this.kind][1]
  }
}
