// Bundles the command line and everything it imports: half the time of a start is finding and linking modules. Parts that
// only some commands load, such as the API server, are files of their own: parsing them takes longer than most commands.
// The published package contains these files, and the licenses of the packages in them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const root = new URL('../', import.meta.url).pathname
const cli = join(root, 'packages/cli/')
const bundle = join(cli, 'bundle')
const LICENSES = 'third-party-licenses.txt'
/** Made by bundle-examples.mjs. */
const ADD_ONS = 'add-ons'

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [`${cli}dist/main.js`],
  outdir: bundle,
  entryNames: 'orrery',
  chunkNames: '[hash]',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  // Native code and WebAssembly are loaded from the installed packages. PGlite and the server share pg, of which not every
  // package has a license file.
  external: ['lmdb', '@electric-sql/pglite', 'pg'],
  // A CommonJS module that is imported on demand has no named exports in a bundle of several files: take the ES modules.
  alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
  // What is still CommonJS among the dependencies asks for Node's own modules by `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
})

/** The directories of other projects' packages that files of the bundle come from. */
function bundledPackages(inputs) {
  const directories = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(directories)].sort()
}

function licenseOf(directory) {
  const { name, version } = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'))
  const file = readdirSync(join(root, directory)).find((one) => /^licen[cs]e/i.test(one))
  if (file === undefined) throw new Error(`package "${name}" has no license file: the bundle must not contain it`)
  return `${name} ${version}\n\n${readFileSync(join(root, directory, file), 'utf8').trim()}\n`
}

const current = new Set([LICENSES, ADD_ONS, ...Object.keys(metafile.outputs).map((path) => basename(path))])
for (const file of readdirSync(bundle)) if (!current.has(file)) rmSync(join(bundle, file))

const licenses = bundledPackages(metafile.inputs).map(licenseOf)
const text = `The bundle contains code of these packages.\n\n${licenses.join(`\n${'-'.repeat(80)}\n\n`)}`
writeFileSync(join(bundle, LICENSES), text)
