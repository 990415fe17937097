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
export { addonControllers } from './controllers.js'
export { type AgentSubject, agentSubject } from './identity.js'
export { type AddonManagerContext, type AddonPart, addonManagerContext } from './manager/context.js'
export { type RunAddonManagerOptions, type RunningAddonManager, runAddonManager } from './run-addon-manager.js'
