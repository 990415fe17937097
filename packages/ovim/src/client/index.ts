export { type Explanation, explanationText, isProblem } from './explanation.js'
export type { FollowOptions } from './following.js'
export { createMachine, prepareMachine } from './machine-creation.js'
export { changePower, POWER_ACTIONS, type PowerAction } from './machine-power.js'
export { whenMachineGone, whenMachineSettled } from './machine-waiting.js'
export { type MachineChange, watchMachines } from './machine-watch.js'
export {
  findTemplate,
  type MachineDetails,
  type MachineOverview,
  machineDetails,
  machineNotFound,
  machineOverviews,
} from './machines.js'
export { changeOrganization, whenOrganizationGone, whenOrganizationSettled } from './organization-changes.js'
export { chooseOrganization, organizationNotFound, ownOrganizations } from './organizations.js'
export {
  type VdcDetails,
  type VdcOverview,
  vdcDetails,
  vdcNotFound,
  vdcOverviews,
  whenVdcGone,
  whenVdcSettled,
} from './vdcs.js'
export { zoneProblem } from './zone-problem.js'
