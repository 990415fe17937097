import { formatKubeconfig, kubeconfigOf } from '@orrery/kube'

/** A way into a hub. */
export interface Invitation {
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

/** The kubeconfig that an agent comes to a hub with for the first time. */
export function bootstrapKubeconfig(invitation: Invitation): Promise<string> {
  const { server, token, ca, proxyUrl, hubName = 'hub' } = invitation
  const config = {
    server,
    token,
    ...(ca !== undefined && { certificateAuthority: { text: ca } }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  }
  return formatKubeconfig(kubeconfigOf(config, { name: USER, cluster: hubName, user: USER }))
}
