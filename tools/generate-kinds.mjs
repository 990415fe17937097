// Writes the types and constants of the built-in kinds into packages/kinds/src, from the tables there:
//   node tools/generate-kinds.mjs [output directory]
// Needs a build of packages/kinds.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkNames, reachable } from './generate-kinds/model.mjs'
import { BANNER, broken, byName, renderModule } from './generate-kinds/render.mjs'

const [output = new URL('../packages/kinds/src', import.meta.url).pathname] = process.argv.slice(2)
const modules = join(output, 'kinds')

/** Types written by hand, exported beside the kinds. */
const BY_HAND = {
  './kind.js': [
    'ApiObject',
    'Draft',
    'DraftOf',
    'Kind',
    'Mutable',
    'NamespacedMeta',
    'NamespacedObject',
    'ObjectOf',
    'ObjectRef',
    'ResourceType',
    'StoredMeta',
  ],
  './kinds/scalars.js': ['Base64String', 'IntOrString', 'MicroTimeString', 'QuantityString', 'TimeString'],
  './object.js': [
    'GroupVersionKind',
    'JsonObject',
    'JsonValue',
    'KubeObject',
    'ManagedFieldsEntry',
    'ObjectMeta',
    'OwnerReference',
  ],
}

checkNames()
mkdirSync(modules, { recursive: true })
for (const file of readdirSync(modules)) if (file.endsWith('.generated.ts')) rmSync(join(modules, file))

const exports = Object.entries(BY_HAND).map(([from, names]) => ({ from, line: typesFrom(from, names) }))
for (const table of reachable()) {
  const { text, exported } = renderModule(table)
  if (exported.length === 0) continue
  writeFileSync(join(modules, `${table.key}.generated.ts`), text)
  const from = `./kinds/${table.key}.generated.js`
  const sorted = exported.sort((a, b) => byName(a.name, b.name))
  const names = sorted.map(({ name, isType }) => (isType ? `type ${name}` : name))
  const line = sorted.every(({ isType }) => isType)
    ? typesFrom(
        from,
        sorted.map(({ name }) => name),
      )
    : broken('export { ', names, ` } from '${from}'`)
  exports.push({ from, line })
}
const lines = exports.sort((a, b) => (a.from < b.from ? -1 : 1)).map(({ line }) => line)
writeFileSync(join(output, 'index.ts'), `${[BANNER, ...lines].join('\n')}\n`)

function typesFrom(from, names) {
  return broken('export type { ', names, ` } from '${from}'`)
}
