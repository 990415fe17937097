import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { fleetDirectory, statusOf } from '@orrery/fleet'
import { eventually } from '@orrery/kube/testing'
import { startNode } from '@orrery/node'
import { ISOLATION_CONDITION } from '@orrery/node/conditions'
import { afterwards, temporaryDirectory } from '../support/server.js'

test('statusOf: reports why the node of a part does not isolate programs', async (t) => {
  const server = await startApiServer({ host: '127.0.0.1' })
  afterwards(t, () => server.close())
  const directory = fleetDirectory(await temporaryDirectory(t))
  const client = server.client()
  const node = { client, directory: await temporaryDirectory(t), name: 'a-node', workloads: false }
  const { stop } = await startNode({ ...node, isolation: 'off' })
  afterwards(t, stop)
  await writeFile(directory.kubeconfig, await server.kubeconfig('cluster1'))
  await writeFile(
    directory.plan,
    JSON.stringify({ parts: [{ name: 'cluster1', port: Number(new URL(server.url).port) }] }),
  )
  let unisolated: string | undefined
  await eventually(`the status has what ${ISOLATION_CONDITION} says`, async () => {
    unisolated = (await statusOf(directory))?.parts[0]?.unisolated
    return unisolated !== undefined
  })
  assert.equal(unisolated, 'programs run as ordinary processes of this machine: isolation is disabled')
})
