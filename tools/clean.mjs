// Removes what `npm run build` makes, also from sources that are gone: the `dist` and the `bundle` of each
// project.
import { readFileSync, rmSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { references } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8'))

for (const { path } of references) {
  // The tests of a package are a project of their own, with the same output directory.
  const directory = path.replace(/\/tsconfig\.test\.json$/, '')
  for (const output of ['dist', 'bundle'])
    rmSync(new URL(`${directory}/${output}`, root), { recursive: true, force: true })
}
