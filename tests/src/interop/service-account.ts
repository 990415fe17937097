import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bootstrapKubeconfig } from '@orrery/agent'
import { type Kind, ServiceAccount, type TokenRequest } from '@orrery/kinds'
import type { Served } from './fleet-parts.js'

/** The kind of service accounts, for their subresource `token`. */
const Tokens = ServiceAccount as unknown as Kind<TokenRequest>

/** Writes a kubeconfig with a token of a service account, for programs that run outside of a cluster. Returns its path. */
export async function serviceAccountKubeconfig(
  { server, client, directory }: Served,
  namespace: string,
  name: string,
): Promise<string> {
  const { status } = await client.create(
    Tokens,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace, name },
      spec: { audiences: [], expirationSeconds: 3_600 },
    },
    { subresource: 'token' },
  )
  const path = join(directory, `${name}.kubeconfig`)
  const { url, certificateAuthority: ca } = server
  await writeFile(path, await bootstrapKubeconfig({ server: url, ca, token: status?.token ?? '' }))
  return path
}
