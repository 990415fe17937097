import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { orrery } from '../support/cli-here.js'
import { Client } from '../support/client.js'
import { type ServerProcess, startServer, temporaryDirectory } from '../support/server.js'

const HELLO = '/api/v1/namespaces/default/configmaps/hello'

async function serverWithData(t: TestContext): Promise<ServerProcess> {
  const server = await startServer(t)
  const client = new Client(server)
  await client.ok('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: 'hello' },
    data: { who: 'you' },
  })
  client.close()
  return server
}

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, out, errors } = await orrery('apiserver', ...args)
  assert.deepEqual([code, errors], [0, ''])
  return out
}

async function fails(why: RegExp, ...args: readonly string[]): Promise<void> {
  const { code, out, errors } = await orrery('apiserver', ...args)
  assert.deepEqual([code, out], [1, ''])
  assert.match(errors, /^error: [^\n]+\n$/)
  assert.match(errors, why)
}

test('orrery apiserver backup, restore, compact: reject missing data and invalid backups', async (t) => {
  const directory = await temporaryDirectory(t)
  const missing = join(directory, 'missing')
  const file = join(directory, 'file')
  await fails(/missing contains no data/, 'backup', '--data', missing, file)
  await fails(/missing contains no data/, 'compact', '--data', missing)
  await fails(/file: no such file/, 'restore', '--data', missing, file)
  await fails(/is a directory, not a backup: use the file .*backup.* wrote/, 'restore', '--data', missing, directory)
  await writeFile(file, 'hello\n')
  await fails(/file is not a usable backup: it does not start with a backup header/, 'restore', '--data', missing, file)
  assert.equal(existsSync(missing), false)
})

test('orrery apiserver backup, restore, compact: work on the data of a server', async (t) => {
  const server = await serverWithData(t)

  await t.test('backup: reports the file that cannot be written', async (t) => {
    const file = join(await temporaryDirectory(t), 'no', 'such', 'place')
    await fails(/place: no such file/, 'backup', '--data', server.dataDirectory, file)
  })

  await t.test('restore: rejects a damaged or truncated backup', async (t) => {
    const directory = await temporaryDirectory(t)
    const file = join(directory, 'cluster.bak')
    const target = join(directory, 'target')
    await succeeds('backup', '--data', server.dataDirectory, file)
    const good = await readFile(file)
    await writeFile(file, good.subarray(0, good.length >> 1))
    await fails(/not a usable backup: it is truncated/, 'restore', '--data', target, file)
    const damaged = Buffer.from(good)
    damaged[good.length >> 1] = (damaged[good.length >> 1] ?? 0) ^ 1
    await writeFile(file, damaged)
    await fails(/not a usable backup: .*checksum does not match/, 'restore', '--data', target, file)
    assert.equal(existsSync(target), false)
  })

  await t.test('compact --kubeconfig: connects to a running server', async () => {
    const { dataDirectory, kubeconfig } = server
    const elsewhere = `${kubeconfig}.moved`
    await rename(kubeconfig, elsewhere)
    await fails(/kubeconfig does not exist: set --kubeconfig/, 'compact', '--data', dataDirectory)
    await succeeds('compact', '--data', dataDirectory, '--kubeconfig', elsewhere)
    await writeFile(kubeconfig, 'not: one\n')
    await fails(/is not a kubeconfig/, 'compact', '--data', dataDirectory)
    await writeFile(kubeconfig, (await readFile(elsewhere, 'utf8')).replace(server.url, 'https://127.0.0.1:1'))
    await fails(/is unreachable with .*kubeconfig: .*ECONNREFUSED/, 'compact', '--data', dataDirectory)
    await rename(elsewhere, kubeconfig)
  })

  await t.test('backup, restore: preserve objects and clients of a running server', async (t) => {
    const directory = await temporaryDirectory(t)
    const file = join(directory, 'cluster.bak')
    const other = join(directory, 'other')
    assert.equal(await succeeds('backup', '--data', server.dataDirectory, file), `wrote ${file}\n`)
    assert.equal((await stat(file)).mode & 0o077, 0)
    await server.stop()

    assert.match(
      await succeeds('restore', '--data', other, file),
      /^restored \d+ objects into .*\nThe directory has no keys\. /,
    )
    await cp(join(server.dataDirectory, 'pki'), join(other, 'pki'), { recursive: true })
    const restored = await startServer(t, { dataDirectory: other })
    const client = new Client({ ...restored, credentials: server.credentials })
    t.after(() => client.close())
    const { data } = (await client.ok('GET', HELLO)) as { data?: unknown }
    assert.deepEqual(data, { who: 'you' })
  })

  await t.test('backup, compact: work on a stopped server, with --data before or after the command', async (t) => {
    const { dataDirectory } = server
    const file = join(await temporaryDirectory(t), 'cluster.bak')
    await succeeds('--data', dataDirectory, 'backup', file)
    assert.equal(await succeeds('compact', '--data', dataDirectory), 'compacted\n')
    await fails(/already contains data.*--force/, 'restore', '--data', dataDirectory, file)
    assert.match(
      await succeeds('restore', '--force', '--data', dataDirectory, file),
      /^restored \d+ objects into .*\n$/,
    )
  })
})
