import type { Clock } from '@orrery/kube/clock'
import { heartbeat } from '../../codec/protobuf.js'
import { Rounds } from './rounds.js'

/** Sends heartbeats to streams. */
export class Heartbeats extends Rounds<Uint8Array> {
  /** @param seconds 0 for no heartbeats. */
  constructor(clock: Clock, seconds: number) {
    super(clock, seconds, heartbeat)
  }
}
