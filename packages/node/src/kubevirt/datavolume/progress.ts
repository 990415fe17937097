import type { DataVolume } from '../kinds/data-volume.js'
import { PLAY_IMPORT, unless } from '../machine/play-script.js'
import { transferOf } from './transfer.js'

/** The time between the start of a transfer and its first data. */
const SCHEDULED = 250
/** How long a transfer takes. */
const TRANSFER = 1_000
/** How often the progress is reported. */
const STEP = 1_000

export interface Progress {
  readonly phase: string
  readonly progress: string
  /** When the progress changes. */
  readonly again?: Date
}

/** Returns how far a played transfer is that started at a time. */
export function progressOf({ metadata, spec }: DataVolume, since: Date, now: Date): Progress {
  const { scheduled, inProgress, name } = transferOf(spec)
  const asked = metadata.annotations?.[PLAY_IMPORT]
  const passed = now.getTime() - since.getTime()
  if (passed < SCHEDULED) {
    return { phase: scheduled, progress: 'N/A', again: new Date(since.getTime() + SCHEDULED) }
  }
  // Nothing is uploaded to a played volume, unless it is told to.
  if (name === 'Upload' && asked === undefined) return { phase: inProgress, progress: 'N/A' }
  const takes = unless('fail', asked, TRANSFER)
  if (takes === undefined) return { phase: 'Failed', progress: 'N/A' }
  const done = passed - SCHEDULED
  if (done >= takes) return { phase: 'Succeeded', progress: '100.0%' }
  const rest = Math.min(STEP, takes - done)
  return { phase: inProgress, progress: `${((100 * done) / takes).toFixed(2)}%`, again: new Date(now.getTime() + rest) }
}
