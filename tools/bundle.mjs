// Makes one file of the command line and everything it imports: half the time of a start is finding and linking modules.
// The published package contains this file, and the licenses of the packages in it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = new URL('../', import.meta.url).pathname
const cli = join(root, 'packages/cli/')

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [`${cli}dist/main.js`],
  outfile: `${cli}dist/orrery.mjs`,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  // Native code is loaded from where npm put it.
  external: ['lmdb'],
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

const licenses = bundledPackages(metafile.inputs).map(licenseOf)
const text = `orrery.mjs contains code of these packages.\n\n${licenses.join(`\n${'-'.repeat(80)}\n\n`)}`
const target = `${cli}dist/third-party-licenses.txt`
if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text)
