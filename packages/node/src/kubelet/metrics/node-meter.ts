import type { Pod } from '@orrery/kinds'
import type { PodRun } from '../pod/pod-run.js'
import { MachineUsage } from './machine-usage.js'
import type { NodeUsage } from './metrics-group.js'
import { NO_USAGE, ProcessUsage, type Usage } from './process-usage.js'

/** Measures the usage of a node and its pods on request. Played containers use nothing. */
export class NodeMeter {
  readonly #name: string
  readonly #machine = new MachineUsage()
  readonly #processes = new ProcessUsage()

  constructor(name: string) {
    this.#name = name
  }

  async measure(runs: Iterable<{ readonly pod: Pod; readonly run: PodRun }>, now: Date): Promise<NodeUsage> {
    const running = Array.from(runs, ({ pod, run }) => ({ pod, containers: run.running })).filter(
      ({ containers }) => containers.size > 0,
    )
    const pids = running.flatMap(({ containers }) => [...containers.values()]).filter((pid) => pid !== undefined)
    const used = await this.#processes.measure(new Set(pids), now)
    const usageOf = (pid: number | undefined): Usage => (pid === undefined ? undefined : used.get(pid)) ?? NO_USAGE
    const pods = running.map(({ pod, containers }) => ({
      pod,
      containers: new Map(Array.from(containers, ([name, pid]) => [name, usageOf(pid)])),
    }))
    return { name: this.#name, usage: this.#machine.measure(), pods }
  }
}
