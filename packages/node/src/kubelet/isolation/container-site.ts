import type { GroupProcess } from '../os/child-process.js'
import type { TakeOutput } from '../os/output.js'

/** A command to run for a container. */
export interface SiteCommand {
  /** The first is a file as the container's processes see it, or a name to look for in its `PATH`. */
  readonly command: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly onOutput: TakeOutput
  /** Whether it is given something to read. Default false. */
  readonly hasInput?: boolean
  /** For `enter`: whether it reports something at descriptor 4. Default false. */
  readonly hasReport?: boolean
}

/** Where a container runs: what its processes see, and how they are started. */
export interface ContainerSite {
  /** Whether its processes are kept from the files and processes of the machine. */
  readonly isIsolated: boolean
  /** The root of the container's files as its processes see it. */
  readonly root: string
  /** The home of its processes. */
  readonly home: string
  /** The termination message, as the container's processes see it. */
  readonly messagePath: string
  /** The termination message, where the node reads it. */
  readonly messageFile: string
  /** A path of the container as its processes see it. */
  place(path: string): string
  /** A text in which every path of a volume is as the container's processes see it. */
  rewrite(text: string): string
  /** Keeps a file for the container. Returns its path as the container's processes see it. */
  keep(name: string, text: string): Promise<string>
  /** Starts the program of the container. Throws `NotStarted`. */
  start(command: SiteCommand): Promise<GroupProcess>
  /** Runs a further command beside the program. Throws `NotStarted`. */
  enter(command: SiteCommand): Promise<GroupProcess>
}
