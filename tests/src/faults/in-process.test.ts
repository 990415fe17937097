import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { temporaryDirectory } from '../support/server.js'

/** Two servers in one process, used over the network and without it, then closed; nothing keeps the process alive. */
const PROGRAM = `
import { startApiServer } from '@orrery/apiserver'
import { ConfigMap, Namespace } from '@orrery/kinds'
const [first, second] = await Promise.all(
  process.argv.slice(1).map((dataDirectory) => startApiServer({ dataDirectory })))
for (const [name, server] of Object.entries({ first, second })) {
  await server.client().create(ConfigMap, { metadata: { namespace: 'default', name } })
  for await (const event of server.client().watch(ConfigMap, { namespace: 'default' }))
    if (event.object.metadata.name === name) break
}
const stopped = []
const watching = (async () => { for await (const _ of second.client().watch(Namespace)); stopped.push('watch') })()
const names = async (server) => (await server.client().list(ConfigMap, { namespace: 'default' })).items.map((i) => i.metadata.name)
const both = [await names(first), await names(second)]
const same = await startApiServer({ dataDirectory: first.dataDirectory }).catch((error) => error.name)
await Promise.all([first.close(), second.close()])
await second.close()
await watching
console.log(JSON.stringify({ both, same, ports: first.port !== second.port, stopped }))
`

test('startApiServer: two servers share a process, and leave nothing running when they are closed', async (t) => {
  const directory = await temporaryDirectory(t)
  const run = promisify(execFile)
  const args = ['--input-type=module', '-e', PROGRAM, join(directory, 'one'), join(directory, 'two')]
  const { stdout, stderr } = await run(process.execPath, args, { cwd: import.meta.dirname, timeout: 20_000 })
  assert.equal(stderr, '')
  const { both, same, ports, stopped } = JSON.parse(stdout)
  assert.deepEqual(
    both[0].filter((name: string) => name !== 'kube-root-ca.crt'),
    ['first'],
  )
  assert.deepEqual(
    both[1].filter((name: string) => name !== 'kube-root-ca.crt'),
    ['second'],
  )
  assert.equal(same, 'StoreInUse')
  assert.equal(ports, true)
  assert.deepEqual(stopped, ['watch'])
})
