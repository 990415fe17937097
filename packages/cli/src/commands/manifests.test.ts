import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseManifests, readManifests } from './manifests.js'

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: NAME, namespace: a }\n'
const map = (name: string) => MAP.replace('NAME', name)

test('a text may hold several objects, lists of them, and nothing between two marks', async () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- ${map('c').trimEnd().replaceAll('\n', '\n  ')}\n`
  const objects = await parseManifests(`---\n${map('a')}---\n---\n${map('b')}---\n${list}`, 'f.yaml')
  assert.deepEqual(
    objects.map(({ metadata }) => metadata.name),
    ['a', 'b', 'c'],
  )
  assert.deepEqual(await parseManifests('', 'f.yaml'), [])
  assert.deepEqual(await parseManifests('# nothing\n', 'f.yaml'), [])
})

test('values are what kubectl takes them for', async () => {
  const [object] = await parseManifests(`${map('a')}on: yes\nlong: 0o17\ntext: "yes"\n`, 'f.yaml')
  assert.equal(object?.text, 'yes')
  assert.equal(object?.true, true)
})

const WRONG: readonly [string, RegExp][] = [
  ['a: [', /^f\.yaml: .*/],
  ['a: 1\na: 2\n', /^f\.yaml: Map keys must be unique/],
  ['- 1\n', /^f\.yaml: an object is expected/],
  ['kind: ConfigMap\nmetadata: { name: a }\n', /^f\.yaml: an object lacks apiVersion or kind/],
  ['apiVersion: v1\nkind: Pod\nmetadata: { generateName: a- }\n', /^f\.yaml: a Pod lacks metadata\.name/],
]

for (const [text, says] of WRONG) {
  test(`what is wrong is told, with the file: ${JSON.stringify(text)}`, async () => {
    await assert.rejects(parseManifests(text, 'f.yaml'), { message: says })
  })
}

test('files and directories are read in their order, and no object twice', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-manifests-'))
  t.after(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'b.yaml'), map('b'))
  await writeFile(join(directory, 'a.json'), JSON.stringify((await parseManifests(map('a'), ''))[0]))
  await writeFile(join(directory, 'notes.txt'), 'not: read')
  const names = (await readManifests([directory])).map(({ metadata }) => metadata.name)
  assert.deepEqual(names, ['a', 'b'])
  await assert.rejects(readManifests([directory, join(directory, 'b.yaml')]), /ConfigMap b is in .*b\.yaml already/)
  await assert.rejects(readManifests([join(directory, 'notes.txt')]), /lacks apiVersion or kind/)
  await assert.rejects(readManifests([join(directory, 'gone.yaml')]), { code: 'ENOENT' })
})
