import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { StoreLost } from '../store/directory.js'
import { temporaryDirectory } from '../store/testing.fixture.js'
import { startApiServer } from './server.js'

test('startApiServer: is not ready before beforeReady has completed', async (t) => {
  const seen: number[] = []
  const server = await startApiServer({
    host: false,
    async beforeReady(starting) {
      assert.notEqual(await starting.kubeconfig(), '')
      for (const path of ['/livez', '/readyz', '/healthz']) {
        seen.push((await starting.client().raw({ method: 'GET', path })).status)
      }
    },
  })
  t.after(() => server.close())
  assert.deepEqual(seen, [200, 500, 500])
  assert.equal((await server.client().raw({ method: 'GET', path: '/readyz' })).status, 200)
})

test('startApiServer: fails if beforeReady fails', async () => {
  const failing = startApiServer({ host: false, beforeReady: () => Promise.reject(new Error('no kubeconfig')) })
  await assert.rejects(failing, /no kubeconfig/)
})

test('startApiServer: refuses a directory that has lost its store unless newStore is set', async (t) => {
  const dataDirectory = temporaryDirectory(t)
  await (await startApiServer({ host: false, dataDirectory })).close()
  rmSync(join(dataDirectory, 'store'), { recursive: true })
  await assert.rejects(startApiServer({ host: false, dataDirectory }), StoreLost)
  await (await startApiServer({ host: false, dataDirectory, newStore: true })).close()
  rmSync(dataDirectory, { recursive: true })
  await assert.rejects(startApiServer({ host: false, dataDirectory, hadStore: true }), StoreLost)
})
