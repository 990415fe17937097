import { rm } from 'node:fs/promises'
import { isObject } from '@orrery/kinds/values'
import type { ProcessMark } from '@orrery/kube/process'
import { supervisorOf } from './claim.js'
import type { FleetDirectory } from './directory.js'
import type { PartState } from './part-state.js'
import { readIfThere, writePrivately } from './privatefile.js'

/** The supervisor of a fleet and the state of its parts. */
export interface RunRecord {
  readonly supervisor: ProcessMark
  readonly parts: readonly PartState[]
}

/** Writes the state of the parts to a file, one write at a time and only the latest. */
export class RunRecorder {
  readonly #directory: FleetDirectory
  #pending: readonly PartState[] | undefined
  #writing: Promise<void> | undefined
  #isOver = false

  constructor(directory: FleetDirectory) {
    this.#directory = directory
  }

  record(parts: readonly PartState[]): void {
    if (this.#isOver) return
    this.#pending = parts
    this.#writing ??= this.#drain()
  }

  async remove(): Promise<void> {
    this.#isOver = true
    this.#pending = undefined
    await this.#writing
    await rm(this.#directory.run, { force: true })
  }

  async #drain(): Promise<void> {
    // Several states often change at once.
    await Promise.resolve()
    while (this.#pending !== undefined) {
      const text = JSON.stringify({ parts: this.#pending })
      this.#pending = undefined
      // A full disk does not stop a fleet: only the output of `status` is affected.
      await writePrivately(this.#directory.run, `${text}\n`).catch(() => undefined)
    }
    this.#writing = undefined
  }
}

/** The run record of a fleet; undefined if no supervisor runs. */
export async function readRun(directory: FleetDirectory): Promise<RunRecord | undefined> {
  const supervisor = supervisorOf(directory)
  return supervisor === undefined ? undefined : { supervisor, parts: await recordedParts(directory) }
}

/** The parts in the last run record. */
export async function recordedParts(directory: FleetDirectory): Promise<readonly PartState[]> {
  const text = (await readIfThere(directory.run)) ?? '{}'
  const value: unknown = JSON.parse(text)
  return isObject(value) && Array.isArray(value.parts) ? (value.parts as unknown as PartState[]) : []
}
