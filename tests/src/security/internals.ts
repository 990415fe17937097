/** What makes credentials, good and bad. */
export {
  createAuthority,
  createCsr,
  DistinguishedName,
  encodePem,
  generateKey,
  issueCertificate,
  loadAuthority,
  privateKeyPem,
  usagesFromNames,
} from '@orrery/kube/pki'
