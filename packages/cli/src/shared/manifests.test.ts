import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseManifests, readManifests } from './manifests.js'

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: NAME, namespace: a }\n'
const map = (name: string) => MAP.replace('NAME', name)

test('parseManifests: reads several documents, Lists and empty documents', async () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- ${map('c').trimEnd().replaceAll('\n', '\n  ')}\n`
  const objects = await parseManifests(`---\n${map('a')}---\n---\n${map('b')}---\n${list}`, 'f.yaml')
  assert.deepEqual(
    objects.map(({ metadata }) => metadata.name),
    ['a', 'b', 'c'],
  )
  assert.deepEqual(await parseManifests('', 'f.yaml'), [])
  assert.deepEqual(await parseManifests('# nothing\n', 'f.yaml'), [])
})

test('parseManifests: reads YAML 1.1 booleans as kubectl does', async () => {
  const [object] = await parseManifests(`${map('a')}on: yes\ntext: "yes"\n`, 'f.yaml')
  assert.equal(object?.text, 'yes')
  assert.equal(object?.true, true)
})

const VALUES: readonly [string, unknown][] = [
  ['22:22', '22:22'],
  ['12:30:45', '12:30:45'],
  ['190:20:30.15', '190:20:30.15'],
  ['2001-01-01', '2001-01-01'],
  ['2001-12-14t21:59:43.10-05:00', '2001-12-14t21:59:43.10-05:00'],
  ['0644', 420],
  ['0o644', 420],
  ['-0o17', -15],
  ['0x1F', 31],
  ['1e3', 1000],
  ['1_000', 1000],
  ['y', true],
  ['off', false],
  ['~', null],
]

for (const [written, value] of VALUES) {
  test(`parseManifests: reads a value as kubectl does: ${written}`, async () => {
    const [object] = await parseManifests(`${map('a')}value: ${written}\n`, 'f.yaml')
    assert.equal(object?.value, value)
  })
}

const WRONG: readonly [string, RegExp][] = [
  ['a: [', /^f\.yaml: .*/],
  ['a: 1\na: 2\n', /^f\.yaml: Map keys must be unique/],
  ['- 1\n', /^f\.yaml: not a Kubernetes object/],
  ['a: .nan\n', /^f\.yaml: \.nan is not a valid number in a Kubernetes object.* at line 1/],
  ['a: !!binary aGVsbG8=\n', /^f\.yaml: Unresolved tag: .*binary at line 1/],
  ['kind: ConfigMap\nmetadata: { name: a }\n', /^f\.yaml: object without apiVersion: not a Kubernetes manifest$/],
  ['apiVersion: v1\nkind: Pod\nmetadata: { generateName: a- }\n', /^f\.yaml: Pod without metadata\.name/],
]

for (const [text, says] of WRONG) {
  test(`parseManifests: reports invalid objects with the file name: ${JSON.stringify(text)}`, async () => {
    await assert.rejects(parseManifests(text, 'f.yaml'), { message: says })
  })
}

test('parseManifests: rejects deep nesting and excessive aliases', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  await assert.rejects(parseManifests(`${map('a')}data: ${deep}\n`, 'f.yaml'), /^Error: f\.yaml: nested too deeply$/)
  const levels = [...'bcdefghij'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`)}]\n`)
  await assert.rejects(
    parseManifests(`a: &a [x, x]\n${levels.join('')}`, 'f.yaml'),
    /^Error: f\.yaml: too many aliases/,
  )
})

test('readManifests: reads files and directories in order and rejects duplicate objects', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-manifests-'))
  t.after(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'b.yaml'), map('b'))
  await writeFile(join(directory, 'a.json'), JSON.stringify((await parseManifests(map('a'), ''))[0]))
  await writeFile(join(directory, 'notes.txt'), 'not: read')
  const names = (await readManifests([directory])).map(({ metadata }) => metadata.name)
  assert.deepEqual(names, ['a', 'b'])
  await assert.rejects(
    readManifests([directory, join(directory, 'b.yaml')]),
    /duplicate ConfigMap b, also in .*b\.yaml/,
  )
  await assert.rejects(readManifests([join(directory, 'notes.txt')]), /without apiVersion and kind: not a/)
  await assert.rejects(readManifests([join(directory, 'gone.yaml')]), { code: 'ENOENT' })
})
