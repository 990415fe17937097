import type { KubeClient } from '../client/client.js'
import type { CallOptions } from '../client/options.js'

/** The version of a server: `/version`. */
export interface ServerVersion {
  readonly major: number
  readonly minor: number
  /** `v1.34.1`, possibly with a suffix of the provider. */
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

/** Reads the version of a server. */
export async function serverVersion(client: KubeClient, options: CallOptions = {}): Promise<ServerVersion> {
  const document = await client.getJson<VersionDocument>('/version', options)
  const { major = '', minor = '', gitVersion = '', platform = '' } = document
  const [, gitMajor, gitMinor] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? []
  // Providers write `27+`, and some omit the numbers.
  return { major: numberIn(major || gitMajor), minor: numberIn(minor || gitMinor), gitVersion, platform }
}

const numberIn = (text = '0'): number => Number.parseInt(text, 10) || 0
