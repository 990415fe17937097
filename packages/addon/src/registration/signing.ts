import { KUBE_CLIENT_SIGNER } from '@orrery/api'
import { CertificateSigningRequest } from '@orrery/kinds'
import type { ControllerSpec, KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { isApproved } from '@orrery/kube/csr'
import { retryOnConflict } from '@orrery/kube/write'
import type { AddonManagerContext } from '../manager/context.js'
import { addonRequest, addonRequests, requestWakes } from './addon-request.js'

/**
 * Stores the certificates of approved requests that an add-on signs itself. Only signers that the add-on registers its agent
 * with are considered. Requests for the API server are signed by the API server.
 */
export function requestSigning(context: AddonManagerContext): ControllerSpec {
  const requests = addonRequests(context)
  return {
    name: 'CSRSignController',
    flowOf: (ref) => requests.get(ref)?.spec.username ?? '',
    wakes: requestWakes(context, requests, isOpen),
    async reconcile({ name }, { client, log, signal }) {
      const request = requests.get({ name })
      if (request === undefined || !isOpen(request)) return
      const asked = addonRequest(context, request)
      if (asked === undefined) return
      const { registration, cluster, addon } = asked
      if (registration.sign === undefined) return
      const call = { client, log, signal }
      const configs = (await registration.configurations?.(cluster, addon, call)) ?? []
      const { signerName } = request.spec
      if (!configs.some((config) => config.type === 'customSigner' && config.signerName === signerName)) return
      const certificate = await registration.sign(asked, call)
      if (certificate !== undefined && certificate !== '')
        await storeCertificate(client, request, certificate, { signal })
    },
  }
}

function isOpen(request: CertificateSigningRequest): boolean {
  return request.spec.signerName !== KUBE_CLIENT_SIGNER && isApproved(request) && !hasCertificate(request)
}

function hasCertificate({ status }: CertificateSigningRequest): boolean {
  return (status?.certificate ?? '') !== ''
}

/** Signers may update but usually not patch, so the whole object is sent. A certificate that another signer stored stays. */
async function storeCertificate(
  client: KubeClient,
  request: CertificateSigningRequest,
  pem: string,
  options: CallOptions,
): Promise<void> {
  const { name, uid } = request.metadata
  const certificate = Buffer.from(pem).toString('base64')
  await retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? request : await client.get(CertificateSigningRequest, { name }, options)
    if (current.metadata.uid !== uid || hasCertificate(current)) return
    const signed = { ...current, status: { ...current.status, certificate } }
    await client.update(CertificateSigningRequest, signed, { ...options, subresource: 'status' })
  })
}
