import type { TokenRequest } from '@orrery/kinds'
import { Secret, ServiceAccount } from '@orrery/kinds/core'
import type { KubeClient } from '../client/client.js'
import { requeueAfter, requeueAt } from '../controller/requeue.js'
import type { ReconcileContext, Requeue } from '../controller/types.js'
import type { Informer } from '../informer/types.js'
import { type CredentialReport, type ServerTime, textOf, UNUSABLE_INTERVAL } from './report.js'
import { type SecretRef, writeSecret } from './secret-data.js'
import { claimsOf, TOKEN_KEY, type TokenClaims, tokenIn } from './token.js'

/** A service account token that a controller keeps in a Secret. */
export interface TokenCredential {
  /** The service account on the server. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string }
  /** Its uid: a token of a former account of this name is replaced. */
  readonly serviceAccountUid: string
  /** The requested lifetime. Servers may shorten it. */
  readonly expirationSeconds: number
  /** The cluster that stores the Secret. */
  readonly store: KubeClient
  /** The Secret with the credential. */
  readonly secrets: Informer<Secret>
  readonly secret: SecretRef
  /** Data to write besides the token, for example a kubeconfig. Default none. */
  readonly additionalData?: () => Promise<Readonly<Record<string, string>>>
  /** Labels of the Secret. Default none. */
  readonly labels?: Readonly<Record<string, string>>
  /** Keys of other credentials to remove from the Secret. Default none. */
  readonly obsoleteKeys?: readonly string[]
  /** Whether the data besides the token is as wanted. Default: always. */
  readonly isComplete?: (secret: Secret) => Promise<boolean>
  /** The time on the server, and the problem with the local clock. Default: the clocks agree. */
  readonly serverTime?: ServerTime
  /** Called whenever the token is found valid or cannot be renewed. */
  readonly report: (report: CredentialReport, signal: AbortSignal) => Promise<void>
}

/**
 * Keeps a token of a service account in a Secret: requests it, stores it, and renews it when 20 % of its lifetime are left.
 * Corresponds to the `token` driver of Open Cluster Management. To be called when the Secret or the service account changes, and
 * at the returned time.
 */
export async function keepToken(credential: TokenCredential, context: ReconcileContext): Promise<Requeue> {
  const { store, secrets, secret, report } = credential
  const { clock, signal } = context
  const now = clock.now()
  const current =
    (await currentIn(credential, secrets.get(secret), now)) ??
    // The informer may be stale: without this, a token that was just stored would be requested again.
    (await currentIn(credential, await store.find(Secret, secret, { signal }), now))
  if (current === undefined) return renew(credential, context)
  await report({ state: 'valid', notBefore: current.notBefore, notAfter: current.notAfter }, signal)
  return requeueAt(current.renewAt)
}

/** The token in a Secret if it does not have to be replaced. */
async function currentIn(
  { serviceAccountUid, isComplete, obsoleteKeys = [] }: TokenCredential,
  secret: Secret | undefined,
  now: Date,
): Promise<TokenClaims | undefined> {
  const claims = tokenIn(secret)
  if (secret === undefined || claims === undefined || now >= claims.renewAt) return undefined
  if (claims.serviceAccountUid !== serviceAccountUid) return undefined
  if (obsoleteKeys.some((key) => secret.data?.[key] !== undefined)) return undefined
  return isComplete === undefined || (await isComplete(secret)) ? claims : undefined
}

async function renew(credential: TokenCredential, { client, clock, log, signal }: ReconcileContext): Promise<Requeue> {
  const { serviceAccount, store, secret, additionalData, labels, obsoleteKeys, serverTime, report } = credential
  let token: string
  try {
    token = await requestToken(client, serviceAccount, { expirationSeconds: credential.expirationSeconds, signal })
  } catch (error) {
    if (!signal.aborted) await report({ state: 'failed', problem: 'not-created', message: textOf(error) }, signal)
    throw error
  }
  const claims = claimsOf(token)
  if (claims === undefined || clock.now() >= claims.renewAt) {
    const why =
      claims === undefined ? 'it has no lifetime' : (serverTime?.problem ?? 'it has expired by the local clock')
    await report({ state: 'failed', problem: 'expired', message: `the token cannot be used: ${why}` }, signal)
    return requeueAfter(UNUSABLE_INTERVAL)
  }
  const data = { ...(await additionalData?.()), [TOKEN_KEY]: token }
  await writeSecret(store, secret, data, { labels, obsoleteKeys, signal })
  const { notBefore, notAfter, renewAt } = claims
  log.info('token stored', { serviceAccount: serviceAccount.name, notAfter })
  await report({ state: 'valid', notBefore, notAfter }, signal)
  return requeueAt(renewAt)
}

export interface TokenRequestOptions {
  /** The server may choose another lifetime. Defaults to that of the server. */
  readonly expirationSeconds?: number
  readonly signal?: AbortSignal
}

/** Requests a token of a service account. */
export async function requestToken(
  server: KubeClient,
  serviceAccount: TokenCredential['serviceAccount'],
  { expirationSeconds, ...call }: TokenRequestOptions = {},
): Promise<string> {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { ...serviceAccount },
    spec: expirationSeconds === undefined ? {} : { expirationSeconds },
  }
  const options = { ...call, subresource: 'token' }
  // A subresource with a kind of its own: the client sends and returns what the path serves.
  const { status } = (await server.create(ServiceAccount, request, options)) as unknown as TokenRequest
  return status?.token ?? ''
}
