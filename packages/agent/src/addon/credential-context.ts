import type { CertificateSigningRequest } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { ServerTime } from '@orrery/kube/credentials'
import type { ResolvedAddonOptions } from '../addon-options.js'
import type { HubAddress } from '../hub-address.js'
import type { Credential } from './credential.js'
import type { CredentialStore } from './credential-store.js'

/** Context of the code that keeps credentials of add-ons. */
export interface CredentialContext {
  readonly clusterName: string
  readonly hubAddress: HubAddress
  readonly hubTime: ServerTime
  /** The certificate requests of the cluster on the hub. */
  readonly requests: Informer<CertificateSigningRequest>
  /** The requested lifetime of certificates; undefined lets the hub decide. */
  readonly certificateSeconds: () => number | undefined
  readonly options: ResolvedAddonOptions
  readonly managed: CredentialStore
  readonly hosting: CredentialStore
  /** The agent's own Secrets on the managed cluster, which no add-on may have. */
  readonly ownSecrets: { readonly namespace: string; readonly names: readonly string[] }
}

/** The cluster that stores a credential. */
export function storeOf({ managed, hosting }: CredentialContext, { location }: Credential): CredentialStore {
  return location.isHosted ? hosting : managed
}
