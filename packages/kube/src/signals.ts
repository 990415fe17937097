import { setMaxListeners } from 'node:events'

/** Lets any number wait for one signal: Node.js takes more than ten for a leak, and many requests at a time are none. */
export function sharedByMany(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal)
  return signal
}
