import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '@orrery/kinds'
import { forbidden } from '@orrery/kinds/values'
import { parseCsr } from '@orrery/kube/pki'
import { type Authorizer, type Identity, SYSTEM_MASTERS } from '../identity.js'
import { SIGNER_CLIENT } from '../pki/signers.js'
import { maySign } from './signer-permission.js'

const ON = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' }

/** A new request for a client certificate must not ask to be a master: no approver could tell by its looks. Throws 403. */
export function checkRequestedSubject(request: KubeObject): void {
  const spec = specOf(request)
  if (spec.signerName !== SIGNER_CLIENT) return
  let organizations: readonly string[]
  try {
    organizations = parseCsr(Buffer.from(spec.request ?? '', 'base64').toString('latin1')).subject.organizations
  } catch (error) {
    throw refuse(request, `failed to parse CSR: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (organizations.includes(SYSTEM_MASTERS)) {
    throw refuse(request, `use of ${SIGNER_CLIENT} signer with ${SYSTEM_MASTERS} group is not allowed`)
  }
}

/** Whoever writes `approval` must be allowed to approve for the signer the request is at. Throws 403. */
export async function checkApproval(previous: KubeObject, identity: Identity, authorizer: Authorizer): Promise<void> {
  const { signerName = '' } = specOf(previous)
  if (await maySign(authorizer, identity, 'approve', signerName)) return
  throw refuse(previous, `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`)
}

/** Whoever changes the certificate or the conditions in `status` must be allowed to sign. Throws 403. */
export async function checkSigning(
  request: KubeObject,
  previous: KubeObject,
  identity: Identity,
  authorizer: Authorizer,
): Promise<void> {
  const [after, before] = [statusOf(request), statusOf(previous)]
  const { signerName = '' } = specOf(previous)
  const isSame = after.certificate === before.certificate && isDeepStrictEqual(after.conditions, before.conditions)
  if (isSame || (await maySign(authorizer, identity, 'sign', signerName))) return
  throw refuse(previous, `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`)
}

function refuse({ metadata }: KubeObject, why: string) {
  return forbidden(ON, metadata.name ?? '', why)
}

function specOf({ spec }: KubeObject): { readonly signerName?: string; readonly request?: string } {
  return (spec ?? {}) as { signerName?: string; request?: string }
}

function statusOf({ status }: KubeObject): { readonly certificate: string; readonly conditions: readonly unknown[] } {
  const { certificate, conditions } = (status ?? {}) as { certificate?: string | null; conditions?: unknown[] | null }
  return { certificate: certificate ?? '', conditions: conditions ?? [] }
}
