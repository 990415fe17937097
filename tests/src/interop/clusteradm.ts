import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { OCM_BIN } from './ocm.js'

const CLUSTERADM = join(OCM_BIN, 'clusteradm')

/** Runs clusteradm with a kubeconfig. Resolves with its output. */
export function clusteradmWith(kubeconfig: string): (...args: readonly string[]) => Promise<string> {
  if (!existsSync(CLUSTERADM)) {
    throw new Error(`${CLUSTERADM} is not there: node tools/interop/prepare-clusteradm.mjs builds it`)
  }
  const env = { ...process.env, KUBECONFIG: kubeconfig }
  return async (...args) => (await promisify(execFile)(CLUSTERADM, args, { env })).stdout
}
