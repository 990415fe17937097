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
export { type AgentSubject, agentSubject } from './identity.js'
