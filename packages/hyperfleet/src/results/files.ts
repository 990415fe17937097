import { randomInt } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AdapterReport, AdapterResult } from './report.js'

const REPORT_FILE = '/results/adapter-report.json'
const RESULT_FILE = '/results/adapter-result.json'

/** Limits of the status reporter: it rejects a longer file. */
const MAX_REASON = 128
const MAX_MESSAGE = 1024
const MAX_RESULT_BYTES = 1024 * 1024

/** Writes the report of an adapter. Readers see the whole file or the earlier one. */
export async function writeReport(report: AdapterReport, file: string = REPORT_FILE): Promise<void> {
  await writeAtomically(file, `${JSON.stringify(report)}\n`)
}

/** Writes the result that the status reporter reads, within its limits: details that are too large are left out. */
export async function writeResult(result: AdapterResult, file: string = RESULT_FILE): Promise<void> {
  const { status, details } = result
  const reason = shortened(result.reason || 'NoReasonProvided', MAX_REASON)
  const message = shortened(result.message || 'No message provided', MAX_MESSAGE)
  const whole = `${JSON.stringify({ status, reason, message, details })}\n`
  const fits = Buffer.byteLength(whole) <= MAX_RESULT_BYTES
  const omitted = { omitted: `the details have more than ${MAX_RESULT_BYTES} bytes` }
  await writeAtomically(file, fits ? whole : `${JSON.stringify({ status, reason, message, details: omitted })}\n`)
}

/** The limits count bytes, and a character is never cut in two. */
function shortened(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text
  let short = ''
  let length = 3
  for (const character of text) {
    length += Buffer.byteLength(character)
    if (length > bytes) break
    short += character
  }
  return `${short}...`
}

async function writeAtomically(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const partial = `${file}.partial-${randomInt(2 ** 47)}`
  try {
    const handle = await open(partial, 'wx', 0o644)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
