import { CodecError } from '../../codec/codec-error.js'
import { GrpcCode, MaestroError } from '../errors.js'
import { CallError } from './service.js'

/** Adds what failed to an error. Clients of Maestro recognise problems by these texts, others by the code. */
export function failure(what: string, error: unknown): CallError {
  if (error instanceof CallError) return error
  if (error instanceof MaestroError) return new CallError(error.grpcCode, `${what}: ${error.message}`, { cause: error })
  if (error instanceof CodecError) {
    return new CallError(GrpcCode.invalidArgument, `${what}: ${error.message}`, { cause: error })
  }
  return new CallError(GrpcCode.internal, `${what}: internal error`, { cause: error })
}

/** The result of reading a message, or an error that names what was read. */
export function readOr<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw failure(what, error)
  }
}
