import { readFile } from 'node:fs/promises'
import { isLoopback } from '@orrery/fleet'
import { isForbidden, type KubeClient } from '@orrery/kube'
import type { Target } from '../shared/target.js'
import { shellWord } from './words.js'

/** Where clusters find a hub, and what they trust it by. */
export interface HubAddress {
  readonly server: string
  /** PEM; undefined when the authorities of the system will do, or nobody knows. */
  readonly ca: string | undefined
  /** Nobody knows what it is trusted by: the kubeconfig trusts anything. */
  readonly isUntrusted: boolean
  /** Whether it is an embedded hub that only its own machine reaches. */
  readonly isLocal?: boolean
}

/**
 * Where clusters reach the hub that a command talks to. The administrator of an embedded hub reaches it over the loopback
 * address, which is of no use to others: then it is the address that the hub itself has published.
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

/** Says so when clusters on other machines cannot reach the hub, and what to do. */
export function warnOfLocalAddress({ server, isLocal = false }: HubAddress): void {
  if (!isLocal) return
  process.stderr.write(
    `${server} works on this machine only. For clusters on other machines, start the hub with --bind-address, such as ` +
      '`orrery up --bind-address 0.0.0.0`.\n',
  )
}

/** Says so when clusters cannot be told what to trust the hub by, and what to do. They trust nothing blindly. */
export function warnOfMissingAuthority({ isUntrusted }: HubAddress): void {
  if (!isUntrusted) return
  process.stderr.write(
    'The kubeconfig trusts any server (insecure-skip-tls-verify), so the authority of the hub is not known, and clusters that join are told of none.\n' +
      'Unless their systems trust the certificate of the hub: put its authority into the kubeconfig (certificate-authority) and repeat this, or give it to `orrery join` with --ca-file.\n',
  )
}

/** All that a script may want to know to let a cluster join; also by the names that clusteradm prints. */
export function joinDocument(address: HubAddress, token: string) {
  const { server, ca } = address
  return { server, ca, token, command: joinCommand(address, token), 'hub-token': token, 'hub-apiserver': server }
}

/** What to type on the way to a hub. The name of the cluster is left to whoever types it. */
export function joinCommand({ server, ca }: HubAddress, token: string): string {
  const trust = ca === undefined ? '' : ` --ca-data ${Buffer.from(ca).toString('base64')}`
  return `orrery join --hub-apiserver ${shellWord(server)} --hub-token ${shellWord(token)}${trust} --cluster-name <name>`
}
