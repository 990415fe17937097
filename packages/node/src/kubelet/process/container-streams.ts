import type { Container } from '@orrery/kinds'
import type { AttachableOutput } from '../container/live.js'
import type { ContainerLog } from '../logs/container-log.js'
import type { OutputStream, ProcessStreams, TakeOutput } from '../os/output.js'

/** The output of a container that runs: it goes to its log, and to everybody who is attached. */
export class ContainerStreams implements ProcessStreams, AttachableOutput {
  readonly hasInput: boolean
  readonly #log: ContainerLog
  readonly #attached = new Set<TakeOutput>()

  constructor(log: ContainerLog, { stdin }: Container) {
    this.#log = log
    this.hasInput = stdin === true
  }

  readonly onOutput = (stream: OutputStream, piece: Buffer): Promise<void> | undefined => {
    const logged = this.#log.append(stream, piece)
    if (this.#attached.size === 0) return logged
    // As with a container: whoever is attached and does not read holds it up.
    return Promise.all([logged, ...Array.from(this.#attached, (take) => take(stream, piece))]).then(() => undefined)
  }

  /** Has somebody get what the container writes from now on. Returns the way to end that. */
  attach(take: TakeOutput): () => void {
    this.#attached.add(take)
    return () => this.#attached.delete(take)
  }
}
