export type { NewEvent } from './event.js'
export { EventRecorder, type RecorderOptions } from './recorder.js'
