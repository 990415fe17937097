// Runs compiled tests with Node's own runner: `node tools/run-tests.mjs [--peers | --cluster | --interop] [part of a path …]`.
// Tests that need real clients (kubectl, Go, Python) are named *.peer.test.js and run only with --peers; tests for any
// cluster are named *.cluster.test.js and run only with --cluster, on the one that the kubeconfig names; tests with the
// components of Open Cluster Management are named *.interop.test.js and run only with --interop.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

const root = new URL('..', import.meta.url).pathname
const wanted = { '--peers': 'peer', '--cluster': 'cluster', '--interop': 'interop' }[
  process.argv.find((one) => one.startsWith('--'))
]
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

function testFiles(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((item) => {
    const path = join(directory, item.name)
    if (item.isDirectory()) return testFiles(path)
    return item.name.endsWith('.test.js') ? [path] : []
  })
}

const files = [...readdirSync(join(root, 'packages')).map((name) => join('packages', name)), 'tests']
  .map((name) => join(root, name, 'dist'))
  .filter(existsSync)
  .flatMap(testFiles)
  .map((path) => relative(root, path))
  .filter((path) => /\.(peer|cluster|interop)\.test\.js$/.exec(path)?.[1] === wanted)
  .filter((path) => only.length === 0 || only.some((part) => path.includes(part)))
  .sort()

if (files.length === 0) {
  console.error('no test files found: run `npm run build` first')
  process.exit(1)
}
const run = spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-concurrency=2', ...files], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
