import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import type { KubeObject } from '@orrery/kube'
import { Client, eventually } from '../support/client.js'
import { ResumingWatch } from '../support/resumingwatch.js'
import { afterwards, startServer, temporaryDirectory } from '../support/server.js'
import { http1Streams } from '../support/streams.js'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
const PAYLOAD = 'x'.repeat(30_000)

function mountSmall(t: TestContext, directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return false
  }
  afterwards(t, () => void execFileSync('umount', ['--lazy', directory]))
  return true
}

/** What a client is told when the disk is full. */
function checkRefusal(status: KubeObject): void {
  assert.equal(status.kind, 'Status')
  assert.equal(status.status, 'Failure')
  assert.equal(status.code, 507)
  assert.match(
    String(status.message),
    /no space left on the device of .*store\. Nothing was changed; free space on the disk/,
  )
}

test('a full disk refuses writes and says why; reads and watches go on, and writes as soon as there is room', async (t) => {
  const disk = await temporaryDirectory(t)
  if (!mountSmall(t, disk)) return t.skip('mounting a small file system takes root')
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
  /** Several writers at once until every one of them is refused. */
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
  for (const path of ['/livez', '/readyz']) assert.equal((await client.send('GET', path)).status, 200)
  await client.ok('GET', `${COLLECTION}/${acknowledged[0]}`)
  await client.ok('GET', `${COLLECTION}?limit=5`)

  await server.stop('SIGKILL')
  const { dataDirectory } = server
  server = await startServer(t, { dataDirectory, arguments: ['--port', new URL(server.url).port] })
  assert.deepEqual(written(await present(client)), [...acknowledged].sort(), 'it starts, and can be read, without room')

  rmSync(ballast)
  for (let index = 0; index < 30; index++) assert.equal(await write(), undefined)
  await eventually('the watch has seen them all', () => watch.events.length >= acknowledged.length)
  assert.deepEqual(watch.events.map(({ object }) => String(object.metadata.name)).sort(), [...acknowledged].sort())

  await server.stop('SIGKILL')
  const again = await startServer(t, { dataDirectory: server.dataDirectory })
  const other = new Client(again)
  t.after(() => other.close())
  assert.deepEqual(written(await present(other)), [...acknowledged].sort())
  assert.equal((await other.ok('GET', `${COLLECTION}/${acknowledged.at(-1)}`)).kind, 'ConfigMap')
})
