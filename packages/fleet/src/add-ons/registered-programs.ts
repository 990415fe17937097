import { type Programs, parsePrograms } from '@orrery/node/programs'
import type { FleetDirectory } from '../directory.js'
import { readIfThere, writePrivately } from '../privatefile.js'

/** Registers programs for images on all clusters of a fleet. Programs that users registered for other images stay. */
export async function registerPrograms(directory: FleetDirectory, programs: Programs): Promise<void> {
  if (Object.keys(programs).length === 0) return
  const text = (await readIfThere(directory.programs)) ?? '{}'
  const known = parsePrograms(text, directory.programs)
  const next = `${JSON.stringify({ ...known, ...programs }, undefined, 2)}\n`
  if (next !== text) await writePrivately(directory.programs, next)
}
