import { readFile } from 'node:fs/promises'
import { isLoopback } from '@orrery/fleet'
import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { note, noteText } from '../shared/print.js'
import type { Target } from '../shared/target.js'
import { shellWord } from './option-parsers.js'

/** The address of a hub and its certificate authority. */
export interface HubAddress {
  readonly server: string
  /** In PEM. Undefined if clients use the system's authorities or the authority is unknown. */
  readonly ca: string | undefined
  /** Whether the authority is unknown because the kubeconfig has insecure-skip-tls-verify. */
  readonly isUntrusted: boolean
  /** Whether it is an embedded hub on the loopback address. */
  readonly isLocal?: boolean
}

/**
 * The address at which clusters reach the hub. The kubeconfig of an embedded hub has the loopback address: then it is the
 * address that the hub publishes in kube-public/cluster-info.
 */
export async function hubAddressOf(target: Target, client: KubeClient): Promise<HubAddress> {
  const address = await addressIn(target)
  if (!isLocalUrl(address.server)) return address
  const { readClusterInfo } = await import('@orrery/hub')
  const published = await readClusterInfo(client).catch((error: unknown) => {
    if (isForbidden(error)) return undefined
    throw error
  })
  if (published === undefined) return address
  return { ...published, isUntrusted: false, isLocal: published.server === address.server }
}

function isLocalUrl(server: string): boolean {
  return URL.canParse(server) && isLoopback(new URL(server).hostname.replaceAll(/[[\]]/g, ''))
}

async function addressIn({ source }: Target): Promise<HubAddress> {
  const { server, certificateAuthority, insecureSkipTlsVerify } = await source.read()
  if (certificateAuthority === undefined) {
    return { server, ca: undefined, isUntrusted: insecureSkipTlsVerify === true }
  }
  const ca =
    'text' in certificateAuthority ? certificateAuthority.text : await readFile(certificateAuthority.file, 'utf8')
  return { server, ca, isUntrusted: false }
}

/** Warns if clusters on other machines cannot reach the hub. */
export function warnOfLocalAddress({ server, isLocal = false }: HubAddress): void {
  if (!isLocal) return
  note(
    `${server} is reachable from this machine only. For clusters on other machines, start the hub with --bind-address, for ` +
      'example `orrery up --bind-address 0.0.0.0`.',
  )
}

/** Warns if the certificate authority of the hub is unknown. Agents always verify the certificate of the hub. */
export function warnOfMissingAuthority({ isUntrusted }: HubAddress): void {
  if (!isUntrusted) return
  noteText(
    'The certificate authority of the hub is unknown: the kubeconfig has insecure-skip-tls-verify.\n' +
      'Set certificate-authority in the kubeconfig and run this command again, or pass --ca-file to `orrery join`.\n',
  )
}

/** What a script needs to join a cluster, also under the names that clusteradm prints. */
export function joinDocument(address: HubAddress, token: string) {
  const { server, ca } = address
  return { server, ca, token, command: joinCommand(address, token), 'hub-token': token, 'hub-apiserver': server }
}

/** The command that joins a cluster, with a placeholder for its name. */
export function joinCommand({ server, ca }: HubAddress, token: string): string {
  const trust = ca === undefined ? '' : ` --ca-data ${Buffer.from(ca).toString('base64')}`
  return `orrery join --hub-apiserver ${shellWord(server)} --hub-token ${shellWord(token)}${trust} --cluster-name <name>`
}
