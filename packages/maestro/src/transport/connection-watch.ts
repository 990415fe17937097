import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { CloudEvent } from '../codec/cloud-event.js'
import { isHeartbeat } from '../codec/protobuf.js'
import { type ClientCredentials, type LoadedCredentials, loadCredentials, needsNewConnection } from './credentials.js'
import { Restart } from './reconnect.js'

const ROTATION_MILLISECONDS = 10_000

interface WatchOptions {
  /** What is cancelled, for a reason. */
  readonly stream: { cancel(): void }
  readonly clock: Clock
  readonly log: Logger
}

/** Watches a stream and cancels it for a reason. */
interface StreamWatch {
  /** Why the watch has cancelled the stream, if it has. */
  reason: Error | undefined
  stop(): void
}

interface HealthWatch extends StreamWatch {
  /** To be called for each message. Undefined for one that cannot be decoded. */
  onMessage(event: CloudEvent | undefined): void
}

export interface HealthOptions extends WatchOptions {
  readonly limitMilliseconds: number
  /** False: heartbeats are expected once there has been one. */
  readonly expectsHeartbeats: boolean
}

/** Cancels the stream when the server sends nothing, not even heartbeats. */
export function watchHealth({ stream, clock, limitMilliseconds, expectsHeartbeats }: HealthOptions): HealthWatch {
  let isExpected = expectsHeartbeats
  let cancelTimer: () => void = () => undefined
  const start = () => {
    cancelTimer()
    if (!isExpected) return
    cancelTimer = clock.after(limitMilliseconds, () => {
      watch.reason = new Error(`stream timeout: no heartbeat received for ${limitMilliseconds} ms`)
      stream.cancel()
    })
  }
  const watch: HealthWatch = {
    reason: undefined,
    onMessage(event) {
      isExpected ||= event !== undefined && isHeartbeat(event)
      start()
    },
    stop: () => cancelTimer(),
  }
  start()
  return watch
}

export interface RotationOptions extends WatchOptions {
  readonly credentials: ClientCredentials
  /** The credentials that the connection was made with. */
  readonly loaded: LoadedCredentials
  /** Default 10 seconds. */
  readonly everyMilliseconds?: number | undefined
}

/** Cancels the stream when the certificates in the files are others than those of the connection. */
export function watchRotation(options: RotationOptions): StreamWatch {
  const { stream, clock, log, loaded, credentials, everyMilliseconds = ROTATION_MILLISECONDS } = options
  let cancelTimer: () => void = () => undefined
  let isStopped = false
  const watch: StreamWatch = {
    reason: undefined,
    stop() {
      isStopped = true
      cancelTimer()
    },
  }
  const look = async () => {
    try {
      const current = await loadCredentials(credentials)
      if (!isStopped && needsNewConnection(loaded, current)) {
        watch.reason = new Restart('the certificates have changed')
        stream.cancel()
        return
      }
    } catch (error) {
      // A rotation that is under way: the connection that exists is still good.
      log.warn('the credentials cannot be read', { error })
    }
    if (!isStopped) cancelTimer = clock.after(everyMilliseconds, look)
  }
  const hasFiles = Object.values(credentials).some((material) => material !== undefined && 'file' in material)
  if (hasFiles) cancelTimer = clock.after(everyMilliseconds, look)
  return watch
}
