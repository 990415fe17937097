import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { orrery } from '../support/cli-here.js'
import { Client } from '../support/client.js'
import { startServer, temporaryDirectory } from '../support/server.js'
import { dataFileOf, durableSize } from './data-file.js'

const ONE_LINE = /^error: [^\n]+\n$/

test('start: rejects a second server on the same directory, and names its process', async (t) => {
  const server = await startServer(t)
  const { code, errors } = await orrery('apiserver', '--data', server.dataDirectory, '--port', '0')
  assert.equal(code, 1)
  assert.match(errors, ONE_LINE)
  assert.match(errors, new RegExp(`in use by process ${server.process.pid}: stop it first`))
  const client = new Client(server)
  await client.ok('GET', '/api/v1/namespaces/default')
  client.close()
})

test('start: names a port in use', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as { port: number }
  const directory = await temporaryDirectory(t)
  const { code, errors } = await orrery('apiserver', '--data', directory, '--port', String(port))
  assert.equal(code, 1)
  assert.match(errors, ONE_LINE)
  assert.match(errors, new RegExp(`127\\.0\\.0\\.1:${port}.*in use.*--port`))
})

test('start: names a directory that cannot be created or written', async (t) => {
  const directory = await temporaryDirectory(t)
  const file = join(directory, 'file')
  await writeFile(file, '')
  const under = await orrery('apiserver', '--data', join(file, 'data'), '--port', '0')
  assert.equal(under.code, 1)
  assert.match(under.errors, ONE_LINE)
  assert.ok(under.errors.includes(`cannot use data directory ${join(file, 'data')}: not a directory`), under.errors)
  if (process.getuid?.() === 0) return
  await chmod(directory, 0o500)
  const locked = await orrery('apiserver', '--data', join(directory, 'data'), '--port', '0')
  assert.equal(locked.code, 1)
  assert.match(locked.errors, /cannot use data directory .*data: permission denied/)
})

test('start: fails if the kubeconfig cannot be written', async (t) => {
  const directory = await temporaryDirectory(t)
  const file = join(directory, 'file')
  await writeFile(file, '')
  const kubeconfig = join(file, 'kubeconfig')
  const { code, out, errors } = await orrery(
    'apiserver',
    '--data',
    directory,
    '--port',
    '0',
    '--kubeconfig',
    kubeconfig,
  )
  assert.deepEqual([code, out], [1, ''])
  assert.match(errors, ONE_LINE)
})

test('start: the kubeconfig has the port of the latest start, and only its owner can read it', async (t) => {
  const first = await startServer(t)
  await first.stop()
  const second = await startServer(t, { dataDirectory: first.dataDirectory })
  const text = await readFile(second.kubeconfig, 'utf8')
  assert.ok(text.includes(second.url), text)
  const { mode } = await stat(second.kubeconfig)
  assert.equal(mode & 0o077, 0)
})

test('start: rejects a damaged file with the fix, and does not change it', async (t) => {
  const server = await startServer(t)
  const { dataDirectory } = server
  await server.stop('SIGKILL')
  const file = dataFileOf(dataDirectory)
  const good = await readFile(file)
  const damages = {
    'cut short': good.subarray(0, durableSize(dataDirectory) - 4096),
    overwritten: Buffer.concat([good.subarray(0, 8192), Buffer.alloc(good.length - 8192, 0xa5)]),
    emptied: Buffer.alloc(0),
  }
  for (const [how, bytes] of Object.entries(damages)) {
    await writeFile(file, bytes)
    const { code, errors } = await orrery('apiserver', '--data', dataDirectory, '--port', '0')
    assert.equal(code, 1, how)
    assert.match(errors, ONE_LINE)
    assert.match(errors, /data\.mdb is damaged .*Restore the newest backup/)
    assert.deepEqual(await readFile(file), bytes)
  }
  await writeFile(file, good)
  await startServer(t, { dataDirectory })
})
