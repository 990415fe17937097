export {
  approveRequest,
  type Decision,
  type DecisionOptions,
  denyRequest,
  failRequest,
  isApproved,
  isDenied,
  isFailed,
  isPending,
} from './decide.js'
export { type CertificateRequestOptions, type RequestedCertificate, requestCertificate } from './request.js'
export { type IssueOptions, issueFor, readRequest } from './sign.js'
export { certificateOf, type WaitOptions, waitForCertificate } from './wait.js'
