import { formatYaml } from './yaml/write.js'

/** What a kubeconfig needs to reach a server as somebody. PEM. */
export interface KubeconfigParts {
  readonly server: string
  readonly certificateAuthority: string
  readonly clientCertificate: string
  readonly clientKey: string
  /** Name of cluster, user and context. */
  readonly name: string
}

/** A kubeconfig with one context, everything inline. */
export function formatKubeconfig({
  server,
  certificateAuthority,
  clientCertificate,
  clientKey,
  name,
}: KubeconfigParts): string {
  const user = `${name}-admin`
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(certificateAuthority) } }],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(clientCertificate), 'client-key-data': base64(clientKey) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  })
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
