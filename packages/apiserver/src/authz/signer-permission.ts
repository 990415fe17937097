import type { Authorizer, Identity } from '../identity/identity.js'

/** What a user may do for a certificate signer. */
export type SignerVerb = 'approve' | 'sign' | 'attest'

/** Returns whether a user has a permission for a signer: by its full name, or by `<domain>/*`. */
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
