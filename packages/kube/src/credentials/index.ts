export { type Validity, validityOf } from './certificate.js'
export {
  type ClientCertificateOptions,
  type CredentialProblem,
  type CredentialReport,
  clientCertificate,
} from './client-certificate.js'
export { deletePending } from './pending-request.js'
export { type SecretRef, secretText, writeSecret } from './secret-data.js'
