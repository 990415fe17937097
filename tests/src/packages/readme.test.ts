// Runs in a process of its own: it starts a fleet for the programs that need one.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fleetDirectory } from '../support/fleet.js'
import { freePort } from '../support/free-port.js'
import { afterwards, startServer } from '../support/server.js'
import { PACKAGES, REPOSITORY } from './workspace.js'

interface Example {
  readonly language: string
  readonly code: string
}

/** The first block of a README, which follows a title and a paragraph. */
async function exampleOf(directory: string): Promise<Example> {
  const text = await readFile(join(REPOSITORY, 'packages', directory, 'README.md'), 'utf8')
  const [, language = '', code = ''] = /^# [^\n]+\n\n[^\n#]+(?:\n[^\n#]+)*\n\n```(js|sh)\n(.*?)```/s.exec(text) ?? []
  assert.notEqual(code, '', `packages/${directory}/README.md does not begin with a title, a paragraph and an example`)
  return { language, code }
}

/** What a program prints: the comments behind `console.log`, where `…` stands for any text. */
function printedBy(code: string): RegExp {
  const lines = [...code.matchAll(/console\.log\(.*\),? \/\/ (.*)$/gm)].map(([, text = '']) => text)
  assert.notDeepEqual(lines, [], 'the example prints nothing')
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+')
  return new RegExp(lines.map((line) => `^${literal(line)}\n`).join(''), 'm')
}

/** A directory from which programs find the packages as in a user's project. */
async function projectDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(fileURLToPath(new URL('readme-', import.meta.url)))
  afterwards(t, () => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Runs a program. One that waits for Ctrl-C gets it as soon as it has printed what it should. */
async function runExample(
  t: TestContext,
  { code }: Example,
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const expected = printedBy(code)
  const isStopped = (out: string) => code.includes('SIGINT') && expected.test(out)
  const { out, errors, status } = await runProgram(t, code, cwd, variables, isStopped)
  assert.match(out, expected, errors)
  assert.deepEqual([status, errors], [0, ''])
}

async function runProgram(
  t: TestContext,
  code: string,
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
  isStopped: (out: string) => boolean = () => false,
) {
  await writeFile(join(cwd, 'program.mjs'), code)
  const PATH = [join(REPOSITORY, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn(process.execPath, ['program.mjs'], { cwd, env: { ...process.env, PATH, ...variables } })
  afterwards(t, () => void child.kill('SIGKILL'))
  let out = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    if (isStopped(out)) child.kill('SIGINT')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const status = await new Promise((resolve) => child.once('close', resolve))
  return { out, errors, status }
}

const PREPARED: Readonly<Record<string, (t: TestContext, example: Example) => Promise<void>>> = {
  async hub(t, example) {
    const { kubeconfig } = await startServer(t)
    await runExample(t, example, await projectDirectory(t), { KUBECONFIG: kubeconfig })
  },
  async webhook(t, { language, code }) {
    const { kubeconfig } = await startServer(t)
    const example = { language, code: code.replaceAll('9443', String(await freePort())) }
    await runExample(t, example, await projectDirectory(t), { KUBECONFIG: kubeconfig })
  },
  // The agent joins the hub of the fleet that the command line starts.
  async cli(t, { language, code }) {
    assert.equal(language, 'sh')
    const ORRERY_DATA = await fleetDirectory(t)
    const child = spawn('sh', ['-e', '-c', code], { cwd: REPOSITORY, env: { ...process.env, ORRERY_DATA } })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
    }
    assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0, text)
    assert.match(text, /^cluster2 +True +True +True /m)
    const { kubeconfig } = await startServer(t)
    const directory = await projectDirectory(t)
    await copyFile(join(ORRERY_DATA, 'bootstrap-kubeconfig'), join(directory, 'bootstrap-kubeconfig'))
    await runExample(t, await exampleOf('agent'), directory, { KUBECONFIG: kubeconfig })
  },
}

/** Tested elsewhere: with the fleet of `cli`, and in tests/src/kube/readme.test.ts. */
const ELSEWHERE = ['agent', 'kube']

for (const [directory, run] of Object.entries(PREPARED)) {
  const also = directory === 'cli' ? ' and the one of packages/agent/README.md' : ''
  test(`packages/${directory}/README.md: the first example${also} works as printed`, async (t) => {
    await run(t, await exampleOf(directory))
  })
}

// They need nothing, and share a process: starting Node and loading the packages takes longer than they do.
test('packages/*/README.md: the first examples of all others work as printed', async (t) => {
  const others = PACKAGES.map(({ directory }) => directory).filter((name) => !ELSEWHERE.includes(name))
  const names = others.filter((name) => !Object.hasOwn(PREPARED, name))
  const cwd = await projectDirectory(t)
  const examples = await Promise.all(names.map(async (name) => [name, await exampleOf(name)] as const))
  for (const [name, { code }] of examples) await writeFile(join(cwd, `${name}.mjs`), code)
  const lines = names.map((name) => `console.log('# ${name}')\nawait import('./${name}.mjs')\n`)
  const { out, errors, status } = await runProgram(t, lines.join(''), cwd)
  const printed = new Map(out.split(/^# /m).map((text) => [text.split('\n')[0], text]))
  for (const [name, { code }] of examples) {
    await t.test(name, () => assert.match(printed.get(name) ?? '', printedBy(code), errors))
  }
  assert.deepEqual([status, errors], [0, ''])
})
