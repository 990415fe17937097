export { candidateIdentity } from './candidate-identity.js'
export { type ElectionOptions, LeaderElection } from './election.js'
export { lead } from './lead.js'
export { DEFAULT_TIMING, type ElectionTiming, PATIENT_TIMING } from './timing.js'
