import {
  type ClientConfig,
  clientConfigOf,
  formatKubeconfig,
  type Kubeconfig,
  kubeconfigOf,
  type Pem,
} from '@orrery/kube/kubeconfig'

/** The address of a hub and its CA bundle. */
export interface HubAddress {
  readonly server: string
  readonly proxyUrl: string | undefined
  readonly certificateAuthority: Pem | undefined
  readonly tlsServerName: string | undefined
  /**
   * The name of the cluster entry in the kubeconfig: a different name means a different hub, even at the same
   * address.
   */
  readonly entry: string
}

/** The hub of the current context of a kubeconfig. */
export function hubAddressOf(kubeconfig: Kubeconfig, config: ClientConfig = clientConfigOf(kubeconfig)): HubAddress {
  return {
    server: config.server,
    proxyUrl: config.proxyUrl,
    certificateAuthority: config.certificateAuthority,
    tlsServerName: config.tlsServerName,
    entry: kubeconfig.contexts.get(kubeconfig.currentContext ?? '')?.value.cluster ?? '',
  }
}

/** Whether credentials for one hub are valid for the other. */
export function isSameHub(a: HubAddress, b: HubAddress): boolean {
  return (
    a.server === b.server &&
    a.proxyUrl === b.proxyUrl &&
    a.entry === b.entry &&
    JSON.stringify(a.certificateAuthority) === JSON.stringify(b.certificateAuthority)
  )
}

/** The credentials of a client: a certificate with its key, or a file with a token. */
export type HubCredentials =
  | Required<Pick<ClientConfig, 'clientCertificate' | 'clientKey'>>
  | { readonly tokenFile: string }

/** The client configuration for a hub. */
export function hubConfig(address: HubAddress, credentials: HubCredentials): ClientConfig {
  const { server, proxyUrl, certificateAuthority, tlsServerName } = address
  return {
    server,
    ...(proxyUrl !== undefined && { proxyUrl }),
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...credentials,
    origin: 'hub-kubeconfig-secret',
  }
}

const CONTEXT = 'default-context'
const USER = 'default-auth'
const NAMESPACE = 'configuration'

/** The kubeconfig for a hub, with credentials in files beside it. */
export function hubKubeconfig(address: HubAddress, credentials: HubCredentials): Promise<string> {
  const config = hubConfig(address, credentials)
  const names = { name: CONTEXT, cluster: address.entry, user: USER }
  return formatKubeconfig(kubeconfigOf({ ...config, namespace: NAMESPACE }, names))
}
