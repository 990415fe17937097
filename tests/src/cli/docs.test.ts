import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { orrery } from '../support/cli.js'

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

test('docs/reference/apiserver.md: lists the options of --help', async () => {
  const { out } = await orrery('apiserver', '--help')
  const rows = /\| option \| meaning \|\n(.*?)\n\n/s.exec(text('docs/reference/apiserver.md'))?.[1] ?? ''
  const documented = rows.replace(/^(\|[^|]*\|).*$/gm, '$1')
  const optionsOf = (page: string, pattern: RegExp) =>
    [...page.matchAll(pattern)].map(([, option]) => option).filter((option) => option !== '--help')
  assert.deepEqual(optionsOf(documented, /`(--[a-z-]+)/g).sort(), optionsOf(out, /^ {2}(?:-\w, )?(--[a-z-]+)/gm).sort())
})

test('docs/reference/cli.md: lists the options of --help of every command, which has examples', async () => {
  assert.match((await orrery('--help')).out, /^Examples:$/m)
  const sections = text('docs/reference/cli.md')
    .split(/^### orrery /m)
    .slice(1)
  assert.ok(sections.length > 15)
  for (const section of sections) {
    const [command = ''] = section.split('\n')
    const [body = ''] = section.split('\n## ')
    const { out } = await orrery(...command.split(' '), '--help')
    const firstCells = [...body.matchAll(/^\| (`--[^|]*) \|/gm)].map(([, cell]) => cell).join(' ')
    const documented = [...firstCells.matchAll(/`(--[a-z-]+)`/g)].map(([, option]) => option)
    const listed = [...out.matchAll(/^ {2}(?:--?[a-z]+, )?(--[a-z-]+)/gm)].map(([, option]) => option)
    assert.deepEqual(documented.sort(), listed.filter((option) => option !== '--help').sort(), command)
    assert.match(out, /^Examples:$/m, `${command} --help has examples`)
  }
})

test('docs/tasks/embed-the-api-server.md: lists the options of startApiServer', () => {
  const declared =
    /export interface ApiServerOptions \{(.*?)\n\}/s.exec(text('packages/apiserver/src/options.ts'))?.[1] ?? ''
  const rows = /\| option \| default \|.*?\n\n/s.exec(text('docs/tasks/embed-the-api-server.md'))?.[0] ?? ''
  const names = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, name]) => name).sort()
  assert.deepEqual(names(rows, /^\| `(\w+)`/gm), names(declared, /^ {2}readonly (\w+)/gm))
})

const GUIDE = 'docs/tasks/embed-the-api-server.md'
const guideBlocks = [...text(GUIDE).matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)
const [START = '', WATCH = '', ...OTHERS] = guideBlocks

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

for (const [index, block] of OTHERS.entries()) {
  test(`${GUIDE}: program ${index + 3} starts a server`, async () => {
    const imports = block.includes('import ') ? '' : "import { startApiServer } from '@orrery/apiserver'\n"
    const output = await runProgram(`${imports}${block}\nconsole.log(server.url)\nawait server.close()`, /^$/)
    assert.match(output, /^https:\/\/127\.0\.0\.1:\d+\n$/)
  })
}
