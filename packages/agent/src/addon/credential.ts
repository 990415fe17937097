import { agentSubject } from '@orrery/addon'
import {
  type AddOnRegistration,
  KUBE_CLIENT_SIGNER,
  type KubeClientDriver,
  type ManagedClusterAddOn,
} from '@orrery/api'
import { isDNS1123Label, isDNS1123Subdomain, isLabelValue } from '@orrery/kinds/values'
import type { SecretRef } from '@orrery/kube/credentials'
import { type AddonLocation, locationOf } from './location.js'

/** A credential that the agent of an add-on needs, and the Secret that it is kept in. */
export interface Credential {
  readonly addonName: string
  readonly location: AddonLocation
  readonly secret: SecretRef
  /** The Secret with the key of a pending certificate request. */
  readonly requestSecret: SecretRef
  readonly identity: Identity
  /** Whether the hub has set the subject. Otherwise it is the default one for the hub's API server. */
  readonly hasSubject: boolean
  /** Why the credential cannot be kept: a name that is not valid. */
  readonly problem: string | undefined
}

/** What the hub issues: a certificate of the signer of its API server or of a custom one, or a token. */
export type Identity =
  | { readonly type: 'token' }
  | {
      readonly type: 'certificate'
      readonly signerName: string
      readonly commonName: string
      readonly organizations: readonly string[]
      readonly organizationalUnits: readonly string[]
    }

/** Whether the credential is for the API server of the hub, so that its Secret has a kubeconfig. */
export function isForHub({ identity }: Credential): boolean {
  return identity.type === 'token' || identity.signerName === KUBE_CLIENT_SIGNER
}

/**
 * The credentials of an add-on. A registration that the hub has not configured completely has none. Registrations that share a Secret
 * count once: the first one applies.
 */
export function credentialsOf(
  addon: ManagedClusterAddOn,
  clusterName: string,
  driver: KubeClientDriver,
): readonly Credential[] {
  const addonName = addon.metadata.name
  const location = locationOf(addon)
  const credentials = new Map<string, Credential>()
  for (const registration of addon.status?.registrations ?? []) {
    const identity = identityOf(registration, driver, clusterName, addonName)
    if (identity === undefined) continue
    const name = secretNameOf(addonName, identity)
    if (credentials.has(name)) continue
    const { namespace } = location
    const secret = { namespace, name }
    const requestSecret = { namespace, name: `${name}-request` }
    const problem = problemOf(addonName, requestSecret)
    const { type, kubeClient: { subject } = {} } = registration
    const hasSubject = type !== 'kubeClient' || (subject?.user ?? '') !== '' || (subject?.groups ?? []).length > 0
    credentials.set(name, { addonName, location, secret, requestSecret, identity, hasSubject, problem })
  }
  return [...credentials.values()]
}

function identityOf(
  { type, kubeClient, customSigner }: AddOnRegistration,
  driver: KubeClientDriver,
  clusterName: string,
  addonName: string,
): Identity | undefined {
  const { user, groups } = agentSubject(clusterName, addonName)
  if (type === 'kubeClient') {
    if (driver === 'token') return { type: 'token' }
    return {
      type: 'certificate',
      signerName: KUBE_CLIENT_SIGNER,
      commonName: kubeClient?.subject?.user || user,
      organizations: kubeClient?.subject?.groups?.length ? kubeClient.subject.groups : [groups[0]],
      organizationalUnits: [],
    }
  }
  if (type !== 'customSigner' || !customSigner?.signerName) return undefined
  const { signerName, subject } = customSigner
  return {
    type: 'certificate',
    signerName,
    commonName: subject?.user || user,
    organizations: subject?.groups ?? [],
    organizationalUnits: subject?.organizationUnits ?? [],
  }
}

function secretNameOf(addonName: string, identity: Identity): string {
  if (identity.type === 'token' || identity.signerName === KUBE_CLIENT_SIGNER) return `${addonName}-hub-kubeconfig`
  return `${addonName}-${identity.signerName.replaceAll('/', '-')}-client-cert`
}

/** The names come from the hub: they must be nothing but names of a namespace and a Secret. */
function problemOf(addonName: string, { namespace, name }: SecretRef): string | undefined {
  const problems = [
    ...isLabelValue(addonName).map((why) => `the name of the add-on ${JSON.stringify(addonName)} ${why}`),
    ...isDNS1123Label(namespace).map((why) => `the namespace ${JSON.stringify(namespace)} ${why}`),
    ...isDNS1123Subdomain(name).map((why) => `the name of the Secret ${JSON.stringify(name)} ${why}`),
  ]
  return problems.length === 0 ? undefined : problems.join('; ')
}
