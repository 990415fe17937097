import { badRequest, hasCondition, internalError } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { GuestInfo, Machine, MachineDriver, MachineExit, MachineLook } from './machine.js'
import { guestScriptOf } from './play-script.js'

const WHY = 'this node does not run virtual machines'

/** Plays the machines of instances: their state depends on annotations, requests and the time. */
export function playedDriver(clock: Clock, why = WHY): MachineDriver {
  return {
    start: (instance, changed) => new PlayedMachine(clock, instance, clock.now(), changed, why),
    resume(instance, changed) {
      const at = (phase: string) => instance.status?.phaseTransitionTimestamps?.find((one) => one.phase === phase)
      const scheduled = at('Scheduled')?.phaseTransitionTimestamp
      const since = scheduled === undefined || scheduled === null ? clock.now() : new Date(scheduled)
      return new PlayedMachine(clock, instance, since, changed, why)
    },
  }
}

class PlayedMachine implements Machine {
  readonly played: string
  readonly #clock: Clock
  readonly #name: string
  readonly #changed: () => void
  readonly #since: number
  #isPaused: boolean
  #rebootedAt: number | undefined
  #shutdown: { readonly at: number; readonly deadline: number } | undefined
  #frozenUntil = 0

  constructor(
    clock: Clock,
    { metadata, spec, status }: VirtualMachineInstance,
    since: Date,
    changed: () => void,
    why: string,
  ) {
    this.played = `No guest runs, the status is played: ${why}`
    this.#clock = clock
    this.#name = metadata.name
    this.#since = since.getTime()
    this.#changed = changed
    const hasRun = status?.phase === 'Running'
    this.#isPaused = hasRun ? hasCondition(status?.conditions, 'Paused', 'True') : spec.startStrategy === 'Paused'
  }

  look(instance: VirtualMachineInstance, now: Date): MachineLook {
    const script = guestScriptOf(instance.metadata.annotations)
    const isFrozen = this.#frozenUntil > now.getTime()
    const boots = script.boot === undefined ? Number.POSITIVE_INFINITY : this.#since + script.boot
    const runningSince = Math.max(boots, this.#rebootedAt ?? 0)
    const exit = this.#exit(script, boots, runningSince, now.getTime())
    if (exit !== undefined) return { state: 'ended', exit, isFrozen: false }
    const agentAt = script.agent === undefined ? Number.POSITIVE_INFINITY : runningSince + script.agent
    const endsAt = script.end === undefined ? Number.POSITIVE_INFINITY : runningSince + script.end.after
    const stopsAt = this.#stopsAt(script.shutdown) ?? Number.POSITIVE_INFINITY
    const next = [boots, agentAt, endsAt, stopsAt, this.#frozenUntil].filter((time) => time > now.getTime())
    const soonest = Math.min(...next)
    const again = Number.isFinite(soonest) ? { again: new Date(soonest) } : {}
    if (now.getTime() < boots) return { state: 'starting', isFrozen, ...again }
    const hasAgent = now.getTime() >= agentAt
    return {
      state: this.#isPaused ? 'paused' : 'running',
      isFrozen,
      ...(hasAgent && { guest: guestInfo(instance) }),
      ...again,
    }
  }

  stop(graceSeconds: number): void {
    const now = this.#clock.now().getTime()
    const deadline = now + graceSeconds * 1_000
    const before = this.#shutdown
    if (before !== undefined && before.deadline <= deadline) return
    this.#shutdown = { at: before?.at ?? now, deadline }
    this.#changed()
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    this.#changed()
  }

  async unpause(): Promise<void> {
    this.#isPaused = false
    this.#changed()
  }

  async reset(): Promise<void> {
    this.#rebootedAt = this.#clock.now().getTime()
    this.#frozenUntil = 0
    this.#changed()
  }

  softReboot(): Promise<void> {
    return this.reset()
  }

  async freeze(timeoutMilliseconds: number): Promise<void> {
    if (this.#frozenUntil > this.#clock.now().getTime()) throw internalError('the file systems are already frozen')
    this.#frozenUntil = this.#clock.now().getTime() + timeoutMilliseconds
    this.#changed()
  }

  async unfreeze(): Promise<void> {
    this.#frozenUntil = 0
    this.#changed()
  }

  async serveConsole(): Promise<void> {
    throw this.#none('console')
  }

  async serveVnc(): Promise<void> {
    throw this.#none('display')
  }

  async close(): Promise<void> {
    // There is no process to end.
  }

  /** Not a 503, which clients retry although there will never be one. */
  #none(what: string): Error {
    const name = JSON.stringify(this.#name)
    return badRequest(`virtualmachineinstance ${name} has no ${what}: ${lowerFirst(this.played)}`)
  }

  #exit(
    { boot, end, shutdown }: ReturnType<typeof guestScriptOf>,
    boots: number,
    runningSince: number,
    now: number,
  ): MachineExit | undefined {
    if (boot === undefined) {
      return {
        reason: 'crashed',
        at: new Date(this.#since),
        message: 'The guest did not start, as its annotation asks',
      }
    }
    const endsAt = end === undefined ? Number.POSITIVE_INFINITY : runningSince + end.after
    const stopsAt = this.#stopsAt(shutdown) ?? Number.POSITIVE_INFINITY
    if (Math.min(endsAt, stopsAt) > now) return undefined
    if (endsAt <= stopsAt && end !== undefined) {
      return { reason: end.isCrash ? 'crashed' : 'shutdown', at: new Date(endsAt) }
    }
    // A guest that has not booted cannot shut down by itself, but nothing of it can be lost.
    const isKilled = this.#shutdown?.deadline === stopsAt && stopsAt > boots
    return { reason: isKilled ? 'killed' : 'shutdown', at: new Date(stopsAt) }
  }

  /** Returns when the guest ends because of `stop`. A paused guest does not react to it. */
  #stopsAt(shutdown: number | undefined): number | undefined {
    if (this.#shutdown === undefined) return undefined
    const { at, deadline } = this.#shutdown
    return shutdown === undefined || this.#isPaused ? deadline : Math.min(at + shutdown, deadline)
  }
}

/** A played guest reports itself as such. */
function guestInfo({ metadata, spec }: VirtualMachineInstance): GuestInfo {
  return {
    hostname: spec.hostname ?? metadata.name,
    agentVersion: 'played',
    timezone: 'UTC, 0',
    os: { id: 'played', name: 'Played guest', prettyName: 'Played guest: no operating system runs' },
    users: [],
    filesystems: [],
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
