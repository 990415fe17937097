export { certificateIn, type Validity, validityOf } from './certificate.js'
export {
  type CertificateCredential,
  type ClientCertificateOptions,
  clientCertificate,
  keepCertificate,
} from './client-certificate.js'
export { deletePending } from './pending-request.js'
export type { CredentialProblem, CredentialReport, ServerTime } from './report.js'
export { type SecretRef, type SecretWriteOptions, secretText, writeSecret } from './secret-data.js'
export { keepToken, requestToken, type TokenCredential, type TokenRequestOptions } from './service-account-token.js'
export { TOKEN_KEY } from './token.js'
