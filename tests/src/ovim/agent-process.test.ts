import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Zone } from '@orrery/ovim'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { AgentWorld, WORKLOAD, ZONE } from './agent-world.js'

const CLI = new URL('../../../packages/cli/bin/orrery.js', import.meta.url).pathname

function start(t: TestContext, environment: Record<string, string>, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment }
  const child = spawn(process.execPath, [CLI, 'ovim', 'agent', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { out: '', log: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.log += text))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  afterwards(t, async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await exited
  })
  return { child, output, exited }
}

test('orrery ovim agent: runs with only the environment variables, executes operations, and stops on SIGTERM', async (t) => {
  const world = await AgentWorld.start(t, { listens: true })
  const kubeconfig = join(await temporaryDirectory(t), 'kubeconfig')
  await writeFile(kubeconfig, await world.spoke.kubeconfig('cluster'))
  await world.ovim.organization('acme')
  await world.ovim.template()
  const { child, output, exited } = start(t, { ...world.environment(), KUBECONFIG: kubeconfig })
  const zone = await world.whenOnHub(Zone, { name: ZONE }, ({ status }) => status?.agent?.status === 'healthy')
  assert.equal(zone.status?.agent?.id, 'agent-1')
  assert.match(zone.status?.agent?.version ?? '', /^\d+\.\d+\.\d+/)
  assert.match(output.out, /^agent agent-1 of cluster east works for https:\/\/127.0.0.1:\d+, local API on port \d+\n$/)
  assert.equal((await world.run('VDCCreate', { vdc_name: 'dev', organization: 'acme' })).phase, 'Completed')
  const created = await world.run('VMCreate', { namespace: WORKLOAD, name: 'web', template_name: 'small' })
  assert.equal(created.phase, 'Completed', created.error)
  await world.machineIs('web', 'Running')
  child.kill('SIGTERM')
  assert.equal(await exited, 0, output.log)
  assert.ok(!output.log.includes(world.environment().OVIM_HUB_TOKEN ?? ''))
  await world.whenOnHub(Zone, { name: ZONE }, ({ status }) => status?.agent?.status === 'unavailable')
})

test('orrery ovim agent: without its settings it names all of them and ends with 1', async (t) => {
  const { output, exited } = start(t, { OVIM_HEALTH_CHECK_INTERVAL: 'often' })
  assert.equal(await exited, 1)
  for (const name of ['OVIM_CLUSTER_ID', 'OVIM_HUB_ENDPOINT', 'OVIM_HUB_TOKEN', 'OVIM_HEALTH_CHECK_INTERVAL']) {
    assert.ok(output.log.includes(`${name}:`), output.log)
  }
})
