import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { runNode, runnerModule, writeFiles, writeGroups } from './processes.js'

/** Runs each file in a process of its own, and returns what the reporter writes. */
async function failuresOf(t: TestContext, files: Readonly<Record<string, string>>, limitMs = 60_000): Promise<string> {
  const root = await writeFiles(t, files)
  const programs = writeGroups(
    root,
    root,
    Object.keys(files).map((file) => [file]),
  )
  const limit = ['--import', runnerModule('limit')]
  const reporter = [`--test-reporter=${runnerModule('failures')}`, '--test-reporter-destination=stdout']
  const settings = { ORRERY_TEST_LIMIT_MS: String(limitMs) }
  const { text } = await runNode(['--test', ...reporter, ...limit, ...programs], settings)
  return text
}

test('failures: nothing for tests that pass', async (t) => {
  const text = await failuresOf(t, {
    'packages/a/fine.test.js': `
      import { test } from 'node:test'
      test('well', () => console.log('output'))
      test('later', { todo: true }, () => { throw new Error('not yet') })`,
  })
  assert.equal(text, '')
})

test('failures: a failed test has its file, the tests around it, the message and the place', async (t) => {
  const text = await failuresOf(t, {
    'packages/a/first.test.js': `
      import { test } from 'node:test'
      test('outer', async (t) => {
        await t.test('one', () => undefined)
        await t.test('two', () => { throw new TypeError('first line\\nsecond line') })
      })
      test('well', () => undefined)
      test('a string', () => { throw 'text' })`,
    'packages/a/second.test.js': `
      import { before, suite, test } from 'node:test'
      suite('hooks', () => { before(() => { throw new Error('no hook') }); test('under', () => undefined) })`,
  })
  const first = 'packages/a/first.test.js'
  const second = 'packages/a/second.test.js'
  const blocks = text.split('\n\n').map((block) => block.trim())
  assert.match(
    blocks[0] ?? '',
    /^packages\/a\/first\.test\.js > outer > two\n {4}TypeError: first line\n {4}second line\n {6}at .*first\.test\.js:5:\d+/,
  )
  assert.deepEqual(blocks[1], `${first} > a string\n    text`)
  assert.deepEqual(
    blocks.slice(2).map((block) => block.split('\n')[0]),
    [`${second} > hooks > under`, `${second} > hooks`],
  )
  assert.match(blocks[3] ?? '', /Error: no hook\n/)
  assert.doesNotMatch(text, /well|subtest/)
})

test('failures: a file that cannot be loaded', async (t) => {
  const text = await failuresOf(t, { 'packages/a/broken.test.js': `throw new Error('cannot be loaded')` })
  assert.match(text, /^\npackages\/a\/broken\.test\.js\n {4}Error: cannot be loaded\n {6}at .*broken\.test\.js:1:7/)
})

test('failures: a process that a test ends has the names of the test and of its file', async (t) => {
  const text = await failuresOf(t, {
    'packages/a/exit.test.js': `
      import { test } from 'node:test'
      test('well', () => undefined)
      test('leaves', async (t) => { console.error('goodbye'); await t.test('at once', () => process.exit(3)) })`,
    'packages/a/late.test.js': `
      import { test } from 'node:test'
      test('late', () => { setTimeout(() => { throw new Error('too late') }) })
      test('waits', () => new Promise((resolve) => { process.once('uncaughtException', () => resolve()) }))`,
  })
  assert.match(text, /^\nprocess 000-packages-a\.test\.mjs ended with exit code 3/)
  assert.match(text, /\n {4}goodbye\n/)
  assert.match(text, /\n {4}this test has not ended: packages\/a\/exit\.test\.js > leaves > at once\n/)
  assert.match(text, /\nprocess 001-packages-a\.test\.mjs ended with exit code 1\n {4}.*Test "late".*too late/)
})

test('failures: a process that a signal ends', async (t) => {
  const text = await failuresOf(t, {
    'packages/a/kill.test.js': `
      import { test } from 'node:test'
      test('killed', () => { process.kill(process.pid, 'SIGKILL') })`,
  })
  assert.match(text, /^\nprocess 000-packages-a\.test\.mjs was ended by SIGKILL/)
})

test('failures: a test that hangs, and one that waits for nothing', async (t) => {
  const text = await failuresOf(
    t,
    {
      'packages/a/hang.test.js': `
        import { test } from 'node:test'
        test('hangs', () => new Promise(() => setInterval(() => undefined, 1_000)))`,
      'packages/a/wait.test.js': `import { test } from 'node:test'; test('waits', () => new Promise(() => undefined))`,
    },
    1_000,
  )
  assert.match(text, /\n {4}this test has not ended after 1 s: hangs\n/)
  assert.match(text, /packages\/a\/wait\.test\.js > waits\n/)
})
