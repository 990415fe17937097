import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { inClusterConfig } from './in-cluster.js'
import { defaultSource, kubeconfigSource } from './source.js'
import { directoryWith, plain } from './testing.fixture.js'

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }

test('inClusterConfig: uses the service account of the pod', async (t) => {
  const directory = await directoryWith(t, { token: 't', 'ca.crt': 'ca', namespace: 'work\n' })
  assert.deepEqual(await inClusterConfig({ environment: POD, directory }), {
    server: 'https://10.96.0.1:443',
    tokenFile: join(directory, 'token'),
    certificateAuthority: { file: join(directory, 'ca.crt') },
    namespace: 'work',
    origin: `service account in ${directory}`,
  })
})

test('inClusterConfig: takes the namespace from the environment, and accepts IPv6 addresses', async (t) => {
  const directory = await directoryWith(t, { token: 't' })
  const environment = { ...POD, KUBERNETES_SERVICE_HOST: 'fd00::1', POD_NAMESPACE: 'other' }
  const config = await inClusterConfig({ environment, directory })
  assert.deepEqual([config?.server, config?.namespace], ['https://[fd00::1]:443', 'other'])
  assert.equal((await inClusterConfig({ environment: POD, directory }))?.namespace, 'default')
})

test('inClusterConfig: returns undefined outside pods', async (t) => {
  const empty = await directoryWith(t, {})
  assert.equal(await inClusterConfig({ environment: POD, directory: empty }), undefined)
  const directory = await directoryWith(t, { token: 't' })
  assert.equal(await inClusterConfig({ environment: {}, directory }), undefined)
})

test('defaultSource: prefers a kubeconfig to the service account', async (t) => {
  const directory = await directoryWith(t, { token: 't', '.kube/config': plain('x', { server: 'https://x' }) })
  const environment = { ...POD, HOME: directory }
  assert.equal((await defaultSource({ environment, directory }).read()).server, 'https://x')
  await writeFile(join(directory, '.kube/config'), '')
  assert.equal((await defaultSource({ environment, directory }).read()).server, 'https://10.96.0.1:443')
})

test('defaultSource: reports where a kubeconfig is expected if there is none', async (t) => {
  const directory = await directoryWith(t, {})
  await assert.rejects(defaultSource({ environment: { HOME: directory }, directory }).read(), {
    message: `no cluster is configured: set KUBECONFIG, or create ${join(directory, '.kube/config')}`,
  })
})

test('kubeconfigSource: reads the file again each time', async (t) => {
  const directory = await directoryWith(t, { config: plain('x', { server: 'https://one' }) })
  const path = join(directory, 'config')
  const source = kubeconfigSource({ path })
  assert.deepEqual(source.files, [path])
  assert.equal((await source.read()).server, 'https://one')
  await writeFile(path, JSON.stringify(plain('x', { server: 'https://two' })))
  assert.equal((await source.read()).server, 'https://two')
})
