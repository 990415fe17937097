import type { ContainerStateTerminated, Pod } from '@orrery/kinds'
import type { LogSource } from '../logs/log-source.js'
import type { GroupProcess } from '../os/child-process.js'
import type { EnteringStreams, TakeOutput } from '../os/output.js'

/** The terminated state of a container. */
export type Exit = Omit<ContainerStateTerminated, 'containerID' | 'startedAt'> & { finishedAt: string }

/** The observed state of a started container. */
export interface Look {
  /** Set once the container has ended. */
  readonly exit: Exit | undefined
  /** Whether the container has started: hooks have run, and the startup probe, if any, has succeeded. */
  readonly started: boolean
  readonly ready: boolean
  /** When to check again even if no event arrives. */
  readonly again: Date | undefined
}

/** Runs commands of users in a container. */
export interface CommandRunner {
  /** Returns the command line for a command of a user. Throws `NotStarted` if the container does not allow it. */
  executedCommand(command: readonly string[]): Promise<readonly string[]>
  /** Runs a command beside the program of the container. */
  enter(command: readonly string[], streams: EnteringStreams): Promise<GroupProcess>
}

/** The output of a container, for clients that attach to it. */
export interface AttachableOutput {
  /** Passes further output to a callback. Returns a function that detaches it. */
  attach(take: TakeOutput): () => void
}

/** What exec and attach use of a container. */
export interface ContainerInside {
  readonly workspace: CommandRunner
  readonly process: GroupProcess
  readonly streams: AttachableOutput
}

/** A started container: a process of this machine or a played container. */
export interface LiveContainer {
  /** The `containerID` without the runtime's name. */
  readonly id: string
  /** The start time, as in the status. */
  readonly startedAt: string
  readonly log: LogSource
  /** The process ID, if the container is a process. */
  readonly pid: number | undefined
  /** Access for exec and attach, if the container is a process. */
  readonly inside: ContainerInside | undefined
  /** Resolves once the container has ended; undefined if there is no process to wait for. */
  readonly ended: Promise<void> | undefined
  look(pod: Pod, now: Date): Look
  /** Stops the container within a grace period. If called again, the earlier deadline applies. */
  stop(graceSeconds: number): void
  /** Frees the resources of the container after it has ended. */
  close(): void
}
