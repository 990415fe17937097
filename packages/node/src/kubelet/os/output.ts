import type { ChildProcess } from 'node:child_process'

export type OutputStream = 'stdout' | 'stderr'

/** Handles a piece of output. The process is not read further until the returned promise resolves, so it blocks. */
export type TakeOutput = (stream: OutputStream, piece: Buffer) => Promise<void> | undefined

/** The streams of a process. */
export interface ProcessStreams {
  readonly onOutput: TakeOutput
  readonly hasInput: boolean
}

/** The streams of a process beside the program. */
export interface EnteringStreams extends ProcessStreams {
  /** Whether it reports something at descriptor 4. Defaults to false. */
  readonly hasReport?: boolean
  /** Variables in addition to those of the container. */
  readonly variables?: ReadonlyMap<string, string>
}

/** The size of a piece from a process that writes faster than it is read. */
const FULL_PIECE = 65_536
/** How long to wait for output that processes outside the group can hold open forever. */
const TIMEOUT_MS = 500
const MAX_WAIT = 5_000

/** Passes on the output of a process. A process that writes endlessly does not starve other work. */
export class ProcessOutput {
  readonly #closed: Promise<void>
  #heard = 0
  #taking = 0

  constructor(child: ChildProcess, take: TakeOutput) {
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()))
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = child[name]
      stream?.on('data', (piece: Buffer) => {
        this.#heard = performance.now()
        const taken = take(name, piece)
        if (taken === undefined && piece.length < FULL_PIECE) return
        stream.pause()
        this.#taking++
        void Promise.resolve(taken).then(() => {
          setImmediate(() => {
            this.#taking--
            stream.resume()
          })
        })
      })
    }
  }

  /** Resolves when the output of an ended process is read. */
  whenRead(): Promise<void> {
    const begun = performance.now()
    this.#heard = begun
    const isOver = (now: number) => now - begun > MAX_WAIT || (this.#taking === 0 && now - this.#heard > TIMEOUT_MS)
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        if (isOver(performance.now())) done()
      }, TIMEOUT_MS / 5).unref()
      const done = () => {
        clearInterval(timer)
        resolve()
      }
      void this.#closed.then(done)
    })
  }
}
