// Bundles each example program and everything it imports into one file, `bundle/<name>.mjs`: it runs where the packages are not
// installed, such as in a container, or as a program of an embedded cluster, which sees only its own files. Copies of the
// add-ons are published with the command line, for `orrery up --addon <name>`.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = new URL('../', import.meta.url).pathname
const examples = join(root, 'examples')
const included = join(root, 'packages/cli/bundle/add-ons')
const programs = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'dist/main.js')))

rmSync(included, { recursive: true, force: true })
for (const name of programs) {
  const directory = join(examples, name)
  await build({
    absWorkingDir: root,
    entryPoints: [join(directory, 'dist/main.js')],
    outfile: join(directory, 'bundle', `${name}.mjs`),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // As for the command line: see bundle.mjs.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  })
  if (!existsSync(join(directory, 'addon.json'))) continue
  for (const part of ['addon.json', 'deploy', 'bundle']) {
    cpSync(join(directory, part), join(included, name, part), { recursive: true })
  }
}
