import { open } from 'node:fs/promises'
import type { Container } from '@orrery/kinds'
import type { LogSource } from '../logs/log-source.js'

/** The kubelet's limit. */
const MAX_MESSAGE = 4_096
const LOG_BYTES = 2_048
const LOG_LINES = 80

/** Returns the termination message of a container: the file at its `terminationMessagePath`, or the end of its log. */
export async function terminationMessageOf(
  file: string,
  { terminationMessagePolicy }: Container,
  log: LogSource,
  exitCode: number,
): Promise<string> {
  const written = await beginningOf(file)
  if (written !== '' || exitCode === 0 || terminationMessagePolicy !== 'FallbackToLogsOnError') return written
  const pieces: Buffer[] = []
  const request = { follow: false, timestamps: false, since: undefined, stream: undefined, limitBytes: undefined }
  for await (const piece of log.read({ ...request, tailLines: LOG_LINES }, new AbortController().signal))
    pieces.push(piece)
  return Buffer.concat(pieces).subarray(-LOG_BYTES).toString('utf8')
}

async function beginningOf(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_MESSAGE), 0, MAX_MESSAGE, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    // The container wrote no file.
    return ''
  }
}
