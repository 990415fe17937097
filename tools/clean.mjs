// Removes what `npm run build` makes: all of it, also from sources that are gone, is in the `dist` of each project.
import { readFileSync, rmSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const { references } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8'))

for (const { path } of references) rmSync(new URL(`${path}/dist`, root), { recursive: true, force: true })
