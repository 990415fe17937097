import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL } from '@orrery/api'
import type { Secret } from '@orrery/kinds'
import { type CertificateCredential, certificateIn, secretText, type Validity } from '@orrery/kube/credentials'
import { parseCertificateBundle } from '@orrery/kube/pki'
import { type Credential, type Identity, isForHub } from './credential.js'
import { type CredentialContext, storeOf } from './credential-context.js'
import { additionalData, hasAdditionalData, obsoleteKeys } from './hub-kubeconfig.js'
import { ownerLabels } from './secret-claim.js'

export type CertificateIdentity = Extract<Identity, { type: 'certificate' }>

/** The certificate of an add-on, as Open Cluster Management's agent requests it. */
export function certificateCredential(
  context: CredentialContext,
  credential: Credential,
  identity: CertificateIdentity,
  report: CertificateCredential['report'],
): CertificateCredential {
  const { clusterName, hubTime: serverTime, requests, certificateSeconds } = context
  const { addonName, secret, requestSecret } = credential
  const { client: store, secrets } = storeOf(context, credential)
  const labels = { [CLUSTER_NAME_LABEL]: clusterName, [ADDON_NAME_LABEL]: addonName }
  const hub = isForHub(credential) ? context.hubAddress : undefined
  return {
    request: () => ({
      signerName: identity.signerName,
      commonName: identity.commonName,
      organizations: identity.organizations,
      organizationalUnits: identity.organizationalUnits,
      hosts: [`${addonName}.addon.open-cluster-management.io`],
      generateName: `addon-${clusterName}-${addonName}-`,
      labels,
      expirationSeconds: certificateSeconds(),
    }),
    labelSelector: `${CLUSTER_NAME_LABEL}=${clusterName},${ADDON_NAME_LABEL}=${addonName}`,
    requests,
    store,
    secrets,
    secret,
    requestSecret,
    additionalData: () => additionalData(hub, clusterName, identity),
    labels: ownerLabels({ clusterName, addonName }),
    obsoleteKeys: obsoleteKeys(identity),
    current: (found, now) => currentCertificate(context, credential, identity, found, now),
    serverTime,
    report,
  }
}

/** Informers replace a Secret that changes, so what was found in one stays true. */
const checked = new WeakMap<Secret, { readonly wanted: string; readonly validity: Promise<Validity | undefined> }>()

/** The certificate in a Secret if it can be used: it is for this subject and this hub, with its key, and has not expired. */
export async function currentCertificate(
  context: CredentialContext,
  credential: Credential,
  identity: CertificateIdentity,
  secret: Secret | undefined,
  now: Date,
): Promise<Validity | undefined> {
  if (secret === undefined) return undefined
  const hub = isForHub(credential) ? context.hubAddress : undefined
  const wanted = JSON.stringify([identity, hub, context.clusterName])
  let known = checked.get(secret)
  if (known?.wanted !== wanted) {
    known = { wanted, validity: usableIn(secret) }
    checked.set(secret, known)
  }
  const validity = await known.validity
  return validity !== undefined && now <= validity.notAfter ? validity : undefined

  async function usableIn(found: Secret): Promise<Validity | undefined> {
    const validity = certificateIn(found, identity.commonName)
    if (validity === undefined || !isForSubject(found, identity)) return undefined
    return (await hasAdditionalData(found, hub, context.clusterName, identity)) ? validity : undefined
  }
}

function isForSubject(secret: Secret, { organizations, organizationalUnits }: CertificateIdentity): boolean {
  const [certificate] = parseCertificateBundle(secretText(secret, 'tls.crt') ?? '')
  if (certificate === undefined) return false
  const { subject } = certificate
  return sameSet(subject.organizations, organizations) && sameSet(subject.organizationalUnits, organizationalUnits)
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [first, second] = [new Set(a), new Set(b)]
  return first.size === second.size && a.every((value) => second.has(value))
}
