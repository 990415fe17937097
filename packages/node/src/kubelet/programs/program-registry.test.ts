import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { createLogger } from '@orrery/kube'
import { ProgramRegistry } from './program-registry.js'

test('ProgramRegistry: keeps known programs and reports the problem while the file is unreadable', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-programs-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'programs.json')
  const log = createLogger({ write: () => undefined })
  const book = new ProgramRegistry({ programs: {}, file, configMap: undefined, log })
  assert.deepEqual([book.find('a', 'default'), book.problem], [undefined, undefined])
  await writeFile(file, '{"a": {"command": ["x"]}}')
  assert.deepEqual([book.find('a', 'default')?.command, book.problem], [['x'], undefined])
  await writeFile(file, '{"a": garbage')
  assert.deepEqual([book.problem, book.find('a', 'default')?.command], [`${file} is not JSON`, ['x']])
  await writeFile(file, '{}')
  assert.deepEqual([book.find('a', 'default'), book.problem], [undefined, undefined])
})

test('ProgramRegistry: runs programs only for pods of the given namespaces', () => {
  const programs = { a: { command: ['x'] } }
  const log = createLogger({ write: () => undefined })
  const book = new ProgramRegistry({ programs, file: undefined, configMap: undefined, namespaces: ['add-ons'], log })
  assert.deepEqual(book.find('a', 'add-ons')?.command, ['x'])
  assert.equal(book.find('a', 'tenant'), undefined)
})
