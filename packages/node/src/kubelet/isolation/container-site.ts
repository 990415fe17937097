import type { GroupProcess } from '../os/child-process.js'
import type { TakeOutput } from '../os/output.js'

/** A command to run in a container. */
export interface SiteCommand {
  /** The first element is a path as the container's processes see it, or a name to search in its `PATH`. */
  readonly command: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  /** Commands of different flows, such as namespaces, are started in turns. Defaults to one flow for all. */
  readonly flow?: string
  readonly onOutput: TakeOutput
  /** Whether it has standard input. Defaults to false. */
  readonly hasInput?: boolean
  /** For `enter`: whether it reports something at descriptor 4. Defaults to false. */
  readonly hasReport?: boolean
}

/** The environment in which a container's processes run, with or without isolation. */
export interface ContainerSite {
  /** Whether its processes are isolated from the files and processes of the machine. */
  readonly isIsolated: boolean
  /** The container's root as its processes see it. */
  readonly root: string
  /** The home directory of its processes. */
  readonly home: string
  /** The path of the termination message as the container's processes see it. */
  readonly messagePath: string
  /** The path of the termination message on the machine. */
  readonly messageFile: string
  /** Returns a path of the container as its processes see it. */
  place(path: string): string
  /** Rewrites mount paths in a text as the container's processes see them. */
  rewrite(text: string): string
  /** Writes a file for the container. Returns its path as the container's processes see it. */
  keep(name: string, text: string): Promise<string>
  /** Starts the program of the container. Throws `NotStarted`. */
  start(command: SiteCommand): Promise<GroupProcess>
  /** Runs another command beside the program. Throws `NotStarted`. */
  enter(command: SiteCommand): Promise<GroupProcess>
}
