import { isHealthy, type PartState, type Phase } from '@orrery/fleet'
import { plainText } from './shared/table.js'

const PHASE_TEXTS: Readonly<Record<Phase, string>> = {
  starting: 'starting',
  serving: 'serving',
  installing: 'installing',
  joining: 'joining the hub',
  accepted: 'accepted by the hub',
  joined: 'joined',
  available: 'available',
  unavailable: 'unavailable',
  denied: 'denied by the hub',
  ready: 'ready',
  restarting: 'restarting',
  stopping: 'stopping',
  stopped: 'stopped',
}

const FAILED: ReadonlySet<Phase> = new Set<Phase>(['restarting', 'unavailable', 'denied'])

const USUAL_COLUMNS = 80
const USUAL_ROWS = 24

/** The terminal or file that progress is written to. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
}

/** Shows the phase of each part of a fleet: one line per part on a terminal, else one line per change. */
export class Progress {
  readonly #screen: Screen
  readonly #now: () => number
  readonly #startedAt: number
  readonly #lines = new Map<string, { readonly state: PartState; readonly seconds: string }>()
  #drawn = 0

  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen
    this.#now = now
    this.#startedAt = now()
  }

  /** Time since the start, such as `1.2 s`. */
  get elapsed(): string {
    return `${((this.#now() - this.#startedAt) / 1000).toFixed(1)} s`
  }

  update(state: PartState): void {
    const before = this.#lines.get(state.name)?.state
    if (before?.phase === state.phase && before.detail === state.detail) return
    this.#lines.set(state.name, { state, seconds: this.elapsed })
    if (this.#canDraw()) this.#draw()
    else this.#screen.write(`${lineOf(state, this.elapsed)}\n`)
  }

  /** Writes a message below the lines drawn so far. Later updates are drawn below it. */
  print(text: string): void {
    this.#screen.write(`${text}\n`)
    this.leave()
  }

  /** Stops updating the lines drawn so far: other output follows them. */
  leave(): void {
    this.#drawn = 0
  }

  /** Lines that have scrolled off the screen cannot be updated. */
  #canDraw(): boolean {
    return this.#screen.isTTY === true && this.#lines.size < (this.#screen.rows || USUAL_ROWS)
  }

  #draw(): void {
    // Some terminals report the size 0.
    const width = (this.#screen.columns || USUAL_COLUMNS) - 1
    const lines = [...this.#lines.values()].map(({ state, seconds }) => {
      const mark = isHealthy(state) ? '✔' : FAILED.has(state.phase) ? '✖' : '…'
      return `${mark} ${lineOf(state, seconds)}`.slice(0, width)
    })
    const up = this.#drawn === 0 ? '' : `\u001b[${this.#drawn}A`
    this.#screen.write(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join('')}`)
    this.#drawn = lines.length
  }
}

function lineOf({ name, phase, detail, url }: PartState, seconds: string): string {
  const where = (phase === 'ready' || phase === 'available') && url !== undefined ? `  ${url}` : ''
  const why = detail === undefined ? '' : `: ${detail}`
  return plainText(`${name.padEnd(10)}  ${seconds.padStart(6)}  ${PHASE_TEXTS[phase]}${where}${why}`)
}
