// Where the tests store their data.
import { statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** Many times the data of all tests at one time. */
const ROOM = 4 * 1024 ** 3

/**
 * The directory for temporary files in TMPDIR. Without it, memory, if there is enough: stores wait for the disk at
 * each write, and no test has a power failure.
 */
export function temporaryRoot() {
  return process.env.TMPDIR === undefined && hasRoomInMemory() ? MEMORY : tmpdir()
}

function hasRoomInMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM && freemem() >= ROOM
  } catch {
    return false
  }
}
