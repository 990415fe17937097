import { CERTIFICATE_SECONDS_KEY, HubKubeconfigKey } from '@orrery/api'
import type { Secret } from '@orrery/kinds'
import { secretText } from '@orrery/kube/credentials'
import { type ClientConfig, clientConfigOf, KubeconfigError, type Pem, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { hubAddressOf } from '../hub-address.js'
import { MIN_CERTIFICATE_SECONDS } from '../options.js'
import type { BootstrapHub } from './bootstrapping.js'

/**
 * The hub of the bootstrap kubeconfig in a Secret; undefined if the Secret has none. Throws a `KubeconfigError` if it
 * cannot be used.
 */
export async function bootstrapHubIn(secret: Secret | undefined): Promise<BootstrapHub | undefined> {
  const text = secretText(secret, HubKubeconfigKey.Kubeconfig)
  if (secret === undefined || text === undefined) return undefined
  const kubeconfig = await parseKubeconfig(text)
  const config = selfContained(clientConfigOf(kubeconfig), secret)
  const certificateSeconds = certificateSecondsIn(secret)
  return {
    address: hubAddressOf(kubeconfig, config),
    config,
    ...(certificateSeconds !== undefined && { certificateSeconds }),
  }
}

function certificateSecondsIn(secret: Secret): number | undefined {
  const text = secretText(secret, CERTIFICATE_SECONDS_KEY)
  if (text === undefined) return undefined
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (seconds >= MIN_CERTIFICATE_SECONDS) return seconds
  throw new KubeconfigError(
    undefined,
    `${CERTIFICATE_SECONDS_KEY} must be a number of seconds, at least ${MIN_CERTIFICATE_SECONDS}`,
  )
}

/**
 * Write permission for a Secret of the agent must not give access to more than that. Files that the kubeconfig names
 * are keys of the same Secret, never files of the machine, and commands are not run.
 */
function selfContained(config: ClientConfig, secret: Secret): ClientConfig {
  const { tokenFile, exec, certificateAuthority, clientCertificate, clientKey, ...rest } = config
  if (exec !== undefined)
    throw new KubeconfigError(undefined, 'exec is not allowed in a bootstrap kubeconfig: use a token')
  const content = (key: string) => {
    const text = secretText(secret, key)
    if (text !== undefined) return text
    throw new KubeconfigError(
      undefined,
      `the Secret has no key ${JSON.stringify(key)}, which its kubeconfig names: add the file under this key`,
    )
  }
  const inline = (pem: Pem): Pem => ('file' in pem ? { text: content(pem.file) } : pem)
  return {
    ...rest,
    ...(certificateAuthority !== undefined && { certificateAuthority: inline(certificateAuthority) }),
    ...(clientCertificate !== undefined && { clientCertificate: inline(clientCertificate) }),
    ...(clientKey !== undefined && { clientKey: inline(clientKey) }),
    ...(tokenFile !== undefined && { token: content(tokenFile) }),
  }
}
