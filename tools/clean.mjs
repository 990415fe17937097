// Removes what `npm run build` makes: all of it, also from sources that are gone, is in the `dist` of each project.
import { readFileSync, rmSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { references } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8'))

for (const { path } of references) {
  // The tests of a package are a project of their own, with the same output directory.
  const directory = path.replace(/\/tsconfig\.test\.json$/, '')
  rmSync(new URL(`${directory}/dist`, root), { recursive: true, force: true })
}
