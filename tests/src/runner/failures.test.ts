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
      import { after, test } from 'node:test'
      test('late', () => { setTimeout(() => { throw new Error('too late') }) })
      after(() => new Promise((resolve) => { process.once('uncaughtException', () => resolve()) }))`,
  })
  assert.match(text, /^\nprocess 000-packages-a\.test\.mjs ended with exit code 3/)
  assert.match(text, /\n {4}goodbye\n/)
  assert.match(text, /\n {4}this test has not ended: packages\/a\/exit\.test\.js > leaves > at once\n/)
  assert.match(text, /\nprocess 001-packages-a\.test\.mjs ended with exit code 1\n {4}.*too late/)
})

test('failures: an error that no test awaits fails the test that runs, and the tests after it run', async (t) => {
  const text = await failuresOf(t, {
    'packages/a/stray.test.js': `
      import { suite, test } from 'node:test'
      const never = () => new Promise(() => setInterval(() => undefined, 1_000).unref())
      suite('stray', () => {
        test('thrown', () => { setImmediate(() => { throw new Error('one') }); return never() })
        test('rejected', async (t) => {
          await t.test('part', () => { setImmediate(() => Promise.reject(new Error('two'))); return never() })
        })
      })
      test('after', () => { throw new Error('three') })`,
  })
  const blocks = text.trim().split('\n\n')
  assert.deepEqual(
    blocks.map((block) => block.split('\n').slice(0, 2)),
    [
      ['packages/a/stray.test.js > stray > thrown', '    Error: one'],
      [
        'packages/a/stray.test.js > stray > rejected > part',
        '    test did not finish before its parent and was cancelled',
      ],
      ['packages/a/stray.test.js > stray > rejected', '    Error: two'],
      ['packages/a/stray.test.js > after', '    Error: three'],
    ],
  )
})

test('failures: the place of an error in a compiled file is the place in its source', async (t) => {
  // The only segment maps column 38 of line 1 to line 42, column 9.
  const map = { version: 3, sources: ['../src/a.test.ts'], names: [], mappings: 'sCAyCQ' }
  const text = await failuresOf(t, {
    'packages/a/dist/a.test.js': `import { test } from 'node:test'; test('x', () => { throw new Error('no') })`,
    'packages/a/dist/a.test.js.map': JSON.stringify(map),
  })
  assert.match(text, /\n {4}Error: no\n {6}at .*\/packages\/a\/src\/a\.test\.ts:42:9\)/)
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
