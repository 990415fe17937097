import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { groupsOf, runNode, runnerModule, writeFiles, writeGroups } from './processes.js'

/** Runs files in one process, whose tests may take as long. */
async function runTogether(t: TestContext, files: Readonly<Record<string, string>>, limitMs = 60_000) {
  const root = await writeFiles(t, files)
  const limit = ['--import', runnerModule('limit')]
  const settings = { ORRERY_TEST_LIMIT_MS: String(limitMs) }
  return await runNode(['--test-reporter=tap', ...limit, ...writeGroups(root, root, [Object.keys(files)])], settings)
}

const names = (count: number, directory: string) =>
  Array.from({ length: count }, (_, index) => `${directory}/${String(index).padStart(3, '0')}.test.js`)

test('groupsOf: every file is in one group, of its package or of small ones, those in tests first, the longest first', async (t) => {
  const packages = [...names(100, 'packages/a/dist'), ...names(3, 'packages/b/dist/c'), ...names(2, 'packages/e/dist')]
  const files = [
    ...packages,
    ...names(22, 'tests/dist/d'),
    ...names(2, 'tests/dist/e'),
    ...names(4, 'tests/dist/maestro'),
  ]
  const alone = ['packages/a/dist/050.test.js', 'tests/dist/d/003.test.js']
  const text = (file: string) => (alone.includes(file) ? '// Runs in a process of its own: it measures memory\n' : '')
  const root = await writeFiles(t, Object.fromEntries(files.map((file) => [file, text(file)])))
  const groups = groupsOf(root, files)
  assert.deepEqual(groups.flat().sort(), files)
  for (const file of alone)
    assert.ok(
      groups.some((group) => group.length === 1 && group[0] === file),
      file,
    )
  const large = groups.filter((group) => group.some((file) => /^packages\/a\/|^tests\/dist\/d\//.test(file)))
  const areas = large.map((group) => new Set(group.map((file) => file.split('/').slice(0, 3).join('/'))))
  assert.ok(areas.every((area) => area.size === 1))
  assert.deepEqual(
    groups.map((group) => group[0]?.startsWith('tests/')),
    groups.map((_, index) => index < groups.filter(([first]) => first?.startsWith('tests/')).length),
  )
  assert.deepEqual(
    groups.map(({ length }) => length),
    [4, 21, 2, 1, 50, 49, 5, 1],
  )
})

test('runTogether: a hook at the top of a file is for the tests of that file, and each test has its file', async (t) => {
  const { code, text } = await runTogether(t, {
    'packages/a/first.test.js': `
      import { beforeEach, after, test } from 'node:test'
      beforeEach(({ name }) => console.log('before ' + name))
      after(() => console.log('after first'))
      test('one', () => undefined)`,
    'packages/a/second.test.js': `
      import { test } from 'node:test'
      console.log('second is loaded')
      test('two', () => undefined)`,
  })
  assert.equal(code, 0, text)
  assert.match(text, /before one\n/)
  assert.doesNotMatch(text, /before two/)
  assert.ok(text.indexOf('after first') < text.indexOf('second is loaded'), text)
  assert.match(text, /# Subtest: packages\/a\/first\.test\.js\n {4}# Subtest: one\n/)
  assert.match(text, /# Subtest: packages\/a\/second\.test\.js\n {4}# Subtest: two\n/)
})

test('runTogether: a file that fails fails the process, and the files after it run', async (t) => {
  const { code, text } = await runTogether(t, {
    'packages/a/broken.test.js': `throw new Error('cannot be loaded')`,
    'packages/a/failing.test.js': `
      import { test } from 'node:test'
      test('late', () => { setTimeout(() => { throw new Error('too late') }); return new Promise(() => undefined) })`,
    'packages/a/passing.test.js': `import { test } from 'node:test'; test('well', () => undefined)`,
  })
  assert.equal(code, 1)
  assert.match(text, /not ok 1 - packages\/a\/broken\.test\.js[^#]*cannot be loaded/)
  assert.match(text, /not ok 1 - late[^#]*too late/)
  assert.match(text, /ok 1 - well/)
})

test('runTogether: a test that waits for nothing fails the process, which names the files that did not run', async (t) => {
  const files = {
    'packages/a/waiting.test.js': `import { test } from 'node:test'; test('w', () => new Promise(() => undefined))`,
    'packages/a/after.test.js': `import { test } from 'node:test'; test('x', () => undefined)`,
  }
  // Node 20 cancels such a test at once; Node 24 waits, and the limit ends it.
  const { code, text } = await runTogether(t, files, 1_000)
  assert.notEqual(code, 0)
  assert.match(text, /these files have not ended:\npackages\/a\/waiting\.test\.js\npackages\/a\/after\.test\.js\n/)
})
