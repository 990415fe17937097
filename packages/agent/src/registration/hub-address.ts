import {
  type ClientConfig,
  clientConfigOf,
  formatKubeconfig,
  type Kubeconfig,
  kubeconfigOf,
  type Pem,
} from '@orrery/kube/kubeconfig'

/** Where a hub is, and what it is trusted by. */
export interface HubAddress {
  readonly server: string
  readonly proxyUrl: string | undefined
  readonly certificateAuthority: Pem | undefined
  readonly tlsServerName: string | undefined
  /** The name of the cluster's entry in the kubeconfig: another one means another hub, whatever its address. */
  readonly entry: string
}

/** The hub that the current context of a kubeconfig leads to. */
export function hubAddressOf(kubeconfig: Kubeconfig, config: ClientConfig = clientConfigOf(kubeconfig)): HubAddress {
  return {
    server: config.server,
    proxyUrl: config.proxyUrl,
    certificateAuthority: config.certificateAuthority,
    tlsServerName: config.tlsServerName,
    entry: kubeconfig.contexts.get(kubeconfig.currentContext ?? '')?.value.cluster ?? '',
  }
}

/** Whether what was got from one hub is good for the other. */
export function isSameHub(a: HubAddress, b: HubAddress): boolean {
  return (
    a.server === b.server &&
    a.proxyUrl === b.proxyUrl &&
    a.entry === b.entry &&
    JSON.stringify(a.certificateAuthority) === JSON.stringify(b.certificateAuthority)
  )
}

/** How to reach a hub with a certificate. */
export function hubConfig(address: HubAddress, clientCertificate: Pem, clientKey: Pem): ClientConfig {
  const { server, proxyUrl, certificateAuthority, tlsServerName } = address
  return {
    server,
    ...(proxyUrl !== undefined && { proxyUrl }),
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    clientCertificate,
    clientKey,
    origin: 'hub-kubeconfig-secret',
  }
}

const CONTEXT = 'default-context'
const USER = 'default-auth'
const NAMESPACE = 'configuration'

/** The kubeconfig that goes with a certificate and a key in files beside it. */
export function hubKubeconfig(address: HubAddress, certificateFile: string, keyFile: string): Promise<string> {
  const config = hubConfig(address, { file: certificateFile }, { file: keyFile })
  const names = { name: CONTEXT, cluster: address.entry, user: USER }
  return formatKubeconfig(kubeconfigOf({ ...config, namespace: NAMESPACE }, names))
}
