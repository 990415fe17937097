import { stat } from 'node:fs/promises'

/** A text that changes when a file is written, replaced, created or removed. */
export async function signatureOf(files: readonly string[]): Promise<string> {
  const signatures = await Promise.all(files.map(fileSignature))
  return signatures.join('\n')
}

async function fileSignature(file: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file)
    return `${mtimeMs} ${ctimeMs} ${size} ${ino}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
