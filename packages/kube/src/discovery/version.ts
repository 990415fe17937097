import type { KubeClient } from '../client/client.js'
import type { CallOptions } from '../client/options.js'

/** What a server is: `/version`. */
export interface ServerVersion {
  readonly major: number
  readonly minor: number
  /** `v1.34.1`, perhaps with something of the provider's after it. */
  readonly gitVersion: string
  /** `linux/amd64`. */
  readonly platform: string
}

interface VersionDocument {
  major?: string
  minor?: string
  gitVersion?: string
  platform?: string
}

/** Asks a server what it is. */
export async function serverVersion(client: KubeClient, options: CallOptions = {}): Promise<ServerVersion> {
  const document = await client.getJson<VersionDocument>('/version', options)
  const { major = '', minor = '', gitVersion = '', platform = '' } = document
  const [, gitMajor, gitMinor] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? []
  // Providers write `27+`, and some leave the numbers out.
  return { major: numberIn(major || gitMajor), minor: numberIn(minor || gitMinor), gitVersion, platform }
}

const numberIn = (text = '0'): number => Number.parseInt(text, 10) || 0
