import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@orrery/kinds'
import type { CertificateSigningRequestSpec, CertificateSigningRequestStatus } from '@orrery/kinds/certificates'
import { parseCsr } from '@orrery/kube/pki'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import { maySign, type SignerVerb } from '../authz/signer-permission.js'
import type { Authorizer, Identity } from '../identity/identity.js'
import { SIGNER_CLIENT } from '../pki/signers.js'
import { refused } from './refused.js'

const BUCKET = 'certificatesigningrequests.certificates.k8s.io'
const MASTERS = 'system:masters'

/** Sets the requester in a CertificateSigningRequest, whatever the request contains. */
export const certificateRequester: AdmissionPlugin = {
  name: 'CertificateRequester',
  mutate({ operation, resource, subresource, object, identity }) {
    if (resource.storage.bucket !== BUCKET || subresource !== '' || operation !== 'CREATE' || object === undefined)
      return
    const { username, uid, groups, extra, ...spec } = (object.spec ?? {}) as Record<string, unknown>
    object.spec = { ...spec, ...requesterFields(identity) }
  },
}

function requesterFields({ username, uid, groups, extra }: Identity): Record<string, unknown> {
  return {
    ...(username !== '' && { username }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(extra).length > 0 && { extra: structuredClone(extra) }),
  }
}

/** Only users with the `approve` permission for a signer may approve or deny its requests (CertificateApproval). */
export function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate(request) {
      if (request.resource.storage.bucket !== BUCKET || request.subresource !== 'approval') return
      return requireSigner(authorizer, request, 'approve')
    },
  }
}

/**
 * Only users with the `sign` permission for a signer may write certificates and conditions of its requests
 * (CertificateSigning).
 */
export function certificateSigning(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate(request) {
      if (request.resource.storage.bucket !== BUCKET || request.subresource !== 'status') return
      if (isDeepStrictEqual(outcomeOf(request.object), outcomeOf(request.oldObject))) return
      return requireSigner(authorizer, request, 'sign')
    },
  }
}

function outcomeOf(csr: KubeObject | undefined): unknown {
  const { certificate = '', conditions = [] } = (csr?.status ?? {}) as CertificateSigningRequestStatus
  return [certificate, conditions]
}

async function requireSigner(authorizer: Authorizer, request: AdmissionRequest, verb: SignerVerb): Promise<void> {
  const { signerName = '' } = (request.oldObject?.spec ?? {}) as Partial<CertificateSigningRequestSpec>
  if (await maySign(authorizer, request.identity, verb, signerName)) return
  throw refused(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`)
}

/** Refuses requests for a certificate of `system:masters` (CertificateSubjectRestriction). */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  validate(request) {
    const { operation, resource, subresource, object } = request
    if (resource.storage.bucket !== BUCKET || subresource !== '' || operation !== 'CREATE') return
    const { signerName, request: encoded = '' } = (object?.spec ?? {}) as Partial<CertificateSigningRequestSpec>
    if (signerName !== SIGNER_CLIENT) return
    if (!parseCsr(Buffer.from(encoded, 'base64').toString('utf8')).subject.organizations.includes(MASTERS)) return
    throw refused(request, `use of ${SIGNER_CLIENT} signer with ${MASTERS} group is not allowed`)
  },
}
