import type { Container, Pod } from '@orrery/kinds'
import { durationToMilliseconds, parseDuration } from '@orrery/kinds/values'
import { roleOf } from '../container/restart.js'
import { endingOf } from './plain-command.js'

/** How long a played container takes to start. */
export const PLAY_START = 'orrery.dev/play-start'
/** How long after its start a played container becomes ready, or `never`. */
export const PLAY_READY = 'orrery.dev/play-ready'
/** The exit code of a played container. */
export const PLAY_EXIT = 'orrery.dev/play-exit'
/** How long a played container runs. */
export const PLAY_DURATION = 'orrery.dev/play-duration'
/** `fail`: the image cannot be pulled. */
export const PLAY_PULL = 'orrery.dev/play-pull'

/** The simulated behaviour of a played container. Times are in milliseconds. */
export interface PlayScript {
  readonly start: number
  /** Time after the start; undefined if it never becomes ready. */
  readonly ready: number | undefined
  /** Time after the start; undefined if it keeps running. */
  readonly end: { readonly after: number; readonly exitCode: number } | undefined
  readonly isPullable: boolean
}

/** The pause image, whose container only waits. */
const PAUSE_IMAGE = /(?:^|\/)pause(?:[:@].*)?$/
const MOMENT = 250
const RUN = 1_000

/**
 * Returns how a container is played. Annotations of the pod decide, each for all main containers or, with
 * `.<container>` added to its name, for one container. Without annotations the container starts after a moment, is
 * ready immediately, and ends as its command does if that is evident. Otherwise it keeps running if the pod's restart
 * policy is `Always`; init containers and containers of a Job succeed after a second. Invalid annotations are ignored.
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

/** Returns the end of a container with a simple command, or the usual end. */
function plainEnd({ command = [], args = [], image = '' }: Container, usual: PlayScript['end']): PlayScript['end'] {
  const line = [...command, ...args]
  const ending = endingOf(line.length === 0 && PAUSE_IMAGE.test(image) ? ['pause'] : line) ?? usual
  return ending !== undefined && Number.isFinite(ending.after) ? ending : undefined
}

/** Probes are assumed to succeed at their first attempt, unless they evidently must fail. */
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
