import { CertificateSigningRequest, type RequestConditionType } from '@orrery/kinds/certificates'
import { failure, isGone, notFound } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import { jittered, pause } from '../wait.js'
import { isTransient } from '../write/retry.js'

export interface WaitOptions {
  /** Cancels the wait. */
  readonly signal: AbortSignal
  /** Default: the system clock. */
  readonly clock?: Clock
}

const FIRST_DELAY = 500
const MAX_DELAY = 30_000
const WATCH_SECONDS = 300
const RESOURCE = { group: CertificateSigningRequest.group, resource: CertificateSigningRequest.plural }

/**
 * Resolves with the certificate in PEM when it has been issued, however long that takes and however often the
 * connection breaks. Rejects with `Forbidden` if the request is denied, `Invalid` if the signer marks it as failed,
 * and `NotFound` if it is deleted.
 */
export async function waitForCertificate(
  client: KubeClient,
  request: { readonly metadata: { readonly name: string; readonly uid: string } },
  options: WaitOptions,
): Promise<string> {
  const { signal, clock = systemClock } = options
  let delay = FIRST_DELAY
  for (;;) {
    signal.throwIfAborted()
    try {
      const certificate = await watched(client, request.metadata, signal)
      if (certificate !== undefined) return certificate
      delay = FIRST_DELAY
    } catch (error) {
      signal.throwIfAborted()
      if (!isTransient(error) && !isGone(error)) throw error
      delay = Math.min(delay * 2, MAX_DELAY)
    }
    await pause(clock, jittered(delay, 1), signal)
  }
}

/** One read and one watch: undefined if the watch ends before there is a certificate. */
async function watched(
  client: KubeClient,
  { name, uid }: { readonly name: string; readonly uid: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const now = await client.get(CertificateSigningRequest, { name }, { signal })
  if (now.metadata.uid !== uid) throw notFound(RESOURCE, name)
  const there = certificateOf(now)
  if (there !== undefined) return there
  const { resourceVersion } = now.metadata
  // With bookmarks, a dead connection is detected by their absence.
  const following = { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS, signal }
  const selection = { fieldSelector: `metadata.name=${name}`, ...following }
  for await (const { type, object } of client.watch(CertificateSigningRequest, selection)) {
    if (type === 'DELETED') throw notFound(RESOURCE, name)
    const certificate = certificateOf(object)
    if (certificate !== undefined) return certificate
  }
  return undefined
}

/** The certificate in PEM, or undefined until it has been issued. Throws if it never will be. */
export function certificateOf(request: CertificateSigningRequest): string | undefined {
  const { certificate = '' } = request.status ?? {}
  refuse(request, 'Denied', 403, 'Forbidden')
  refuse(request, 'Failed', 422, 'Invalid')
  return certificate === '' ? undefined : Buffer.from(certificate, 'base64').toString('utf8')
}

function refuse(
  { metadata: { name }, status }: CertificateSigningRequest,
  type: RequestConditionType,
  code: number,
  reason: 'Forbidden' | 'Invalid',
): void {
  const condition = status?.conditions?.find((candidate) => candidate.type === type && candidate.status !== 'False')
  if (condition === undefined) return
  const why = [condition.reason, condition.message].filter(Boolean).join(': ')
  const what = `${RESOURCE.resource}.${RESOURCE.group} ${JSON.stringify(name)}`
  const told = `${what} ${type === 'Denied' ? 'was denied' : 'failed'}${why === '' ? '' : `: ${why}`}`
  throw failure(code, reason, told, { name, group: RESOURCE.group, kind: RESOURCE.resource })
}
