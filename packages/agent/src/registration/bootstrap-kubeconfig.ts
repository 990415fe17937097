import { formatKubeconfig, kubeconfigOf } from '@orrery/kube/kubeconfig'

/** The hub to join, and the join token. */
export interface BootstrapOptions {
  /** `https://host:port`. */
  readonly server: string
  readonly token: string
  /** The CA bundle of the hub, in PEM. Default: the authorities of the system. */
  readonly ca?: string
  readonly proxyUrl?: string
  /** Distinguishes hubs that use one address one after the other. Default `hub`. */
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
