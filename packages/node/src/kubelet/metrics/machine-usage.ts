import { cpus, freemem, totalmem } from 'node:os'
import type { Usage } from './process-usage.js'

interface Times {
  readonly busy: number
  readonly all: number
}

/** Measures the usage of the whole machine: the rate since the last measurement, or since creation. */
export class MachineUsage {
  #before = timesNow()
  #cores = 0

  measure(): Usage {
    const now = timesNow()
    const all = now.all - this.#before.all
    if (all > 0) {
      this.#cores = ((now.busy - this.#before.busy) / all) * cpus().length
      this.#before = now
    }
    return { cores: this.#cores, bytes: totalmem() - freemem() }
  }
}

function timesNow(): Times {
  let busy = 0
  let all = 0
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq
    busy += used
    all += used + times.idle
  }
  return { busy, all }
}
