/** What makes credentials, good and bad. */
export {
  createAuthority,
  createCsr,
  DistinguishedName,
  generateKey,
  loadAuthority,
  privateKeyPem,
  usagesFromNames,
} from '@orrery/kube/pki'
