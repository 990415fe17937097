/** Builders of valid and invalid credentials. */
export {
  createAuthority,
  createCsr,
  DistinguishedName,
  generateKey,
  loadAuthority,
  privateKeyPem,
  usagesFromNames,
} from '@orrery/kube/pki'
