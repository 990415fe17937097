// How the tools that prepare peers run commands, and skip what a machine cannot build.
import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const SKIPPED = new URL('../../.cache/peers/skipped/', import.meta.url).pathname

/** Runs a command, and exits if it fails. */
export function run(command, args, options = {}) {
  const started = performance.now()
  try {
    execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options })
  } catch (error) {
    if (error.code === 'ENOENT') fail(`${command} is not installed: it is needed to prepare the peer tests`)
    fail(`${command} ${args.join(' ')} failed`)
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(`prepared in ${seconds} s: ${command} ${args.join(' ')}`)
}

export function fail(message) {
  console.error(message)
  process.exit(1)
}

/**
 * Builds a peer, or records the commands that are missing on this machine: its tests are then skipped with that
 * reason.
 */
export function prepareWith(peer, commands, make) {
  const missing = commands.filter((command) => !isInstalled(command))
  const mark = join(SKIPPED, peer)
  rmSync(mark, { force: true })
  if (missing.length === 0) return make()
  const reason = `${missing.join(', ')} not installed: install ${missing.length === 1 ? 'it' : 'them'} to run the tests of ${peer}`
  mkdirSync(SKIPPED, { recursive: true })
  writeFileSync(mark, reason)
  console.warn(`SKIPPED ${peer}: ${reason}`)
}

function isInstalled(command) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
