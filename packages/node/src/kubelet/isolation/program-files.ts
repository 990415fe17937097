import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { Program } from '../programs/program.js'
import type { Shown } from './machine-view.js'

export interface ProgramFilesOptions {
  /** The home directory of the user. */
  readonly home: string
  /** Directories with keys and files of other pods. */
  readonly hidden: readonly string[]
  /** Paths that every sandbox shows. */
  readonly known: readonly string[]
}

/** Directories whose subdirectories belong to different owners. */
const SHARED = new Set(['/home', '/Users', '/var', '/run', '/mnt', '/media', '/proc', '/sys', '/dev'])

/**
 * Returns the files of the machine that a program needs: those that its registration lists and those that its commands
 * name. For an executable this is its installation; for other files their package, or else their directory. A home
 * directory or a directory with files of the fleet is never shown: of those, only the file itself is.
 */
export async function programFiles(
  program: Program,
  executables: readonly string[],
  options: ProgramFilesOptions,
): Promise<readonly Shown[]> {
  const { files = [], workingDirectory, command, args = [], commands = {} } = program
  const found = new Map<string, Shown>()
  const show = async (path: string, target = path) => {
    const source = await realpath(path).catch(() => undefined)
    if (source === undefined || isKnown(target, options, found)) return
    const isDirectory = (await stat(source)).isDirectory()
    found.set(target, { source, target, isDirectory })
  }
  for (const path of [...files, ...(workingDirectory === undefined ? [] : [workingDirectory])]) {
    await show(path, resolve(path))
    await show(await realpath(path).catch(() => path))
  }
  for (const path of executables) await showWith(path, installationOf, options, show)
  for (const text of [...command, ...args, ...Object.values(commands).flat()]) {
    if (isAbsolute(text)) await showWith(text, packageOf, options, show)
  }
  return [...found.values()].sort((a, b) => a.target.length - b.target.length)
}

type Whole = (file: string, isGuarded: (directory: string) => boolean) => Promise<string>

/** Adds a file with its installation or package, at its real path and at the path that names it. */
async function showWith(
  path: string,
  wholeOf: Whole,
  options: ProgramFilesOptions,
  show: (path: string, target?: string) => Promise<void>,
): Promise<void> {
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) return
  await show(await wholeOf(real, (directory) => isGuarded(directory, options)))
  await show(real, resolve(path))
}

/** Returns `~/.nvm/versions/node/v20` for `~/.nvm/versions/node/v20/bin/node`. */
async function installationOf(file: string, isGuarded: (directory: string) => boolean): Promise<string> {
  const directory = dirname(file)
  const whole = directory.endsWith(`${sep}bin`) ? dirname(directory) : directory
  return [whole, directory].find((one) => !isGuarded(one)) ?? file
}

/** Returns the nearest directory with a `package.json`, since Node.js resolves modules from there. */
async function packageOf(file: string, isGuarded: (directory: string) => boolean): Promise<string> {
  const isDirectory = (await stat(file)).isDirectory()
  const nearest = isDirectory ? file : dirname(file)
  for (let directory = nearest; !isGuarded(directory); directory = dirname(directory)) {
    if (await isThere(join(directory, 'package.json'))) return directory
  }
  return isDirectory || isGuarded(nearest) ? file : nearest
}

function isGuarded(directory: string, { home, hidden }: ProgramFilesOptions): boolean {
  const isTop = dirname(directory) === dirname(dirname(directory)) || SHARED.has(dirname(directory))
  if (isTop || isWithin(directory, home)) return true
  return hidden.some((one) => isWithin(directory, one) || isWithin(one, directory))
}

/** Returns whether a path is already shown. The target of a link is checked separately. */
function isKnown(target: string, { known }: ProgramFilesOptions, found: ReadonlyMap<string, Shown>): boolean {
  return [...known, ...found.keys()].some((directory) => isWithin(directory, target))
}

/** Returns whether a path is a directory or lies in it. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
