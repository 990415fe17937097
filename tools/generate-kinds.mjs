// Writes the types and constants of the built-in kinds into packages/kube/src/kinds, from the tables of the API server:
//   node tools/generate-kinds.mjs [output directory]
// Needs a build of packages/apiserver.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkNames, reachable } from './generate-kinds/model.mjs'
import { BANNER, broken, byName, renderModule } from './generate-kinds/render.mjs'

const [output = new URL('../packages/kube/src/kinds', import.meta.url).pathname] = process.argv.slice(2)
const SCALARS = ['Base64String', 'IntOrString', 'MicroTimeString', 'QuantityString', 'TimeString']

checkNames()
mkdirSync(output, { recursive: true })
for (const file of readdirSync(output)) if (file.endsWith('.generated.ts')) rmSync(join(output, file))

const exports = []
for (const table of reachable()) {
  const { text, exported } = renderModule(table)
  if (exported.length === 0) continue
  writeFileSync(join(output, `${table.key}.generated.ts`), text)
  const names = exported
    .sort((a, b) => byName(a.name, b.name))
    .map(({ name, isType }) => (isType ? `type ${name}` : name))
  const bare = names.map((name) => name.replace(/^type /, ''))
  const line = exported.every(({ isType }) => isType) ? ['export type { ', bare] : ['export { ', names]
  exports.push({ from: `./${table.key}.generated.js`, line: broken(...line, ` } from './${table.key}.generated.js'`) })
}
exports.push({ from: './scalars.js', line: broken('export type { ', SCALARS, " } from './scalars.js'") })
const lines = exports.sort((a, b) => (a.from < b.from ? -1 : 1)).map(({ line }) => line)
writeFileSync(join(output, 'index.ts'), `${[BANNER, ...lines].join('\n')}\n`)
