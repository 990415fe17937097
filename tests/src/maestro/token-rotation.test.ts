import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isUnauthorized } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { maestroWorkClient } from '@orrery/maestro'
import { startSecureMaestro } from '../support/maestro-server.js'
import { afterwards, temporaryDirectory } from '../support/server.js'

function workOf(name: string) {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }
  return { metadata: { name, namespace: 'c1' }, spec: { workload: { manifests: [manifest] } } }
}

test('maestroWorkClient: uses a rotated token for requests, publications and watches', async (t) => {
  const maestro = await startSecureMaestro(t, ['first'])
  await maestro.server.core.consumers.create({ name: 'c1' })
  const tokenFile = join(await temporaryDirectory(t), 'token')
  const rotate = async (token: string) => {
    await writeFile(`${tokenFile}.new`, token)
    await rename(`${tokenFile}.new`, tokenFile)
  }
  await rotate('first')
  const rotating = maestroWorkClient({ ...maestro.options, tokenFile })
  const fixed = maestroWorkClient({ ...maestro.options, token: 'first' })
  afterwards(t, async () => {
    await rotating.close()
    await fixed.close()
  })
  const works = rotating.manifestWorks('c1')
  const stop = new AbortController()
  const seen: string[] = []
  const watching = (async () => {
    for await (const { object } of works.watch({ signal: stop.signal })) seen.push(object.metadata.name)
  })()
  await works.create(workOf('before'))
  await eventually('the watch shows the work', () => seen.includes('before'))

  await rotate('second')
  await maestro.accept(['second'])
  const isRefused = () => fixed.consumers.list().then(() => false, isUnauthorized)
  await eventually('the first token is refused', isRefused)
  await eventually('the new token is used', () =>
    rotating.consumers.list().then(
      () => true,
      () => false,
    ),
  )
  await works.create(workOf('after'))
  assert.equal((await works.get('after')).metadata.name, 'after')
  // The subscription of a watch is ended and opened again with the new token.
  await maestro.stop()
  await maestro.start()
  await works.create(workOf('later'))
  await eventually('the watch shows the later work', () => seen.includes('later'))
  stop.abort()
  await watching
})
