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
export { type CertificateOrder, type OrderedCertificate, requestCertificate } from './request.js'
export { type IssueOptions, issueFor, readRequest } from './sign.js'
export { certificateOf, type WaitOptions, waitForCertificate } from './wait.js'
