import { formatKubeconfig, kubeconfigOf } from '@orrery/kube/kubeconfig'

/** The hub to join, and the join token. */
export interface BootstrapOptions {
  /** `https://host:port`. */
  readonly server: string
  readonly token: string
  /** PEM of the certificates that the hub is trusted by. Default: the authorities of the system. */
  readonly ca?: string
  readonly proxyUrl?: string
  /** Tells hubs apart that follow each other at one address. Default `hub`. */
  readonly hubName?: string
}

const USER = 'bootstrap'

/** The bootstrap kubeconfig that an agent registers with. */
export function bootstrapKubeconfig(options: BootstrapOptions): Promise<string> {
  const { server, token, ca, proxyUrl, hubName = 'hub' } = options
  const config = {
    server,
    token,
    ...(ca !== undefined && { certificateAuthority: { text: ca } }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  }
  return formatKubeconfig(kubeconfigOf(config, { name: USER, cluster: hubName, user: USER }))
}
