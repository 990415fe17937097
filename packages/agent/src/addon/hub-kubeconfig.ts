import { HubKubeconfigKey } from '@orrery/api'
import type { Secret } from '@orrery/kinds'
import { secretText, TOKEN_KEY } from '@orrery/kube/credentials'
import { clientConfigOf, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { type HubAddress, type HubCredentials, hubAddressOf, hubKubeconfig, isSameHub } from '../hub-address.js'
import type { Identity } from './credential.js'

const { Certificate, PrivateKey, Kubeconfig, ClusterName } = HubKubeconfigKey

/** The data of a Secret besides the credential itself. Custom signers are not for the hub: there is no kubeconfig for them. */
export async function additionalData(
  hub: HubAddress | undefined,
  clusterName: string,
  { type }: Identity,
): Promise<Record<string, string>> {
  const kubeconfig = hub && { [Kubeconfig]: await hubKubeconfig(hub, credentialFiles(type)) }
  return { ...kubeconfig, [ClusterName]: clusterName }
}

/** Whether a Secret has this data, in any format: Open Cluster Management's agent formats kubeconfigs differently. */
export async function hasAdditionalData(
  secret: Secret,
  hub: HubAddress | undefined,
  clusterName: string,
  { type }: Identity,
): Promise<boolean> {
  if (secretText(secret, ClusterName) !== clusterName) return false
  return hub === undefined || isKubeconfigFor(secretText(secret, Kubeconfig), hub, type)
}

/** The keys of a Secret that belong to the other type of credentials. */
export function obsoleteKeys({ type }: Identity): readonly string[] {
  return type === 'token' ? [Certificate, PrivateKey] : [TOKEN_KEY]
}

/** Relative to the kubeconfig: all keys of the Secret are files of one directory in the pod. */
function credentialFiles(type: Identity['type']): HubCredentials {
  if (type === 'token') return { tokenFile: TOKEN_KEY }
  return { clientCertificate: { file: Certificate }, clientKey: { file: PrivateKey } }
}

async function isKubeconfigFor(text: string | undefined, hub: HubAddress, type: Identity['type']): Promise<boolean> {
  if (text === undefined) return false
  try {
    const kubeconfig = await parseKubeconfig(text)
    const config = clientConfigOf(kubeconfig)
    const { clientCertificate, clientKey, tokenFile } = config
    const found = tokenFile === undefined ? { clientCertificate, clientKey } : { tokenFile }
    return (
      isSameHub(hubAddressOf(kubeconfig, config), hub) &&
      JSON.stringify(found) === JSON.stringify(credentialFiles(type))
    )
  } catch {
    // An unreadable kubeconfig is replaced.
    return false
  }
}
