import type { ContainerStateTerminated, Pod } from '@orrery/kinds'
import type { LogSource } from '../logs/log-source.js'
import type { GroupProcess } from '../process/child-process.js'
import type { ContainerStreams } from '../process/container-streams.js'
import type { Workspace } from '../process/workspace.js'

/** How a container ended. */
export type Exit = Omit<ContainerStateTerminated, 'containerID' | 'startedAt'> & { finishedAt: string }

/** How a container that was started is doing. */
export interface Look {
  /** Set once it has ended. */
  readonly exit: Exit | undefined
  /** Its start is over: hooks ran, and the startup probe, if any, succeeded. */
  readonly started: boolean
  readonly ready: boolean
  /** When to look again though nothing may have been heard. */
  readonly again: Date | undefined
}

/** What clients who reach into a container work with. */
export interface ContainerInside {
  readonly workspace: Workspace
  readonly process: GroupProcess
  readonly streams: ContainerStreams
}

/** A container that was started: a process of this machine, or one that is played. */
export interface LiveContainer {
  /** As in `containerID`, without the runtime's name. */
  readonly id: string
  /** When it started, as in the status. */
  readonly startedAt: string
  readonly log: LogSource
  /** The process that it is, if it is one. */
  readonly pid: number | undefined
  /** The way into the process that it is, if it is one. */
  readonly inside: ContainerInside | undefined
  /** Resolves once it has ended; undefined when nothing runs that one would have to wait for. */
  readonly ended: Promise<void> | undefined
  look(pod: Pod, now: Date): Look
  /** Asks it to end within a time. Asked again, the sooner end counts. */
  stop(graceSeconds: number): void
  /** Frees what watches over it, once it has ended. */
  close(): void
}

/** Why a container cannot be started now; it is tried again. */
export class NotStarted extends Error {
  /** The `reason` of the waiting state: `CreateContainerConfigError`, `ImagePullBackOff`, …. */
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.name = 'NotStarted'
    this.reason = reason
  }

  /** Whether the end of the trouble is something that the node hears of. */
  get isWatched(): boolean {
    return this.reason !== RUN_ERROR && this.reason !== CREATE_ERROR
  }
}

/** The `reason` when the machine cannot make what a container needs. */
export const CREATE_ERROR = 'CreateContainerError'
/** The `reason` when the machine cannot run what a container asks for. */
export const RUN_ERROR = 'RunContainerError'
