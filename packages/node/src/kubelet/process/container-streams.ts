import type { Container } from '@orrery/kinds'
import type { AttachableOutput } from '../container/live.js'
import type { ContainerLog } from '../logs/container-log.js'
import type { OutputStream, ProcessStreams, TakeOutput } from '../os/output.js'

/** The output of a running container: it goes to the log and to all attached clients. */
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
    // As with a container runtime, an attached client that does not read blocks the container.
    return Promise.all([logged, ...Array.from(this.#attached, (take) => take(stream, piece))]).then(() => undefined)
  }

  /** Passes further output to a callback. Returns a function that detaches it. */
  attach(take: TakeOutput): () => void {
    this.#attached.add(take)
    return () => this.#attached.delete(take)
  }
}
