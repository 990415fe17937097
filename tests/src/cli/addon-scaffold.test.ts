// Runs in a process of its own: it builds an add-on and runs it in a fleet.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { orrery } from '../support/cli-here.js'
import { type Foreground, fleetDirectory, inTime, running } from '../support/fleet.js'
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
  assert.match(stdout, /^[#ℹ] pass 1$/m)

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
  await showsCrashes(dev, directory, data, () => writeFile(source, text))
  dev.process.kill('SIGINT')
  assert.equal(await dev.ended, 0)
})

/**
 * A controller and an agent that exit at once are shown with their cluster, their error and the command for more, until they are
 * repaired.
 */
async function showsCrashes(
  dev: Foreground,
  directory: string,
  data: string,
  repairBuild: () => Promise<void>,
): Promise<void> {
  const main = join(directory, 'src/main.ts')
  const text = await readFile(main, 'utf8')
  const fails = (which: string) => `throw new Error('the ${which} has no settings: set them')`
  const broken = text
    .replace(/controller: \(args\) =>\n/, `controller: (args) => { ${fails('controller')} },\n  unused: (args) =>\n`)
    .replace(/agent: \(args\) =>\n/, `agent: (args) => { ${fails('agent')} },\n  unusedToo: (args) =>\n`)
  await writeFile(main, broken)
  await repairBuild()
  const controller =
    /^hub\/node-report: the controller of the add-on \(Deployment open-cluster-management\/node-report-controller\) does not run: pod \S+: container \S+ is waiting: CrashLoopBackOff: exited with code 1.*: its log says: node-report: the controller has no settings: set them: read the logs with `kubectl --context hub -n open-cluster-management logs \S+ -c \S+ --previous`$/m
  const agent =
    /^cluster1\/node-report: manifest \d \(Deployment open-cluster-management-agent-addon\/node-report-agent\) Failed: .*CrashLoopBackOff: exited with code 1.*: its log says: node-report: the agent has no settings: set them: read the logs with `kubectl --context cluster1 /m
  await dev.says(controller)
  await dev.says(agent)
  const { code, errors } = await orrery('addon', 'status', NAME, '--data', data)
  assert.equal(code, 1)
  assert.match(errors, controller)
  assert.match(errors, agent)
  await writeFile(main, text)
  await dev.says(/^hub\/node-report: solved: Deployment open-cluster-management\/node-report-controller$/m)
  await dev.says(/^cluster1\/node-report: solved: Deployment open-cluster-management-agent-addon\/node-report-agent$/m)
}

/** Resolves when the add-on has reported a condition: the status of its ManagedClusterAddOn is followed. */
async function reported(data: string, type: string): Promise<void> {
  await inTime(`${type} is reported`, async () => {
    const { out } = await orrery('addon', 'reports', NAME, '--data', data, '-o', 'json')
    const { items } = JSON.parse(out) as { items: { strategy: string; name: string }[] }
    return items.some(({ strategy, name }) => strategy === 'Condition' && name === type)
  })
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
