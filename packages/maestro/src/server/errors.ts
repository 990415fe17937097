/** Codes of gRPC that the server answers with. */
export const GrpcCode = {
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

interface ErrorEntry {
  /** The number in `maestro-<id>`. Clients of Maestro know these. */
  readonly id: number
  readonly httpStatus: number
  readonly grpcCode: number
  /** The text for an error without one of its own. */
  readonly reason: string
}

/** Every error of the server. Kinds share an id where Maestro has one id for several problems. */
const ERRORS = {
  InvalidToken: entry(1, 403, GrpcCode.unauthenticated, 'Invalid token provided'),
  Forbidden: entry(4, 403, GrpcCode.permissionDenied, 'Forbidden to perform this action'),
  Conflict: entry(6, 409, GrpcCode.alreadyExists, 'An entity with the specified unique values already exists'),
  /** The version of an update is not the latest: read it again and retry. */
  StaleVersion: entry(6, 409, GrpcCode.aborted, 'the resource version is not the latest'),
  /** An update of something that is being deleted. */
  Deleting: entry(6, 409, GrpcCode.failedPrecondition, 'the resource is under deletion'),
  NotFound: entry(7, 404, GrpcCode.notFound, 'Resource not found'),
  Validation: entry(8, 400, GrpcCode.invalidArgument, 'General validation failure'),
  General: entry(9, 500, GrpcCode.internal, 'Unspecified error'),
  /** A bundle for a consumer that does not exist. */
  MissingConsumer: entry(9, 500, GrpcCode.failedPrecondition, 'The consumer does not exist'),
  /** The database cannot be reached, or the server is stopping: retry. */
  Unavailable: entry(9, 503, GrpcCode.unavailable, 'The server is temporarily unavailable'),
  MethodNotAllowed: entry(10, 405, GrpcCode.unimplemented, 'HTTP Method not implemented for this endpoint'),
  Unauthorized: entry(11, 403, GrpcCode.permissionDenied, 'Account is unauthorized to perform this action'),
  Unauthenticated: entry(15, 401, GrpcCode.unauthenticated, 'Account authentication could not be verified'),
  MalformedRequest: entry(17, 400, GrpcCode.invalidArgument, 'Unable to read request body'),
  /** The body of a request, or a message, is larger than the server reads. */
  TooLarge: entry(17, 413, GrpcCode.resourceExhausted, 'The request is too large'),
  BadRequest: entry(21, 400, GrpcCode.invalidArgument, 'Bad request'),
  InvalidSearch: entry(23, 400, GrpcCode.invalidArgument, 'Failed to parse search query'),
  AdvisoryLock: entry(26, 500, GrpcCode.internal, 'Database advisory lock error'),
} as const satisfies Record<string, ErrorEntry>

export type ErrorKind = keyof typeof ERRORS

function entry(id: number, httpStatus: number, grpcCode: number, reason: string): ErrorEntry {
  return { id, httpStatus, grpcCode, reason }
}

/** An error that a client of the REST API or of gRPC receives. Its message is the text that Maestro sends by gRPC. */
export class MaestroError extends Error {
  override readonly name = 'MaestroError'
  readonly kind: ErrorKind
  readonly id: number
  readonly reason: string
  readonly httpStatus: number
  readonly grpcCode: number

  constructor(kind: ErrorKind, reason: string = ERRORS[kind].reason, options?: ErrorOptions) {
    const { id, httpStatus, grpcCode } = ERRORS[kind]
    super(`maestro-${id}: ${reason}`, options)
    this.kind = kind
    this.id = id
    this.reason = reason
    this.httpStatus = httpStatus
    this.grpcCode = grpcCode
  }
}

/** The ids with the text of their first kind, ascending, for `/errors`. */
export const ERROR_REASONS: ReadonlyMap<number, string> = new Map(
  Object.values(ERRORS)
    .reverse()
    .map(({ id, reason }) => [id, reason] as const)
    .sort(([a], [b]) => a - b),
)
