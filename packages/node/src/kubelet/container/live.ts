import type { ContainerStateTerminated, Pod } from '@orrery/kinds'
import type { LogSource } from '../logs/log-source.js'
import type { GroupProcess } from '../os/child-process.js'
import type { EnteringStreams, TakeOutput } from '../os/output.js'

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

/** Runs commands of users in a container. */
export interface CommandRunner {
  /** The command line for a command that a user names. Throws `NotStarted` if the container does not offer it. */
  executedCommand(command: readonly string[]): Promise<readonly string[]>
  /** Runs a command beside the program of the container. */
  enter(command: readonly string[], streams: EnteringStreams): Promise<GroupProcess>
}

/** The output of a container, for clients that attach to it. */
export interface AttachableOutput {
  /** Passes on what the container writes from now on. Returns the function that ends it. */
  attach(take: TakeOutput): () => void
}

/** What clients who reach into a container work with. */
export interface ContainerInside {
  readonly workspace: CommandRunner
  readonly process: GroupProcess
  readonly streams: AttachableOutput
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
