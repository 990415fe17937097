import type { Container, Pod } from '@orrery/kinds'
import { durationToMilliseconds, parseDuration } from '@orrery/kinds/values'
import { roleOf } from '../container/restart.js'
import { endingOf } from './plain-command.js'

/** How long a played container takes to start. */
export const PLAY_START = 'orrery.dev/play-start'
/** How long after its start it is ready, or `never`. */
export const PLAY_READY = 'orrery.dev/play-ready'
/** The exit code it ends with. */
export const PLAY_EXIT = 'orrery.dev/play-exit'
/** How long it runs before it ends. */
export const PLAY_DURATION = 'orrery.dev/play-duration'
/** `fail`: its image cannot be pulled. */
export const PLAY_PULL = 'orrery.dev/play-pull'

/** What a played container does. Times are in milliseconds. */
export interface PlayScript {
  readonly start: number
  /** After the start; undefined for never. */
  readonly ready: number | undefined
  /** After the start; undefined for a container that runs on. */
  readonly end: { readonly after: number; readonly exitCode: number } | undefined
  readonly isPullable: boolean
}

/** The image of a container that does nothing but stay. */
const PAUSE_IMAGE = /(?:^|\/)pause(?:[:@].*)?$/
const MOMENT = 250
const RUN = 1_000

/**
 * How a container is played: as the pod's annotations say, each for all main containers or, with `.<container>` added
 * to its name, for any one. Without them it starts in a moment, is ready at once, and ends as its command does if that
 * can be told by looking at it. Otherwise it runs on if the pod's containers always do; init containers and those of a
 * Job succeed after a second. What cannot be read counts as not said.
 */
export function playScriptOf(pod: Pod, container: Container): PlayScript {
  const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) ?? false
  const role = roleOf(container, isInit)
  const runsOn = role === 'sidecar' || (role === 'main' && (pod.spec.restartPolicy ?? 'Always') === 'Always')
  const { annotations = {} } = pod.metadata
  const said = (key: string) => {
    const own = `${key}.${container.name}`
    if (Object.hasOwn(annotations, own)) return annotations[own]
    return role === 'main' && Object.hasOwn(annotations, key) ? annotations[key] : undefined
  }
  const exitCode = exitCodeIn(said(PLAY_EXIT))
  const duration = millisecondsIn(said(PLAY_DURATION))
  const isTold = exitCode !== undefined || duration !== undefined
  const usual = runsOn ? undefined : { after: RUN, exitCode: 0 }
  return {
    start: millisecondsIn(said(PLAY_START)) ?? MOMENT,
    ready: readyIn(said(PLAY_READY), container),
    end: isTold ? { after: duration ?? RUN, exitCode: exitCode ?? 0 } : plainEnd(container, usual),
    isPullable: said(PLAY_PULL) !== 'fail',
  }
}

/** The end of a container whose command is plain to see, or the usual one. */
function plainEnd({ command = [], args = [], image = '' }: Container, usual: PlayScript['end']): PlayScript['end'] {
  const line = [...command, ...args]
  const ending = endingOf(line.length === 0 && PAUSE_IMAGE.test(image) ? ['pause'] : line) ?? usual
  return ending !== undefined && Number.isFinite(ending.after) ? ending : undefined
}

/** Probes are taken to succeed when they are first tried, unless they are plainly bound to fail. */
function readyIn(said: string | undefined, { readinessProbe, startupProbe }: Container): number | undefined {
  if (said === 'never') return undefined
  const told = millisecondsIn(said)
  if (told !== undefined) return told
  const check = endingOf(readinessProbe?.exec?.command ?? [])
  if (check !== undefined && check.exitCode !== 0) return undefined
  return Math.max(readinessProbe?.initialDelaySeconds ?? 0, startupProbe?.initialDelaySeconds ?? 0) * 1_000
}

function millisecondsIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return Math.max(0, durationToMilliseconds(parseDuration(text)))
  } catch {
    return undefined
  }
}

function exitCodeIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : undefined
}
