import { BOOTSTRAP_SERVICE_ACCOUNT, OPERATOR_NAMESPACE } from '@orrery/api'
import { type Kind, Secret, ServiceAccount, type TokenRequest } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { BOOTSTRAP_TOKEN_SECRET } from '../install/bootstrap-token.js'
import { OperationError } from './operation-error.js'

/** The subresource `serviceaccounts/token`. */
const Tokens: Kind<TokenRequest> = {
  group: '',
  version: 'v1',
  kind: 'TokenRequest',
  plural: ServiceAccount.plural,
  scope: 'Namespaced',
}

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
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    metadata: ACCOUNT,
    spec: { audiences: [], expirationSeconds },
  }
  const { status } = await client.create(Tokens, request, { ...options, subresource: 'token' })
  return status?.token ?? ''
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
