// Removes what `npm run build` makes, also from sources that are gone: the `dist` of each project and the bundle of the
// command line.
import { readFileSync, rmSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { references } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8'))

for (const { path } of references) {
  // The tests of a package are a project of their own, with the same output directory.
  const directory = path.replace(/\/tsconfig\.test\.json$/, '')
  rmSync(new URL(`${directory}/dist`, root), { recursive: true, force: true })
}
rmSync(new URL('packages/cli/bundle', root), { recursive: true, force: true })
