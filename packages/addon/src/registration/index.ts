import type { ControllerSpec } from '@orrery/kube'
import type { AddonManagerContext } from '../manager/context.js'
import { requestApproval } from './approval.js'
import { addonRegistration } from './controller.js'
import { requestSigning } from './signing.js'

/** The controllers that give agents of add-ons their identities and permissions. */
export function registrationControllers(context: AddonManagerContext): readonly ControllerSpec[] {
  return [addonRegistration(context), requestApproval(context), requestSigning(context)]
}

export { acceptanceChanged, isAccepted } from './acceptance.js'
export { applyAccess } from './apply-access.js'
export { type Approver, defaultApprover, subjectApprover } from './approvers.js'
export { defaultSigner } from './default-signer.js'
export {
  type Grant,
  type GrantedRole,
  type Grantee,
  grantClusterRole,
  grantInNamespace,
  grantRole,
  grants,
} from './permissions.js'
export type { CertificateSubject } from './request-check.js'
export { SubjectNotReady } from './subject-not-ready.js'
export { type GrantScope, registeredSubjects } from './subjects.js'
