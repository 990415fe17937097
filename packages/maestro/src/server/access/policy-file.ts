import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '@orrery/kube/log'
import { parse } from 'yaml'
import { type Policy, parsePolicy } from './policy.js'

/** A policy in a file, read again when the file changes. */
export interface PolicyFile {
  readonly current: Policy
  close(): void
}

/** Reads a policy in YAML or JSON. Rejects if it is not valid; a later version that is not valid is logged and not used. */
export async function openPolicyFile(path: string, log: Logger): Promise<PolicyFile> {
  let current = await readPolicy(path)
  let reading = Promise.resolve()
  const refresh = async () => {
    try {
      current = await readPolicy(path)
      log.info('access policy loaded', { path })
    } catch (error) {
      log.warn('access policy is not valid, the last one is still used', { path, problem: (error as Error).message })
    }
  }
  const watcher = watchDirectory(path, log, () => {
    reading = reading.then(refresh)
  })
  return {
    get current() {
      return current
    },
    close: () => watcher?.close(),
  }
}

/** The directory, since mounted files are replaced by renaming. The machine may have no file watches left. */
function watchDirectory(path: string, log: Logger, onChange: () => void): FSWatcher | undefined {
  const warn = (error: unknown) => log.warn('cannot watch the access policy: changes need a restart', { path, error })
  try {
    return watch(dirname(path), { persistent: false }, onChange).on('error', warn)
  } catch (error) {
    warn(error)
    return undefined
  }
}

async function readPolicy(path: string): Promise<Policy> {
  try {
    return parsePolicy(parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new Error(`access policy ${path}: ${(error as Error).message}`)
  }
}
