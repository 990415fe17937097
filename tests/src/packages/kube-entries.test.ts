import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const kube = fileURLToPath(new URL('../../../packages/kube/', import.meta.url))

const { exports } = JSON.parse(readFileSync(join(kube, 'package.json'), 'utf8')) as { exports: Record<string, unknown> }
const entries = Object.keys(exports).filter((path) => path !== '.')

test('kube: the main entry has at most 40 names', () => {
  const source = readFileSync(join(kube, 'src/index.ts'), 'utf8')
  const lists = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].map(([, list = '']) => list)
  const names = lists.flatMap((list) => list.split(',').filter((name) => name.trim() !== ''))
  assert.ok(names.length > 20 && names.length <= 40, `${names.length} names`)
})

test('kube: every name of the main entry is in one other entry, or a value of kinds', async () => {
  const homes = new Map<unknown, string[]>()
  for (const entry of [...entries.map((path) => `@orrery/kube${path.slice(1)}`), '@orrery/kinds/values']) {
    for (const value of Object.values((await import(entry)) as object)) {
      homes.set(value, [...(homes.get(value) ?? []), entry])
    }
  }
  for (const [name, value] of Object.entries((await import('@orrery/kube')) as object)) {
    assert.equal(homes.get(value)?.length, 1, `${name} is in ${homes.get(value)?.join(', ') ?? 'no other entry'}`)
  }
})
