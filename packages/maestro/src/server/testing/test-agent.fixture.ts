import type { CloudEvent } from '../../codec/cloud-event.js'
import { Extension } from '../../codec/extensions.js'
import { specResyncRequest } from '../../codec/resync-events.js'
import type { TestClient, TestStream } from './grpc-client.fixture.js'
import { status } from './server.fixture.js'

/** An agent that remembers works as the real ones do: newer versions replace older ones, deletions are confirmed. */
export class TestAgent {
  /** Versions of the works that it has. */
  readonly works = new Map<string, number>()
  /** What it received in the wrong order. */
  readonly regressions: string[] = []
  readonly #client: TestClient
  readonly #cluster: string
  #stream: TestStream | undefined
  #sequence = 1
  #handled = 0
  #busy: Promise<void> = Promise.resolve()
  #waiting = new Set<() => void>()

  constructor(client: TestClient, cluster = 'c1') {
    this.#client = client
    this.#cluster = cluster
  }

  /** Subscribes and resyncs. */
  async connect(client: TestClient = this.#client): Promise<void> {
    const stream = client.subscribe({ clusterName: this.#cluster })
    this.#stream = stream
    this.#handled = 0
    await stream.header
    stream.onEvent(() => {
      this.#busy = this.#busy.then(() => this.#handleAll(stream, client))
    })
    const request = { agentId: 'agent', clusterName: this.#cluster, originalSource: '', versions: this.works }
    await client.publish(specResyncRequest(request))
  }

  disconnect(): void {
    this.#stream?.close()
    this.#stream = undefined
  }

  /** Resolves when its works are as expected. */
  until(isDone: (works: ReadonlyMap<string, number>) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isDone(this.works)) return
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
      check()
    })
  }

  async #handleAll(stream: TestStream, client: TestClient): Promise<void> {
    while (this.#stream === stream && this.#handled < stream.events.length) {
      await this.#handle(stream.events[this.#handled++]!, client)
    }
    for (const check of this.#waiting) check()
  }

  async #handle(event: CloudEvent, client: TestClient): Promise<void> {
    const id = event.extensions[Extension.ResourceId]
    if (typeof id !== 'string') return
    const version = Number(event.extensions[Extension.ResourceVersion] ?? 0)
    const isDeleted = event.extensions[Extension.DeletionTimestamp] !== undefined
    if (isDeleted) this.works.delete(id)
    else if (version < (this.works.get(id) ?? 0)) this.regressions.push(`${id} ${version}`)
    else this.works.set(id, version)
    const sequence = this.#sequence++
    const report = { id, version, sequence, cluster: this.#cluster, ...(isDeleted && { condition: 'Deleted' }) }
    // A report that is lost with the connection is not repeated: resync must be enough.
    await client.publish(status(report)).catch(() => undefined)
  }
}
