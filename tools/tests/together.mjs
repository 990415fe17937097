// Runs test files one after the other in this process, each as a suite with the name of the file. Hooks at the top of
// a file belong to its suite: they do not affect other files.
import { join } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { noteFile } from './times.mjs'
import { startTracking, stopTracking } from './tracking.mjs'

/** Resolves when the tests of all files have ended. */
export async function runTogether(root, files) {
  let left = files
  let isOver = false
  // A test that waits for nothing lets the process end. Node has cancelled it by now, and would not run other files.
  process.once('beforeExit', () => {
    isOver = true
  })
  // Before the names of the tests: the last lines say most.
  process.prependOnceListener('exit', () => {
    if (left.length === 0) return
    process.stderr.write(`these files have not ended:\n${left.join('\n')}\n`)
    process.exitCode ||= 1
  })
  for (const file of files) {
    const ended = noteFile(file)
    startTracking()
    await suite(file, () => import(pathToFileURL(join(root, file)).href).finally(stopTracking))
    if (isOver) return
    ended()
    left = left.slice(1)
  }
}
