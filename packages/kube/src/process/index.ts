export { unlessAborted, withTimeLimit } from '../signals.js'
export { type ClosingStep, closeAll } from './closing.js'
export { type ClaimOptions, claimDirectory } from './directory-claim.js'
export { isRunning, markOf, type ProcessMark } from './process-mark.js'
