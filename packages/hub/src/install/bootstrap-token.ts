import { randomInt } from 'node:crypto'
import { BOOTSTRAP_GROUP, BOOTSTRAP_TOKEN_ID } from '@orrery/api'
import { Secret } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'

/** The Secret that holds the bootstrap token. */
export const BOOTSTRAP_TOKEN_SECRET = { namespace: 'kube-system', name: `bootstrap-token-${BOOTSTRAP_TOKEN_ID}` }
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const SECRET_LENGTH = 16

/** The user name of clients with the bootstrap token. */
export const BOOTSTRAP_TOKEN_USER = `system:bootstrap:${BOOTSTRAP_TOKEN_ID}`

/** The bootstrap token, `id.secret`; undefined if there is none. */
export async function findBootstrapToken(client: KubeClient, options: CallOptions = {}): Promise<string | undefined> {
  const secret = await client.find(Secret, BOOTSTRAP_TOKEN_SECRET, options)
  return secret && tokenIn(secret)
}

/** The bootstrap token. Creates one if there is none. */
export async function ensureBootstrapToken(client: KubeClient, options: CallOptions = {}): Promise<string> {
  const known = await findBootstrapToken(client, options)
  if (known !== undefined) return known
  const made = Array.from({ length: SECRET_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const draft = {
    metadata: { ...BOOTSTRAP_TOKEN_SECRET, labels: { app: 'cluster-manager' } },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': BOOTSTRAP_TOKEN_ID,
      'token-secret': made,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': BOOTSTRAP_GROUP,
    },
  }
  try {
    return tokenIn(await client.create(Secret, draft, options))
  } catch (error) {
    // Another installation was faster: use its token.
    if (!isAlreadyExists(error)) throw error
    return tokenIn(await client.get(Secret, BOOTSTRAP_TOKEN_SECRET, options))
  }
}

function tokenIn({ data = {} }: Secret): string {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8')
  return `${text('token-id')}.${text('token-secret')}`
}
