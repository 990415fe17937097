import type { Access } from '../access/access.js'
import { GrpcCode, MaestroError } from '../errors.js'
import { type CallContext, CallError } from './service.js'

/** Rejects with `CallError` unless the caller may `pub` or `sub` on a path. `refusal` is the text for one that may not. */
export async function authorize(
  access: Access,
  context: CallContext,
  request: { readonly verb: 'pub' | 'sub'; readonly path: string; readonly refusal: string },
): Promise<void> {
  const { certificate, authorization } = context
  try {
    const caller = await access.authenticate({ certificate, authorization })
    await access.authorize(caller, request.verb, request.path)
  } catch (error) {
    if (!(error instanceof MaestroError)) {
      throw new CallError(GrpcCode.unavailable, 'failed to authorize the request: internal error', { cause: error })
    }
    const isRefusal = error.grpcCode === GrpcCode.permissionDenied
    throw new CallError(
      error.grpcCode,
      isRefusal ? request.refusal : `failed to authorize the request: ${error.message}`,
      {
        cause: error,
      },
    )
  }
}
