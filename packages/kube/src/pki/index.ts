export { type AltNames, altNamesOf, NO_ALT_NAMES } from './alt-names.js'
export {
  type Authority,
  createAuthority,
  generateKey,
  isKeyOf,
  type KeyPair,
  loadAuthority,
  privateKeyPem,
} from './authority.js'
export { type Certificate, parseCertificate, parseCertificateBundle, parseCertificatePem } from './certificate.js'
export { TrustRoots, UntrustedCertificate, verifyChain } from './chain.js'
export { type CertificateRequest, createCsr, parseCsr } from './csr.js'
export { DerError } from './der-reader.js'
export { DistinguishedName } from './distinguished-name.js'
export { type CertificateRequestFields, type Issuer, issueCertificate } from './issue.js'
export { type Credentials, issueLeaf, type LeafOptions, readLeaf } from './leaf.js'
export { decodePem, encodePem } from './pem.js'
export { DEFAULT_MAX_DURATION, type SigningOptions, signRequest } from './sign.js'
export { OID_CLIENT_AUTH, usagesFromNames } from './usages.js'
