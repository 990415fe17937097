// Runs compiled tests with Node's own runner:
// `node tools/run-tests.mjs [--peers | --cluster | --interop | --release] [--times] [part of a path …]`.
// Tests that need real clients (kubectl, Go, Python) are named *.peer.test.js and run only with --peers; tests for any
// cluster are named *.cluster.test.js and run only with --cluster, on the one that the kubeconfig names; tests with the
// components of Open Cluster Management are named *.interop.test.js and run only with --interop; tests of the packages as
// they would be published are named *.release.test.js and run only with --release, at the end of `npm run release:dry`.
// Tests named *.long.test.js run twice: short without a kind, and at their full length with --peers.
// --times prints the duration and the CPU time of the files and tests that take longest. The last lines name what failed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { emptyDatabase } from './tests/database.mjs'
import { engineOptions } from './tests/engine.mjs'
import { groupsOf, writeGroups } from './tests/groups.mjs'
import { temporaryRoot } from './tests/temporary.mjs'
import { formatTimes, readTimes } from './tests/times.mjs'

/** A test that takes longer, also on a busy machine, hangs: it fails with its name instead of blocking all others. */
const LONGEST_TEST_MS = 600_000
/** A process can also hang before or after its tests. */
const LONGEST_PROCESS_MS = 1_800_000

const root = new URL('..', import.meta.url).pathname
const KINDS = { '--peers': 'peer', '--cluster': 'cluster', '--interop': 'interop', '--release': 'release' }
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
const wanted = KINDS[flags.find((flag) => flag in KINDS)]
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

function testFiles(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((item) => {
    const path = join(directory, item.name)
    if (item.isDirectory()) return testFiles(path)
    return item.name.endsWith('.test.js') ? [path] : []
  })
}

function isWanted(kind) {
  return kind === wanted || (kind === 'long' && (wanted === undefined || wanted === 'peer'))
}

const below = (directory) =>
  existsSync(join(root, directory)) ? readdirSync(join(root, directory)).map((name) => join(directory, name)) : []
const files = [...below('packages'), ...below('examples'), 'tests']
  .map((name) => join(root, name, 'dist'))
  .filter(existsSync)
  .flatMap(testFiles)
  .map((path) => relative(root, path))
  .filter((path) => isWanted(/\.(peer|cluster|interop|release|long)\.test\.js$/.exec(path)?.[1]))
  .filter((path) => only.length === 0 || only.some((part) => path.includes(part)))
  .sort()

if (files.length === 0) {
  console.error('no test files found: run `npm run build` first')
  process.exit(1)
}

const directory = mkdtempSync(join(temporaryRoot(), 'orrery-tests-'))
// As for /tmp: some tests run programs as another user.
chmodSync(directory, 0o1777)
const timesFile = join(directory, 'times')
const failuresFile = join(directory, 'failures')
const hasDatabase = files.some((path) => /maestro|hyperfleet/.test(path))
const isTimed = flags.includes('--times')
// Many tests wait for processes that they start: four groups of files keep two cores busy. The components of others take
// more of the machine, and files that share a cluster see each other's kinds come and go.
const concurrency = { cluster: 1, peer: 2, interop: 2 }[wanted] ?? 4
const runner = ['--test', `--test-concurrency=${concurrency}`, `--test-timeout=${LONGEST_PROCESS_MS}`]
const reporters = [
  `--test-reporter=${process.stdout.isTTY ? 'spec' : 'tap'}`,
  '--test-reporter-destination=stdout',
  `--test-reporter=${new URL('tests/failures.mjs', import.meta.url).href}`,
  `--test-reporter-destination=${failuresFile}`,
]
const options = [...engineOptions(), ...runner, ...reporters]
const limit = ['--import', new URL('tests/limit.mjs', import.meta.url).href]
const started = performance.now()
const run = spawn(process.execPath, [...options, ...limit, ...writeGroups(directory, root, groupsOf(root, files))], {
  cwd: root,
  env: {
    ...process.env,
    TMPDIR: directory,
    ORRERY_TEST_LIMIT_MS: String(LONGEST_TEST_MS),
    ...(wanted === 'peer' && { ORRERY_LONG_TESTS: '1' }),
    ...(hasDatabase && { ORRERY_TEST_DATABASE: await emptyDatabase(root) }),
    ...(isTimed && { ORRERY_TEST_TIMES: timesFile }),
  },
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal))
const [code] = await once(run, 'close')
if (isTimed) console.log(formatTimes(readTimes(timesFile), (performance.now() - started) / 1_000))
const failures = existsSync(failuresFile) ? readFileSync(failuresFile, 'utf8') : ''
if (failures !== '') console.log(`\nwhat failed:\n${failures}`)
rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
process.exit(code ?? 1)
