import { durationToMilliseconds, parseDuration } from '@orrery/kinds/values'
import { PLAY_DURATION, PLAY_EXIT } from '../../kubelet/played/play-script.js'

/** How long a played guest takes from the start of its pod until it runs, or `fail`: it never runs. */
export const PLAY_BOOT = 'orrery.dev/play-boot'
/** How long after its start the guest agent connects, or `never`. */
export const PLAY_AGENT = 'orrery.dev/play-agent'
/** How long a played guest takes to shut down, or `never`: it is killed after its grace period. */
export const PLAY_SHUTDOWN = 'orrery.dev/play-shutdown'
/** How long the import of a played DataVolume takes, or `fail`. */
export const PLAY_IMPORT = 'orrery.dev/play-import'

/** The simulated behaviour of a guest. Times are in milliseconds. */
export interface GuestScript {
  /** Undefined if the guest does not start. */
  readonly boot: number | undefined
  /** Time after the start; undefined if the agent never connects. */
  readonly agent: number | undefined
  /** Time after the start; undefined if it keeps running. */
  readonly end: { readonly after: number; readonly isCrash: boolean } | undefined
  /** Undefined if the guest ignores the request. */
  readonly shutdown: number | undefined
}

const BOOT = 500
const AGENT = 500
const SHUTDOWN = 500
const RUN = 1_000

/** Returns how a guest is played. Annotations of the instance decide; invalid ones are ignored. */
export function guestScriptOf(annotations: Readonly<Record<string, string>> = {}): GuestScript {
  const said = (key: string) => (Object.hasOwn(annotations, key) ? annotations[key] : undefined)
  const duration = millisecondsIn(said(PLAY_DURATION))
  const exit = said(PLAY_EXIT)
  const isCrash = exit !== undefined && /^\d{1,3}$/.test(exit) && exit !== '0'
  const ends = duration !== undefined || (exit !== undefined && /^\d{1,3}$/.test(exit))
  return {
    boot: unless('fail', said(PLAY_BOOT), BOOT),
    agent: unless('never', said(PLAY_AGENT), AGENT),
    end: ends ? { after: duration ?? RUN, isCrash } : undefined,
    shutdown: unless('never', said(PLAY_SHUTDOWN), SHUTDOWN),
  }
}

/** Returns the time of an annotation, or undefined if it has the word that means never. */
export function unless(word: string, text: string | undefined, usual: number): number | undefined {
  return text === word ? undefined : (millisecondsIn(text) ?? usual)
}

function millisecondsIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return Math.max(0, durationToMilliseconds(parseDuration(text)))
  } catch {
    return undefined
  }
}
