export type { AddonOptions } from './addon-options.js'
export { type Agent, startAgent } from './agent.js'
export type { AgentContext, AgentPart, RunningPart, SpokeContext } from './context.js'
export { startDryRuns } from './dry-run/start.js'
export {
  type AgentFeatures,
  DEFAULT_AGENT_FEATURES,
  EMBEDDED_AGENT_FEATURES,
  parseAgentFeatureGates,
} from './features.js'
export { installSpoke } from './install-spoke.js'
export type { AgentOptions, BootstrapSource } from './options.js'
export {
  addonPart,
  DEFAULT_PARTS,
  defaultScorePart,
  dryRunPart,
  partsWith,
  sealingPart,
  workPart,
  workPartOf,
} from './parts.js'
export { type BootstrapOptions, bootstrapKubeconfig } from './registration/bootstrap-kubeconfig.js'
export type { MembershipState } from './registration/membership.js'
export { type RunOptions, runAgent } from './run-agent.js'
export { type RunWorkOptions, runWork, startWorkAlone } from './run-work.js'
export { scorePart } from './scores/start.js'
export { hubHashOf } from './work/applied-work/applied-work-name.js'
export type { Reveal, WorkContext } from './work/context.js'
export { DEFAULT_WORK_FEATURES, type WorkFeatures } from './work/features.js'
export { KubeSource, type KubeSourceOptions } from './work/kube-source.js'
export type { WorkOptions } from './work/options.js'
export type {
  ClosableSource,
  OpenSource,
  SourceIdentity,
  SourceOptions,
  SourceState,
  WorkSource,
} from './work/source.js'
export { type StartWorkOptions, startWork, type WorkAgent } from './work/start.js'
export { problemIn as podProblem } from './work/status/readiness/workload-pods.js'
