import { readFile } from 'node:fs/promises'
import type { Target } from '../shared/target.js'
import { shellWord } from './words.js'

/** Where clusters find a hub, and what they trust it by. */
export interface HubAddress {
  readonly server: string
  /** PEM; undefined when the authorities of the system will do, or nobody knows. */
  readonly ca: string | undefined
  /** Nobody knows what it is trusted by: the kubeconfig trusts anything. */
  readonly isUntrusted: boolean
}

/** Where the hub is that a command talks to. */
export async function hubAddressOf({ source }: Target): Promise<HubAddress> {
  const { server, certificateAuthority, insecureSkipTlsVerify } = await source.read()
  if (certificateAuthority === undefined) {
    return { server, ca: undefined, isUntrusted: insecureSkipTlsVerify === true }
  }
  const ca =
    'text' in certificateAuthority ? certificateAuthority.text : await readFile(certificateAuthority.file, 'utf8')
  return { server, ca, isUntrusted: false }
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
