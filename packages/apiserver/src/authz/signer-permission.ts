import type { Authorizer, Identity } from '../identity/identity.js'

/** What somebody may do in the name of a certificate signer. */
export type SignerVerb = 'approve' | 'sign' | 'attest'

/** Whether somebody may act for a signer: by its full name, or by `<domain>/*` for all of a domain. */
export async function maySign(
  authorizer: Authorizer,
  identity: Identity,
  verb: SignerVerb,
  signerName: string,
): Promise<boolean> {
  const domain = signerName.split('/', 1)[0] ?? ''
  for (const name of [signerName, `${domain}/*`]) {
    const decision = await authorizer.authorize({
      identity,
      verb,
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
      path: '',
      isResource: true,
    })
    if (decision.allowed) return true
  }
  return false
}
