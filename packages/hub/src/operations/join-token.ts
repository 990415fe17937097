import { BOOTSTRAP_SERVICE_ACCOUNT, OPERATOR_NAMESPACE } from '@orrery/api'
import { Secret, ServiceAccount } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { requestToken } from '@orrery/kube/credentials'
import { BOOTSTRAP_TOKEN_SECRET } from '../install/bootstrap-token.js'
import { OperationError } from './operation-error.js'

const ACCOUNT = { namespace: OPERATOR_NAMESPACE, name: BOOTSTRAP_SERVICE_ACCOUNT }

/**
 * Issues a join token of the bootstrap service account, for API servers without bootstrap tokens. The server may shorten its
 * lifetime.
 */
export async function issueJoinToken(
  client: KubeClient,
  expirationSeconds: number,
  options: CallOptions = {},
): Promise<string> {
  if ((await client.find(ServiceAccount, ACCOUNT, options)) === undefined) {
    throw new OperationError(`service account ${ACCOUNT.namespace}/${ACCOUNT.name} does not exist: run \`orrery init\``)
  }
  return requestToken(client, ACCOUNT, { ...options, expirationSeconds })
}

/** Which join tokens were revoked. */
export interface RevokedTokens {
  readonly bootstrapToken: boolean
  readonly serviceAccount: boolean
}

/**
 * Revokes all join tokens: deletes the bootstrap token and the bootstrap service account. Clusters that have joined are not
 * affected.
 */
export async function revokeJoinTokens(client: KubeClient, options: CallOptions = {}): Promise<RevokedTokens> {
  const [secret, account] = await Promise.all([
    client.find(Secret, BOOTSTRAP_TOKEN_SECRET, options),
    client.find(ServiceAccount, ACCOUNT, options),
  ])
  await Promise.all([
    secret && client.ensureDeleted(Secret, BOOTSTRAP_TOKEN_SECRET, options),
    account && client.ensureDeleted(ServiceAccount, ACCOUNT, options),
  ])
  return { bootstrapToken: secret !== undefined, serviceAccount: account !== undefined }
}
