import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ElectionOptions } from '@orrery/kube'
import { isRunning, markOf } from './process-mark.js'

const IDENTITY = /_([0-9a-f]{16})_([1-9]\d{0,9})-(\d+)_[0-9a-f]+$/

/**
 * How a process stands for election: under a name by which others on the same machine can tell whether it still runs. So
 * the one that follows a process that was killed need not wait until its lease runs out. Processes of other machines, and
 * of other containers, are never judged.
 */
export function candidacy(): Required<Pick<ElectionOptions, 'identity' | 'isGone'>> {
  const place = placeOfProcesses()
  const { pid, started } = markOf(process.pid)
  // A process may stand more than once.
  const random = randomBytes(4).toString('hex')
  if (place === undefined || started === '') {
    return { identity: `${hostname()}_${pid}_${random}`, isGone: () => false }
  }
  return {
    identity: `${hostname()}_${place}_${pid}-${started}_${random}`,
    isGone(identity) {
      const [, where, number = '', since = ''] = IDENTITY.exec(identity) ?? []
      return where === place && !isRunning({ pid: Number(number), started: since })
    },
  }
}

/**
 * Where numbers of processes mean the same: one boot of one system and, in it, one namespace of processes. Undefined where
 * that cannot be found out.
 */
function placeOfProcesses(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const namespace = readlinkSync('/proc/self/ns/pid')
    return createHash('sha256').update(`${boot}${namespace}`).digest('hex').slice(0, 16)
  } catch {
    return undefined
  }
}
