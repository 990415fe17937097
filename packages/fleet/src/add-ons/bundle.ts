import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isDNS1123Subdomain, isObject } from '@orrery/kinds/values'
import { matchesImage, type Programs, parsePrograms } from '@orrery/node/programs'

/** The description of an add-on in its directory. */
export const BUNDLE_FILE = 'addon.json'

/**
 * An add-on that a fleet can run: the manifests for the hub, and the programs that run as its images. On other clusters the same
 * manifests run the images themselves.
 */
export interface AddOnBundle {
  readonly name: string
  /** Files and directories with the manifests for the hub, in the order in which they are applied. */
  readonly manifests: readonly string[]
  /** The programs of its images. */
  readonly programs: Programs
}

/** Whether one of an add-on's programs runs for an image. */
export function hasProgram({ programs }: AddOnBundle, image: string): boolean {
  return Object.keys(programs).some((pattern) => matchesImage(pattern, image))
}

/** Reads the add-on in a directory. Throws an error with the file and the problem. */
export async function readBundle(directory: string): Promise<AddOnBundle> {
  const file = resolve(directory, BUNDLE_FILE)
  return parseBundle(await textOf(file), file)
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new Error(
      `${dirname(file)} is not an add-on: it has no ${BUNDLE_FILE}; \`orrery addon create\` writes a new add-on`,
    )
  }
}

/** Paths in the text are relative to the directory of the file. */
export function parseBundle(text: string, file: string): AddOnBundle {
  const { name, manifests, programs, ...rest } = objectIn(text, file)
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new TypeError(`${file}: unknown field ${unknown}`)
  if (typeof name !== 'string' || isDNS1123Subdomain(name).length > 0) {
    throw new TypeError(`${file}: name must be the name of the add-on's ClusterManagementAddOn`)
  }
  if (!Array.isArray(manifests) || manifests.length === 0 || !manifests.every((one) => typeof one === 'string')) {
    throw new TypeError(`${file}: manifests must be a list of files or directories`)
  }
  const directory = dirname(file)
  return {
    name,
    manifests: manifests.map((path) => join(directory, path)),
    programs: parsePrograms(JSON.stringify(absolute(programs ?? {}, directory)), `${file}: programs`),
  }
}

function objectIn(text: string, file: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new TypeError(`${file} is not JSON: ${(error as Error).message}`)
  }
  if (!isObject(value)) throw new TypeError(`${file} must be an object with name, manifests and programs`)
  return value
}

/** `node` is the Node.js that runs the fleet. Paths that begin with `./` are relative to the add-on. */
function absolute(programs: unknown, directory: string): unknown {
  if (!isObject(programs)) return programs
  const path = (word: unknown) => (typeof word === 'string' && word.startsWith('./') ? join(directory, word) : word)
  const commandIn = (command: unknown) =>
    Array.isArray(command) && command[0] === 'node'
      ? [process.execPath, ...command.slice(1).map(path)]
      : pathsIn(command)
  const pathsIn = (words: unknown) => (Array.isArray(words) ? words.map(path) : words)
  return Object.fromEntries(
    Object.entries(programs).map(([image, program]) => {
      if (!isObject(program)) return [image, program]
      const { command, files, ...rest } = program
      return [
        image,
        {
          ...rest,
          command: commandIn(command),
          ...(files !== undefined && { files: pathsIn(files) }),
        },
      ]
    }),
  )
}
