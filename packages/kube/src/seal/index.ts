export { generateSealingKeys, type SealingKeys } from './keys.js'
export {
  hasPlainValues,
  isSealed,
  type RevealOptions,
  revealManifest,
  type SealOptions,
  sealManifest,
} from './manifest.js'
export { SealError } from './seal-error.js'
