/** The parts of the API server's key infrastructure that make credentials, good and bad. Named by file: not public. */
export {
  createAuthority,
  generateKey,
  loadAuthority,
  privateKeyPem,
} from '../../../packages/apiserver/dist/pki/authority.js'
export { createCsr } from '../../../packages/apiserver/dist/pki/csr.js'
export { DistinguishedName } from '../../../packages/apiserver/dist/pki/distinguishedname.js'
export { issueCertificate } from '../../../packages/apiserver/dist/pki/issue.js'
export { encodePem } from '../../../packages/apiserver/dist/pki/pem.js'
export { usagesFromNames } from '../../../packages/apiserver/dist/pki/usages.js'
