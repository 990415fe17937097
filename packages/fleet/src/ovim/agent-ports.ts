import { isObject } from '@orrery/kinds/values'
import { freePorts } from '../ports.js'
import { readIfThere, writePrivately } from '../privatefile.js'

/**
 * The ports of the local APIs of OVIM agents, one for each cluster: programs of embedded clusters share the network of the machine. A
 * cluster keeps its port, so that its agent is not restarted with the fleet.
 */
export class AgentPorts {
  readonly #file: string
  readonly #taken: readonly number[]
  #reading: Promise<Map<string, number>> | undefined
  #writing: Promise<unknown> = Promise.resolve()

  /** @param taken Ports of others that may not listen yet. */
  constructor(file: string, taken: readonly number[]) {
    this.#file = file
    this.#taken = taken
  }

  /** The port of a cluster. One call at a time chooses a new one. */
  of(cluster: string): Promise<number> {
    const chosen = this.#writing.then(() => this.#choose(cluster))
    this.#writing = chosen.catch(() => undefined)
    return chosen
  }

  async #choose(cluster: string): Promise<number> {
    this.#reading ??= this.#read()
    const ports = await this.#reading
    const known = ports.get(cluster)
    if (known !== undefined) return known
    const [port = 0] = await freePorts(1, [...this.#taken, ...ports.values()])
    ports.set(cluster, port)
    await writePrivately(this.#file, `${JSON.stringify(Object.fromEntries(ports), undefined, 2)}\n`)
    return port
  }

  /** Ports that cannot be read are chosen again. */
  async #read(): Promise<Map<string, number>> {
    const text = (await readIfThere(this.#file)) ?? '{}'
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      value = {}
    }
    const entries = isObject(value) ? Object.entries(value) : []
    return new Map(entries.filter((entry): entry is [string, number] => Number.isInteger(entry[1])))
  }
}
