// Runs compiled tests with Node's own runner: `node tools/run-tests.mjs [--peers | --cluster | --interop] [part of a path …]`.
// Tests that need real clients (kubectl, Go, Python) are named *.peer.test.js and run only with --peers; tests for any
// cluster are named *.cluster.test.js and run only with --cluster, on the one that the kubeconfig names; tests with the
// components of Open Cluster Management are named *.interop.test.js and run only with --interop.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** A test that takes longer never ends: it fails by its name instead of keeping all others waiting. */
const LONGEST_TEST_MS = 120_000
/** With the components of others, which take their time. */
const LONGEST_TEST_WITH_OTHERS_MS = 600_000
/** A file whose tests are over, or have not begun, may hang as well. */
const LONGEST_FILE_MS = 1_800_000

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
const options = ['--enable-source-maps', '--test', '--test-concurrency=2', `--test-timeout=${LONGEST_FILE_MS}`]
const limit = ['--import', new URL('test-limit.mjs', import.meta.url).href]
const run = spawnSync(process.execPath, [...options, ...limit, ...files], {
  cwd: root,
  env: {
    ...process.env,
    ORRERY_TEST_LIMIT_MS: String(wanted === undefined ? LONGEST_TEST_MS : LONGEST_TEST_WITH_OTHERS_MS),
  },
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
