// Makes one file of the command line and everything it imports: half the time of a start is finding and linking modules.
import { build } from 'esbuild'

const cli = new URL('../packages/cli/', import.meta.url).pathname

await build({
  entryPoints: [`${cli}dist/main.js`],
  outfile: `${cli}dist/orrery.mjs`,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // Native code is loaded from where npm put it.
  external: ['lmdb'],
  // What is still CommonJS among the dependencies asks for Node's own modules by `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  logLevel: 'warning',
})
