import { isAbsolute } from 'node:path'
import { isObject } from '@orrery/kinds/values'

/** What runs on this machine for containers of an image. It runs as the user of the node. */
export interface Program {
  /** What runs when a container names no command of its own: the entry point of the image. */
  readonly command: readonly string[]
  /** The arguments unless a container has its own. Default none. */
  readonly args?: readonly string[]
  /** Variables that every container has beside its own. Default none. */
  readonly env?: Readonly<Record<string, string>>
  /** Commands that containers, probes and hooks may name, and what runs for each. Default none. */
  readonly commands?: Readonly<Record<string, readonly string[]>>
  /** Let containers, probes and hooks run any command of this machine. Default false. */
  readonly anyCommand?: boolean
  /** Where it runs. Default: the directory of the container, at its `workingDir`. */
  readonly workingDirectory?: string
  /** Directories and files of this machine that it reads, beside those that its commands name. Default none. */
  readonly files?: readonly string[]
  /**
   * Variables that containers may set though they change what is executed: `NODE_OPTIONS`, `LD_*`. Default none, unless
   * `anyCommand` allows everything anyway.
   */
  readonly allowEnv?: readonly string[]
  /** Refuse containers that bring arguments of their own. Default false. */
  readonly fixedArgs?: boolean
  /** Run it apart from the files and processes of this machine, where the machine can. Default true. */
  readonly isolated?: boolean
  /** Leave paths in arguments and variables alone instead of leading them to the container's volumes. Default false. */
  readonly keepPaths?: boolean
}

/** Programs by the image, or pattern of images, that they run for. */
export type Programs = Readonly<Record<string, Program>>

/** Reads programs from a document. Throws with the place and the problem. */
export function parsePrograms(text: string, origin: string): Programs {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // What is wrong with it is not repeated: variables in it may be secret.
    throw new TypeError(`${origin} is not JSON`)
  }
  if (!isObject(document)) throw new TypeError(`${origin} must be an object of programs by image`)
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
  if (unknown !== undefined) throw new TypeError(`${at}: there is no field ${unknown}`)
  if (!isTexts(command) || command.length === 0) throw new TypeError(`${at}: command must be a list of texts`)
  if (args !== undefined && !isTexts(args)) throw new TypeError(`${at}: args must be a list of texts`)
  if (env !== undefined && !isMapOf(env, isText)) throw new TypeError(`${at}: env must hold texts by name`)
  if (commands !== undefined && !isMapOf(commands, isTexts)) {
    throw new TypeError(`${at}: commands must hold lists of texts by name`)
  }
  if (files !== undefined && !(isTexts(files) && files.every((file) => isAbsolute(file))))
    throw new TypeError(`${at}: files must be a list of absolute paths`)
  if (allowEnv !== undefined && !isTexts(allowEnv)) throw new TypeError(`${at}: allowEnv must be a list of texts`)
  const switches = Object.entries({ anyCommand, keepPaths, fixedArgs, isolated }).filter(([, set]) => set !== undefined)
  for (const [name, set] of switches)
    if (typeof set !== 'boolean') throw new TypeError(`${at}: ${name} must be true or false`)
  if (workingDirectory !== undefined && !isText(workingDirectory))
    throw new TypeError(`${at}: workingDirectory must be a text`)
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
