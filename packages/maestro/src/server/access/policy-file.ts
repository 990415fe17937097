import { readFile } from 'node:fs/promises'
import type { Logger } from '@orrery/kube/log'
import { parse } from 'yaml'
import { watchFiles } from '../serving/watched-files.js'
import { type Policy, parsePolicy } from './policy.js'

/** A policy in a file, read again when the file changes. */
export interface PolicyFile {
  readonly current: Policy
  close(): void
}

/** Reads a policy in YAML or JSON. Rejects if it is not valid; a later version that is not valid is logged and not used. */
export async function openPolicyFile(path: string, log: Logger): Promise<PolicyFile> {
  let current = await readPolicy(path)
  const close = watchFiles([path], log, async () => {
    try {
      current = await readPolicy(path)
      log.info('access policy loaded', { path })
    } catch (error) {
      log.warn('access policy is not valid, the last one is still used', { problem: (error as Error).message })
    }
  })
  return {
    get current() {
      return current
    },
    close,
  }
}

async function readPolicy(path: string): Promise<Policy> {
  try {
    return parsePolicy(parse(await readFile(path, 'utf8')))
  } catch (error) {
    throw new Error(`access policy ${path}: ${(error as Error).message}`)
  }
}
