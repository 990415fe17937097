import { readFile } from 'node:fs/promises'
import type { Target } from '../shared/target.js'
import { shellWord } from './words.js'

/** Where clusters find a hub, and what they trust it by. */
export interface HubAddress {
  readonly server: string
  /** PEM; undefined when the authorities of the system will do. */
  readonly ca: string | undefined
}

/** Where the hub is that a command talks to. */
export async function hubAddressOf({ source }: Target): Promise<HubAddress> {
  const { server, certificateAuthority } = await source.read()
  if (certificateAuthority === undefined) return { server, ca: undefined }
  const ca =
    'text' in certificateAuthority ? certificateAuthority.text : await readFile(certificateAuthority.file, 'utf8')
  return { server, ca }
}

/** What to type on the way to a hub. The name of the cluster is left to whoever types it. */
export function joinCommand({ server, ca }: HubAddress, token: string): string {
  const trust = ca === undefined ? '' : ` --ca-data ${Buffer.from(ca).toString('base64')}`
  return `orrery join --hub-apiserver ${shellWord(server)} --hub-token ${shellWord(token)}${trust} --cluster-name <name>`
}
