import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { ApiServer } from '@orrery/apiserver'

const ROOT = new URL('../../../', import.meta.url)

function text(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

test('README.md: the program runs as printed', () => {
  const [, program = ''] = /```js\n(.*?)```/s.exec(text('README.md')) ?? []
  assert.notEqual(program, '')
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  assert.deepEqual([stdout, stderr, status], ['Active\n', '', 0])
})

test('docs/tasks/embed-the-api-server.md: lists the options of startApiServer', () => {
  const declared =
    /export interface ApiServerOptions \{(.*?)\n\}/s.exec(text('packages/apiserver/src/server/options.ts'))?.[1] ?? ''
  const rows = /\| option \| default \|.*?\n\n/s.exec(text('docs/tasks/embed-the-api-server.md'))?.[0] ?? ''
  const names = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, name]) => name).sort()
  assert.deepEqual(names(rows, /^\| `(\w+)`/gm), names(declared, /^ {2}readonly (\w+)/gm))
})

const GUIDE = 'docs/tasks/embed-the-api-server.md'
const guideBlocks = [...text(GUIDE).matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)
const [START = '', WATCH = '', TEST = '', ...OTHERS] = guideBlocks

/** Runs a program of a guide from the root of the repository until it ends or prints `expected`. */
async function runProgram(code: string, expected: RegExp): Promise<string> {
  const program = spawn(process.execPath, ['--input-type=module', '--eval', code], { cwd: ROOT })
  let output = ''
  const ended = new Promise((resolve) => program.once('close', resolve))
  for (const stream of [program.stdout, program.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (expected.test(output)) program.kill('SIGKILL')
    })
  }
  await ended
  return output
}

test(`${GUIDE}: the watch prints the events of existing objects`, async () => {
  assert.match(await runProgram(`${START}\n${WATCH}`, /^ADDED kube-root-ca\.crt$/m), /^ADDED kube-root-ca\.crt$/m)
})

test(`${GUIDE}: the program of a test ends`, async () => {
  assert.match(TEST, /startTestServer/)
  assert.equal(await runProgram(`${TEST}\nconsole.log('ended')`, /^$/), 'ended\n')
})

for (const [index, block] of OTHERS.entries()) {
  test(`${GUIDE}: program ${index + 4} starts a server`, async (t) => {
    // Where it finds the packages of this repository.
    const directory = await mkdtemp(fileURLToPath(new URL('docs-', import.meta.url)))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const imports = block.includes('import ') ? '' : "import { startApiServer } from '@orrery/apiserver'\n"
    const file = join(directory, 'program.mjs')
    await writeFile(file, `${imports}${block}\nexport { server }\n`)
    const { server } = (await import(file)) as { server: ApiServer }
    t.after(() => server.close())
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:\d+$/)
  })
}
