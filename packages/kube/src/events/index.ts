export type { Happening } from './event.js'
export { EventRecorder, type RecorderOptions } from './recorder.js'
