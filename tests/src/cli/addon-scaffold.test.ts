// Runs in a process of its own: it builds an add-on and runs it in a fleet.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { orrery } from '../support/cli.js'
import { fleetDirectory, running } from '../support/fleet.js'
import { afterwards } from '../support/server.js'

const NAME = 'node-report'

/** A new add-on in a directory from which it finds the packages of this repository. */
async function createAddOn(t: TestContext): Promise<string> {
  const parent = await mkdtemp(fileURLToPath(new URL('addon-', import.meta.url)))
  afterwards(t, () => rm(parent, { recursive: true, force: true }))
  const directory = join(parent, NAME)
  const { code, out, errors } = await orrery('addon', 'create', NAME, '--directory', directory)
  assert.equal(code, 0, errors)
  assert.match(out, /created .*src\/addon\.test\.ts\n(.*\n)*.*orrery addon dev\n$/)
  return directory
}

test('orrery addon create, orrery addon dev: a new add-on passes its test, runs, and is restarted after a change', async (t) => {
  const directory = await createAddOn(t)
  const { dependencies } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
  assert.match(dependencies['@orrery/addon'], /^file:.*packages\/addon$/)
  // A test runner inside of another one prints nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)('npm', ['test'], { cwd: directory, env })
  assert.match(stdout, /^# pass 1$/m)

  const data = await fleetDirectory(t)
  const dev = running('addon', 'dev', directory, '--data', data)
  await dev.says(/^cluster1 +node-report +True/m)
  await dev.says(/Save a file to restart the add-on/)
  const source = join(directory, 'src/report.ts')
  const text = await readFile(source, 'utf8')
  await writeFile(source, text.replaceAll("'NodesReady'", "'NodesHealthy'"))
  await dev.says(/restarted open-cluster-management-agent-addon\/node-report-agent-\S+ on cluster1/)
  await reported(data, 'NodesHealthy')

  await writeFile(source, `${text}}`)
  await dev.says(/the build failed: the add-on keeps running as before/)
  dev.process.kill('SIGINT')
  assert.equal(await dev.ended, 0)
})

/** Resolves when the add-on has reported a condition: the status of its ManagedClusterAddOn is followed. */
async function reported(data: string, type: string): Promise<void> {
  for (;;) {
    const { out } = await orrery('addon', 'reports', NAME, '--data', data, '-o', 'json')
    const { items } = JSON.parse(out) as { items: { strategy: string; name: string }[] }
    if (items.some(({ strategy, name }) => strategy === 'Condition' && name === type)) return
  }
}

test('orrery addon create: rejects names that are not valid and directories with files', async (t) => {
  const directory = await createAddOn(t)
  const again = await orrery('addon', 'create', NAME, '--directory', directory)
  assert.deepEqual(
    [again.code, again.errors],
    [1, `error: ${directory} is not empty: choose another directory with --directory\n`],
  )
  const bad = await orrery('addon', 'create', 'Node_Report', '--directory', join(directory, 'other'))
  assert.match(bad.errors, /^error: "Node_Report" is not a valid name of an add-on: /)
  const long = await orrery('addon', 'create', 'x'.repeat(51), '--directory', join(directory, 'other'))
  assert.match(long.errors, /^error: the name of an add-on can have up to 50 characters\n/)
})
