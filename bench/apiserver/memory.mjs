import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Helper, residentMemory, startOrrery, targetOf } from './processes.mjs'
import { COLLECTION } from './workload.mjs'

const OBJECTS = 30_000
const SETTLE_MS = 5000

/** Resident memory: idle, after creating many ConfigMaps, and after a start with as many. */
export async function measureMemory({ directory }) {
  const data = join(directory, 'memory')
  let server = await startOrrery(data)
  const generator = new Helper('generator.mjs')
  try {
    const settled = async () => {
      await sleep(SETTLE_MS)
      return residentMemory(server.pid)
    }
    const idle = await settled()
    const target = targetOf(server, join(data, 'pki'))
    const job = { kind: 'create', path: COLLECTION, connections: 32, milliseconds: 120_000, requests: OBJECTS }
    const { failed } = await generator.ask({ target, ...job })
    if (failed > 0) throw new Error(`${failed} creates failed`)
    const filled = await settled()
    await server.stop()
    server = await startOrrery(data)
    const restarted = await settled()
    const detail = `${restarted.toFixed(0)} MiB after a restart, which took ${server.readyAfter.toFixed(0)} ms`
    return [
      { name: 'resident memory, idle', value: idle, unit: 'MiB', limit: 120, detail: '' },
      { name: `resident memory, ${OBJECTS} ConfigMaps`, value: filled, unit: 'MiB', limit: 350, detail },
    ]
  } finally {
    generator.stop()
    await server.stop()
  }
}
