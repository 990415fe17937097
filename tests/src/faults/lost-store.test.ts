import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { addToFleetKubeconfig, fleetDirectory } from '@orrery/fleet'
import { eventually } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { Client } from '../support/client.js'
import { startServer } from '../support/server.js'

const COLLECTION = '/api/v1/namespaces/default/configmaps'

test('apiserver: is not ready and rejects writes if its data directory is removed, and does not start empty', async (t) => {
  const server = await startServer(t)
  const { dataDirectory } = server
  const client = new Client(server)
  t.after(() => client.close())
  await client.ok('POST', COLLECTION, { metadata: { name: 'kept' } })
  assert.match(String((await client.ok('GET', '/readyz?verbose')).message), /^\[\+\]store ok$/m)

  rmSync(join(dataDirectory, 'store'), { recursive: true })
  const ready = await client.send('GET', '/readyz')
  assert.equal(ready.status, 500)
  assert.match(
    String(ready.object.message),
    /^\[-\]store failed: .*data\.mdb was removed or replaced while the server was running$/m,
  )
  assert.equal((await client.send('GET', '/readyz/store')).status, 500)
  assert.equal((await client.send('GET', '/livez')).status, 200)
  const refused = await client.send('POST', COLLECTION, { metadata: { name: 'lost' } })
  assert.equal(refused.status, 500)
  assert.match(
    String(refused.object.message),
    /was removed or replaced.*restore the data directory or a backup with `orrery apiserver restore`/,
  )
  await client.ok('GET', `${COLLECTION}/kept`)
  await eventually('the log has it', () => /was removed or replaced.*"level":"error"/.test(server.log()))
  assert.equal(existsSync(join(dataDirectory, 'store')), false, 'no new store takes its place')
  await server.stop()

  const again = await orrery('apiserver', '--data', dataDirectory, '--port', '0')
  assert.equal(again.code, 1)
  assert.match(again.errors, /has lost its store.*`orrery apiserver restore --data .* FILE`.*--new-store/)
  assert.equal(existsSync(join(dataDirectory, 'store')), false)
  const empty = new Client(await startServer(t, { dataDirectory, arguments: ['--new-store'] }))
  t.after(() => empty.close())
  assert.equal((await empty.send('GET', `${COLLECTION}/kept`)).status, 404)
})

test('apiserver: does not start empty if the file of its store is missing', async (t) => {
  const server = await startServer(t)
  await server.stop()
  const file = join(server.dataDirectory, 'store', 'data.mdb')
  renameSync(file, `${file}.aside`)
  const { code, errors } = await orrery('apiserver', '--data', server.dataDirectory, '--port', '0')
  assert.equal(code, 1)
  assert.match(errors, /has lost its store/)
  renameSync(`${file}.aside`, file)
  await startServer(t, { dataDirectory: server.dataDirectory })
})

test('orrery hub: does not start empty if its data directory is missing', async (t) => {
  const server = await startServer(t)
  await server.stop()
  const fleet = server.dataDirectory
  // A fleet that has served: its kubeconfig names the hub.
  const kubeconfig = await readFile(server.kubeconfig, 'utf8')
  await addToFleetKubeconfig(fleetDirectory(fleet), kubeconfig.replaceAll('orrery', 'hub'))
  const { code, errors } = await orrery('hub', '--data', fleet, '--port', '0')
  assert.equal(code, 1)
  assert.match(errors, /hub has lost its store/)
})
