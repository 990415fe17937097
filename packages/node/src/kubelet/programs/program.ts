import { isAbsolute } from 'node:path'
import { isObject } from '@orrery/kinds/values'

/** The program of this machine that runs for containers of an image. It runs as the user of the node. */
export interface Program {
  /**
   * The command of containers without one: the entry point of the image. If it is empty, the arguments of a container are its
   * command line, as for images without an entry point, and begin with one of `commands`.
   */
  readonly command: readonly string[]
  /** The arguments of containers without any. Defaults to none. */
  readonly args?: readonly string[]
  /** Variables for every container. Defaults to none. */
  readonly env?: Readonly<Record<string, string>>
  /** Commands that containers, probes and hooks may use, with the command line for each. Defaults to none. */
  readonly commands?: Readonly<Record<string, readonly string[]>>
  /** Whether containers, probes and hooks may run any command of this machine. Defaults to false. */
  readonly anyCommand?: boolean
  /** The working directory. Defaults to the directory of the container, at its `workingDir`. */
  readonly workingDirectory?: string
  /** Directories and files of this machine that it reads, besides those that its commands name. Defaults to none. */
  readonly files?: readonly string[]
  /**
   * Variables that containers may set although they change what is executed: `NODE_OPTIONS`, `LD_*`. Defaults to none;
   * with `anyCommand`, all are allowed.
   */
  readonly allowEnv?: readonly string[]
  /** Whether to refuse containers with their own arguments. Defaults to false. */
  readonly fixedArgs?: boolean
  /**
   * Whether to isolate it from the files and processes of this machine, if the machine supports it. Defaults to true.
   */
  readonly isolated?: boolean
  /**
   * Whether to keep paths in arguments and variables instead of rewriting them to the container's volumes. Defaults to
   * false.
   */
  readonly keepPaths?: boolean
}

/** Programs by image or image pattern. */
export type Programs = Readonly<Record<string, Program>>

/** Parses programs from a document. Throws an error with the place and the problem. */
export function parsePrograms(text: string, origin: string): Programs {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // The error does not repeat the text: variables in it may be secret.
    throw new TypeError(`${origin} is not JSON`)
  }
  if (!isObject(document)) throw new TypeError(`${origin} must be an object with images as keys and programs as values`)
  const programs: [string, Program][] = []
  for (const [image, value] of Object.entries(document))
    programs.push([image, programFrom(value, `${origin}: ${image}`)])
  return Object.fromEntries(programs)
}

function programFrom(value: unknown, at: string): Program {
  if (!isObject(value)) throw new TypeError(`${at} must be an object with a command`)
  const { command, args, env, commands, workingDirectory, files, allowEnv, ...more } = value
  const { anyCommand, keepPaths, fixedArgs, isolated, ...rest } = more
  const unknown = Object.keys(rest)[0]
  if (unknown !== undefined) throw new TypeError(`${at}: unknown field ${unknown}`)
  if (!isTexts(command)) throw new TypeError(`${at}: command must be a list of strings`)
  if (args !== undefined && !isTexts(args)) throw new TypeError(`${at}: args must be a list of strings`)
  if (env !== undefined && !isMapOf(env, isText)) throw new TypeError(`${at}: env must be an object of strings`)
  if (commands !== undefined && !isMapOf(commands, isTexts)) {
    throw new TypeError(`${at}: commands must be an object of lists of strings`)
  }
  if (command.length === 0 && Object.keys(commands ?? {}).length === 0)
    throw new TypeError(
      `${at}: command is empty: add an entry point, or commands that containers name in their arguments`,
    )
  if (files !== undefined && !(isTexts(files) && files.every((file) => isAbsolute(file))))
    throw new TypeError(`${at}: files must be a list of absolute paths`)
  if (allowEnv !== undefined && !isTexts(allowEnv)) throw new TypeError(`${at}: allowEnv must be a list of strings`)
  const switches = Object.entries({ anyCommand, keepPaths, fixedArgs, isolated }).filter(([, set]) => set !== undefined)
  for (const [name, set] of switches)
    if (typeof set !== 'boolean') throw new TypeError(`${at}: ${name} must be true or false`)
  if (workingDirectory !== undefined && !isText(workingDirectory))
    throw new TypeError(`${at}: workingDirectory must be a string`)
  return {
    command,
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env }),
    ...(commands !== undefined && { commands }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(files !== undefined && { files }),
    ...(allowEnv !== undefined && { allowEnv }),
    ...(Object.fromEntries(switches) as Partial<
      Record<'anyCommand' | 'keepPaths' | 'fixedArgs' | 'isolated', boolean>
    >),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}

function isMapOf<T>(value: unknown, is: (one: unknown) => one is T): value is Record<string, T> {
  return isObject(value) && Object.values(value).every(is)
}
