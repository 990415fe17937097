import type { Access, Caller } from '../access/access.js'
import { GrpcCode, MaestroError } from '../errors.js'
import { type CallContext, CallError } from './service.js'

/** Rejects with `CallError` unless the caller may `pub` or `sub` on a path. `refusal` is the text for one that may not. */
export async function authorize(
  access: Access,
  context: CallContext,
  request: { readonly verb: 'pub' | 'sub'; readonly path: string; readonly refusal: string },
): Promise<void> {
  const caller = await authenticate(access, context)
  try {
    await access.authorize(caller, request.verb, request.path)
  } catch (error) {
    throw refusalOf(error, request.refusal)
  }
}

/** Rejects with `CallError` if the caller is not known. */
export async function authenticate(access: Access, { certificate, authorization }: CallContext): Promise<Caller> {
  try {
    return await access.authenticate({ certificate, authorization })
  } catch (error) {
    throw refusalOf(error, undefined)
  }
}

/** @param refusal The text for a caller that is not permitted. */
function refusalOf(error: unknown, refusal: string | undefined): CallError {
  if (!(error instanceof MaestroError)) {
    return new CallError(GrpcCode.unavailable, 'failed to authorize the request: internal error', { cause: error })
  }
  const { grpcCode, message } = error
  const isRefusal = refusal !== undefined && grpcCode === GrpcCode.permissionDenied
  return new CallError(grpcCode, isRefusal ? refusal : `failed to authorize the request: ${message}`, { cause: error })
}
