import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { writeReport, writeResult } from './files.js'

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'results-'))
  t.after(() => rm(directory, { recursive: true }))
  return directory
}

test('writeResult: keeps the limits of the status reporter', async (t) => {
  const file = join(await temporary(t), 'adapter-result.json')
  await writeResult({ status: 'failure', reason: 'R'.repeat(200), message: 'ü'.repeat(1_000), details: { a: 1 } }, file)
  const { reason, message, details } = JSON.parse(await readFile(file, 'utf8'))
  assert.equal(reason, `${'R'.repeat(125)}...`)
  assert.equal(message, `${'ü'.repeat(510)}...`)
  assert.deepEqual(details, { a: 1 })
})

test('writeResult: leaves out details above 1 MiB', async (t) => {
  const file = join(await temporary(t), 'adapter-result.json')
  await writeResult({ status: 'success', details: 'x'.repeat(1024 * 1024) }, file)
  assert.ok((await stat(file)).size < 1_024)
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), {
    status: 'success',
    reason: 'NoReasonProvided',
    message: 'No message provided',
    details: { omitted: 'the details have more than 1048576 bytes' },
  })
})

test('writeReport: replaces a report as a whole and leaves no other file', async (t) => {
  const directory = await temporary(t)
  const file = join(directory, 'adapter-report.json')
  const condition = { type: 'Health', status: 'True', reason: 'NoIssues' } as const
  let isDone = false
  const writes = (async () => {
    for (let index = 0; index < 50; index++) await writeReport({ conditions: Array(index + 1).fill(condition) }, file)
    isDone = true
  })()
  while (!isDone) {
    const text = await readFile(file, 'utf8').catch(() => '{}')
    JSON.parse(text)
  }
  await writes
  assert.deepEqual(await readdir(directory), ['adapter-report.json'])
  assert.equal(JSON.parse(await readFile(file, 'utf8')).conditions.length, 50)
})
