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
  NewManifestConfig,
  ProbeField,
  RegistrationConfig,
  RegistrationOptions,
  RegistrationRequest,
  WorkProbe,
} from './agent-addon.js'
export { type AddonApiVersion, addonApiVersion, addonClient } from './api-version.js'
export { ConfigNotReady, configControllers, configSpecHash } from './config/index.js'
export { addonControllers } from './controllers.js'
export { hostedByAnnotation } from './deploy/hosted-mode.js'
export { deployControllers } from './deploy/index.js'
export {
  type Feedback,
  type FeedbackContext,
  type FeedbackField,
  type FeedbackValues,
  feedback,
  type ObservedObject,
} from './feedback/feedback.js'
export {
  allDeploymentsProber,
  checkWorkloads,
  daemonSetProber,
  deploymentProber,
  type WorkloadName,
} from './health/workloads.js'
export { type AgentSubject, agentSubject, tokenUser } from './identity.js'
export { type AddonManagerContext, type AddonPart, addonManagerContext } from './manager/context.js'
export { type ControllerFlags, parseControllerFlags } from './program/controller-flags.js'
export { type Command, type ProgramEnvironment, runCommands } from './program/run-commands.js'
export { UsageError } from './program/usage-error.js'
export {
  type Approver,
  acceptanceChanged,
  applyAccess,
  type CertificateSubject,
  defaultApprover,
  defaultSigner,
  type Grant,
  type GrantedRole,
  type Grantee,
  type GrantScope,
  grantClusterRole,
  grantInNamespace,
  grantRole,
  grants,
  isAccepted,
  registeredSubjects,
  registrationControllers,
  SubjectNotReady,
  subjectApprover,
} from './registration/index.js'
export {
  annotationValues,
  type ContainerName,
  collectValues,
  compileYaml,
  configDecoration,
  containerResources,
  DEPLOYMENT_CONFIG,
  decorateWorkload,
  deploymentConfig,
  deploymentConfigHelmValues,
  deploymentConfigValues,
  type EnvironmentVariable,
  helmValues,
  imageRegistries,
  imageValues,
  installNamespaceFromConfig,
  type ManifestSource,
  type MountedVolume,
  manifestsFrom,
  mergeValues,
  overrideImage,
  proxyObjects,
  templateValues,
  type Values,
  type ValuesSource,
  type WorkloadDecoration,
  withDeploymentConfig,
  type YamlManifestsOptions,
  type YamlTemplate,
  yamlManifests,
} from './render/index.js'
export { type RunAddonManagerOptions, type RunningAddonManager, runAddonManager } from './run-addon-manager.js'
