import assert from 'node:assert/strict'
import { watch } from 'node:fs/promises'
import test from 'node:test'
import { isRunning, markOf, type ProcessMark } from '@orrery/kube/process'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory, statusOf, up } from '../support/fleet.js'

/** The processes of all parts, to check later that they ended. */
async function processesOf(directory: string): Promise<readonly ProcessMark[]> {
  const { parts } = await statusOf(directory)
  return parts.map(({ pid }) => markOf(pid!))
}

test('orrery up: stops all processes of a fleet, however it ends', async (t) => {
  const directory = await fleetDirectory(t)
  const start = async () => {
    const fleet = up('--data', directory, '--clusters', '1')
    await fleet.says(/The fleet is running/)
    return { fleet, processes: await processesOf(directory) }
  }

  await t.test('processes of a killed supervisor stop, and the next start waits for them', async () => {
    const { fleet, processes } = await start()
    fleet.process.kill('SIGKILL')
    await fleet.ended
    const again = await orrery('up', '--data', directory, '--detach')
    assert.equal(again.code, 0, again.errors)
    assert.deepEqual(processes.map(isRunning), [false, false])
    assert.equal((await statusOf(directory)).isHealthy, true)
    await orrery('down', '--data', directory)
  })

  await t.test('Ctrl-C stops the clusters, then the hub, with exit code 0', async () => {
    const { fleet, processes } = await start()
    fleet.process.kill('SIGINT')
    assert.equal(await fleet.ended, 0)
    assert.match(fleet.text(), /stopping; press Ctrl-C again.*cluster1 .*stopped.*hub .*stopping.*hub .*stopped/s)
    assert.deepEqual(processes.map(isRunning), [false, false])
  })

  await t.test('a second Ctrl-C kills processes that hang', async () => {
    const {
      fleet,
      processes: [, hanging],
    } = await start()
    process.kill(hanging!.pid, 'SIGSTOP')
    fleet.process.kill('SIGINT')
    await fleet.says(/stopping/)
    fleet.process.kill('SIGINT')
    assert.equal(await fleet.ended, 0)
    assert.equal(isRunning(hanging!), false)
  })

  await t.test('Ctrl-C during the start stops all processes with exit code 0', async () => {
    const fleet = up('--data', directory, '--clusters', '1')
    await fleet.says(/starting/)
    fleet.process.kill('SIGINT')
    assert.equal(await fleet.ended, 0)
    assert.equal((await statusOf(directory)).supervisor, undefined)
  })
})

test('orrery down: stops a fleet that is starting in the background', async (t) => {
  const directory = await fleetDirectory(t)
  const changes = watch(directory)
  const fleet = up('--data', directory, '--clusters', '1', '--detach')
  for await (const { filename } of changes) if (filename?.startsWith('starter-')) break
  const { code, out } = await orrery('down', '--data', directory)
  assert.deepEqual([code, out], [0, `stopped the fleet in ${directory}\n`])
  assert.equal(await fleet.ended, 1)
  assert.match(fleet.text(), /the fleet stopped before it was available/)
  assert.equal((await orrery('down', '--data', directory)).out, `the fleet in ${directory} is not running\n`)
})
