export { AddonManager, type AddonManagerOptions } from './addon-manager.js'
export type {
  AddonContext,
  AgentAddon,
  ConfigKind,
  FieldResult,
  HealthProber,
  HostedMode,
  InstallMode,
  Manifest,
  ProbeField,
  RegistrationConfig,
  RegistrationOptions,
  RegistrationRequest,
  WorkProbe,
} from './agent-addon.js'
export { configControllers, configSpecHash } from './config/index.js'
export { addonControllers } from './controllers.js'
export {
  type Feedback,
  type FeedbackContext,
  type FeedbackField,
  type FeedbackValues,
  feedback,
  type ObservedObject,
} from './feedback/feedback.js'
export { type AgentSubject, agentSubject, tokenUser } from './identity.js'
export { type AddonManagerContext, type AddonPart, addonManagerContext } from './manager/context.js'
export {
  type Approver,
  type CertificateSubject,
  defaultApprover,
  defaultSigner,
  type Grant,
  type GrantedRole,
  type Grantee,
  grantClusterRole,
  grantInNamespace,
  grantRole,
  grants,
  registrationControllers,
  SubjectNotReady,
  subjectApprover,
} from './registration/index.js'
export { type RunAddonManagerOptions, type RunningAddonManager, runAddonManager } from './run-addon-manager.js'
