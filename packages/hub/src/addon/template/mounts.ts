import { createHash } from 'node:crypto'
import type { MountedVolume } from '@orrery/addon'
import type { AddOnTemplateSpec } from '@orrery/api'
import { HUB_KUBECONFIG_PATH } from './variables.js'

const MAX_NAME = 63

/** The volumes with the credentials of an agent, and where they are mounted. */
export function credentialVolumes(addonName: string, { registration = [] }: AddOnTemplateSpec): MountedVolume[] {
  return registration.flatMap(({ type, customSigner }): MountedVolume[] => {
    if (type === 'KubeClient') {
      const secretName = `${addonName}-hub-kubeconfig`
      return [{ name: 'hub-kubeconfig', mountPath: HUB_KUBECONFIG_PATH, source: { secret: { secretName } } }]
    }
    if (customSigner === undefined) throw new Error('registration of type CustomSigner: customSigner is not set')
    const signer = customSigner.signerName.replaceAll('/', '-')
    const secretName = `${addonName}-${signer}-client-cert`
    return [{ name: volumeName(signer), mountPath: `/managed/${signer}`, source: { secret: { secretName } } }]
  })
}

/** Names of volumes have no dots, and at most 63 characters. */
function volumeName(signer: string): string {
  const name = `cert-${signer.replaceAll('.', '-')}`
  if (name.length <= MAX_NAME) return name
  return `cert-${createHash('sha256').update(signer).digest('hex').slice(0, 32)}`
}
