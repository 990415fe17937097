import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { isRunning, markOf } from '../process/process-mark.js'
import type { ElectionOptions } from './election.js'

const IDENTITY = /_([0-9a-f]{16})_([1-9]\d{0,9})-(\d+)_[0-9a-f]+$/

/**
 * The identity of this process for leader election. Other processes on the same machine can determine from it whether
 * this one still runs, so that the next leader need not wait for the lease of a killed process to expire. Nothing is
 * assumed about processes of other machines and containers.
 */
export function candidateIdentity(): Required<Pick<ElectionOptions, 'identity' | 'isGone'>> {
  const place = placeOfProcesses()
  const { pid, started } = markOf(process.pid)
  // A process may take part in several elections.
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

/** Where PIDs are comparable: one boot of one system and one PID namespace. Undefined if that is unknown. */
function placeOfProcesses(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const namespace = readlinkSync('/proc/self/ns/pid')
    return createHash('sha256').update(`${boot}${namespace}`).digest('hex').slice(0, 16)
  } catch {
    return undefined
  }
}
