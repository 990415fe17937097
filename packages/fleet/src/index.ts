export { type AddOnBundle, BUNDLE_FILE, hasProgram, readBundle } from './add-ons/bundle.js'
export { type AddOnOnHub, controllerProblems } from './add-ons/controller-problems.js'
export { type AddOnState, applyManifests, whenAddOnsAvailable } from './add-ons/install.js'
export { type ContainerRef, lastLogLine } from './add-ons/log-line.js'
export { registerPrograms } from './add-ons/registered-programs.js'
export { restartPrograms } from './add-ons/restart.js'
export { type ProblemListener, watchAddOnProblems } from './add-ons/watch-problems.js'
export { announceStart, FleetInUse } from './claim.js'
export { type FleetDirectory, fleetDirectory, HUB, shellWord } from './directory.js'
export { type Fleet, type FleetOptions, startFleet } from './fleet.js'
export type { FleetProblem } from './fleet-problems.js'
export { advertisedUrl, type HubServing, isExposed, isLoopback, LOOPBACK } from './hub-serving.js'
export { addToFleetKubeconfig } from './kubeconfig.js'
export { type MaestroAddresses, maestroAddresses } from './maestro/connection.js'
export { ADAPTER_ACCOUNT } from './maestro/permissions.js'
export type { ClusterReport, JoinOrder, PartReport, Phase } from './messages.js'
export { DEMO, DEMO_USERS, DEMO_VM, runOvimDemo } from './ovim/demo.js'
export { openLog, standardLog } from './part-log.js'
export type { PartCommand } from './part-process.js'
export { isHealthy, type PartState, problemOf } from './part-state.js'
export type { ClusterStatus, PartStatus, WorksSummary } from './part-status.js'
export {
  DEFAULT_CLUSTERS,
  ensureHub,
  ensurePart,
  type FleetAddOns,
  type FleetPlan,
  type HubSettings,
  type PartPlan,
  readPlan,
} from './plan.js'
export { readIfThere, writePrivately } from './privatefile.js'
export { runSample, SAMPLE_WORK, type SampleResult, sampleWork } from './sample.js'
export { type FleetStatus, statusOf } from './status.js'
export { stopFleet } from './stop.js'
export { type Supervisor, supervisorHere } from './supervised.js'
