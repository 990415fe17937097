import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedCluster } from './cluster.js'
import { loadAuthority } from './internals.js'

const cluster = sharedCluster()
const CONFIG = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication'
const HEADERS = { 'x-remote-user': 'kubernetes-admin', 'x-remote-group': 'system:masters' }

const pki = (name: string) => readFile(join(cluster().server.dataDirectory, 'pki', name), 'utf8')

test('front proxy: the published authority is not the one that signs clients', async () => {
  const { data } = (await cluster().admin.send('GET', CONFIG)).object as { data: Record<string, string> }
  assert.equal(data['requestheader-client-ca-file'], await pki('front-proxy-ca.crt'))
  assert.equal(data['client-ca-file'], await pki('ca.crt'))
  assert.notEqual(data['requestheader-client-ca-file'], data['client-ca-file'])
})

test('front proxy: the server ignores user headers', async () => {
  const { issuer } = loadAuthority(await pki('front-proxy-ca.crt'), await pki('front-proxy-ca.key'))
  const path = '/api/v1/namespaces'
  for (const shown of [
    {},
    { certificate: cluster().certificate('plain') },
    { certificate: cluster().certificate('front-proxy-client') },
    { certificate: cluster().certificate('front-proxy-client', [], { issuer }) },
  ]) {
    const status = await cluster().caller(shown).status('GET', path, undefined, HEADERS)
    assert.ok(status === 401 || status === 403, String(status))
  }
})
