import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { addOnConverters, ClusterManagementAddOn } from '@orrery/api'
import { ClusterRole, Namespace, Secret } from '@orrery/kinds'
import { requestToken } from '@orrery/kube/credentials'
import { running } from '../support/fleet.js'
import { startPreparedServer } from '../support/prepared-server.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { RestClient } from './rest.js'

test('orrery ovim hub: installs OVIM on a hub, serves its APIs, offers the add-on, and stops on SIGTERM', async (t) => {
  const server = await startPreparedServer('hub', { converters: addOnConverters })
  afterwards(t, () => server.close())
  const client = server.client()
  const kubeconfig = join(await temporaryDirectory(t), 'kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfig('hub'))
  const program = running(
    ...['ovim', 'hub', '--kubeconfig', kubeconfig, '--bind-address', '127.0.0.1', '--port', '0'],
    ...['--endpoint', 'https://ovim.example.com', '--no-leader-elect'],
  )
  afterwards(t, () => void program.process.kill('SIGKILL'))
  await program.says(/Stop it with Ctrl-C/)
  const [, port = ''] = /ready on 127\.0\.0\.1:(\d+)\./.exec(program.text()) ?? []
  const { data = {} } = await client.get(Secret, { namespace: 'ovim-system', name: 'ovim-hub-serving' })
  const ca = Buffer.from(data['ca.crt'] ?? '', 'base64').toString()
  const token = await requestToken(client, { namespace: 'default', name: 'default' })
  const anybody = new RestClient(`https://localhost:${port}`, { ca }, { authorization: `Bearer ${token}` })
  afterwards(t, () => anybody.close())
  assert.deepEqual(await anybody.ok('GET', '/health'), { status: 'healthy', problems: [] })
  assert.deepEqual(await anybody.ok('GET', '/api/v1/vms'), { vms: [], total: 0 })
  const addOn = await client.get(ClusterManagementAddOn, { name: 'ovim' })
  assert.equal(addOn.spec?.installStrategy?.type, 'Manual')
  assert.ok(await client.find(ClusterRole, { name: 'ovim:org-user' }))
  assert.ok(await client.find(Namespace, { name: 'ovim-system' }))
  program.process.kill('SIGTERM')
  assert.equal(await program.ended, 0, program.text())
})
