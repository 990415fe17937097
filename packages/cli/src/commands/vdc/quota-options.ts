import type { NewVirtualDataCenter } from '@orrery/ovim'
import type { Command } from 'commander'
import { positiveCount } from '../vm/parsers.js'

export interface QuotaOptions {
  readonly cpu?: string
  readonly memory?: string
  readonly storage?: string
  readonly vms?: number
  readonly pods?: number
}

/** The options of a quota. */
export function addQuotaOptions(command: Command): Command {
  return command
    .option('--cpu <quantity>', 'quota of CPU, in cores')
    .option('--memory <quantity>', 'quota of memory, such as 32Gi')
    .option('--storage <quantity>', 'quota of storage, such as 500Gi')
    .option('--vms <number>', 'quota of virtual machines', positiveCount)
    .option('--pods <number>', 'quota of pods on the cluster', positiveCount)
}

/** The quota of options; undefined if none is set. */
export function quotaOf({ cpu, memory, storage, vms, pods }: QuotaOptions): NewVirtualDataCenter['spec']['quota'] {
  const quota = {
    ...(cpu !== undefined && { cpu }),
    ...(memory !== undefined && { memory }),
    ...(storage !== undefined && { storage }),
    ...(vms !== undefined && { virtualMachines: vms }),
    ...(pods !== undefined && { pods }),
  }
  return Object.keys(quota).length === 0 ? undefined : quota
}
