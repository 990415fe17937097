import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { Client } from '../support/client.js'
import { ResumingWatch } from '../support/resuming-watch.js'
import { afterwards, startServer, temporaryDirectory } from '../support/server.js'
import { http1Streams } from '../support/streams.js'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
const PAYLOAD = 'x'.repeat(30_000)

function mountSmall(t: TestContext, directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return false
  }
  afterwards(t, () => void execFileSync('umount', ['--lazy', directory]))
  return true
}

/** Fills the disk to the last byte; returns the files. */
function fillDisk(disk: string): string[] {
  const files: string[] = []
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    try {
      for (;;) {
        files.push(join(disk, `rest-${files.length}`))
        writeFileSync(String(files.at(-1)), Buffer.alloc(size))
      }
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
  return files
}

/** Checks the error that a client gets if the disk is full. */
function checkRefusal(status: KubeObject): void {
  assert.equal(status.kind, 'Status')
  assert.equal(status.status, 'Failure')
  assert.equal(status.code, 507)
  assert.match(
    String(status.message),
    /no space left on the device of .*store\. Nothing was changed: free space on the disk/,
  )
}

test('apiserver: with a full disk it rejects writes and is not ready; reads, watches and deletes succeed, and writes as soon as there is space', async (t) => {
  const disk = await temporaryDirectory(t)
  if (!mountSmall(t, disk)) return t.skip('mounting a small file system requires root')
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(5_000_000))
  let server = await startServer(t, { dataDirectory: join(disk, 'data') })
  const client = new Client(server)
  const streams = http1Streams(server)
  t.after(() => client.close())
  t.after(() => streams.close())
  const { revision } = await client.list(COLLECTION)
  const watch = new ResumingWatch(COLLECTION, revision)
  watch.connect(streams)
  t.after(() => watch.stop())

  await client.ok('POST', '/api/v1/namespaces', { metadata: { name: 'gone' } })
  const deleted: string[] = []
  const acknowledged: string[] = []
  let count = 0
  const write = async (): Promise<KubeObject | undefined> => {
    const name = `n${count++}`
    const { status, object } = await client.send('POST', COLLECTION, { metadata: { name }, data: { PAYLOAD } })
    if (status === 201) acknowledged.push(name)
    else if (status === 507) return object
    else assert.fail(`${status}: ${JSON.stringify(object)}`)
    return undefined
  }
  /** Several writers at once until each is rejected. */
  const fill = () =>
    Promise.all(
      Array.from({ length: 6 }, async () => {
        for (;;) {
          const refusal = await write()
          if (refusal !== undefined) return refusal
        }
      }),
    )
  for (let round = 0; round < 3; round++) for (const refusal of await fill()) checkRefusal(refusal)
  assert.ok(acknowledged.length > 20)
  const present = async (of: Client) => (await of.list(COLLECTION)).items.map((item) => String(item.metadata.name))
  const written = (names: readonly string[]) => names.filter((name) => name.startsWith('n')).sort()
  assert.deepEqual(written(await present(client)), [...acknowledged].sort())
  assert.equal((await client.send('GET', '/livez')).status, 200)
  const ready = await client.send('GET', '/readyz')
  assert.equal(ready.status, 500)
  assert.match(String(ready.object.message), /^\[-\]store failed: no space left on the device of .*store$/m)
  await client.ok('GET', `${COLLECTION}/${acknowledged[0]}`)
  await client.ok('GET', `${COLLECTION}?limit=5`)

  await server.stop('SIGKILL')
  const { dataDirectory } = server
  server = await startServer(t, { dataDirectory, arguments: ['--port', new URL(server.url).port] })
  assert.deepEqual(written(await present(client)), [...acknowledged].sort(), 'it starts, and can be read, without room')

  // Others use the last byte of the disk.
  const rest = fillDisk(disk)
  for (const [index, path] of ['configmaps', 'configmaps', 'namespaces'].entries()) {
    if (path === 'namespaces') {
      await client.ok('DELETE', '/api/v1/namespaces/gone')
      await eventually('the namespace is gone', async () => {
        return (await client.send('GET', '/api/v1/namespaces/gone')).status === 404
      })
      continue
    }
    const name = acknowledged.splice(index, 1)[0]
    deleted.push(String(name))
    await client.ok('DELETE', `${COLLECTION}/${name}`)
    assert.equal((await client.send('GET', `${COLLECTION}/${name}`)).status, 404)
  }

  for (const file of [ballast, ...rest]) rmSync(file)
  await eventually('it is ready again', async () => (await client.send('GET', '/readyz')).status === 200)
  for (let index = 0; index < 30; index++) assert.equal(await write(), undefined)
  const seen = (type: string) =>
    watch.events.filter((event) => event.type === type).map(({ object }) => String(object.metadata.name))
  await eventually('the watch has seen them all', () => seen('ADDED').length >= acknowledged.length + deleted.length)
  assert.deepEqual(seen('ADDED').sort(), [...acknowledged, ...deleted].sort())
  assert.deepEqual(seen('DELETED').sort(), [...deleted].sort())

  await server.stop('SIGKILL')
  const again = await startServer(t, { dataDirectory: server.dataDirectory })
  const other = new Client(again)
  t.after(() => other.close())
  assert.deepEqual(written(await present(other)), [...acknowledged].sort())
  assert.equal((await other.ok('GET', `${COLLECTION}/${acknowledged.at(-1)}`)).kind, 'ConfigMap')
})
