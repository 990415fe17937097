export type { AddonAgent } from '../addon-agent.js'
export { UsageError } from '../program/usage-error.js'
export { type ClaimReport, reportClaim } from '../reports/claim.js'
export { type ConditionReport, reportCondition } from '../reports/condition.js'
export { type ConfigMapData, type ConfigMapReport, reportConfigMap } from '../reports/config-map.js'
export { type OwnAddon, readOwnAddon } from '../reports/ownership.js'
export type { Report } from '../reports/report.js'
export { normalizedScore, reportScore, type ScoreReport } from '../reports/score.js'
export { type ReportNames, withdrawReports } from '../reports/withdraw.js'
export { ConfigChecker } from './config-checker.js'
export type { AgentProgramOptions, ConnectedAgent } from './connect.js'
export { type AgentFlags, type MoreFlags, parseAgentFlags } from './flags.js'
export { apiServerIsLive, LeaseUpdater, type LeaseUpdaterOptions } from './lease-updater.js'
export { type PeriodicRun, periodically } from './periodically.js'
export {
  type AddonAgentContext,
  type AddonAgentOptions,
  runAddonAgent,
  runAddonTask,
} from './run-addon-agent.js'
