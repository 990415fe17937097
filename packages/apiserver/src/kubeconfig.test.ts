import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { formatKubeconfig } from './kubeconfig.js'

test('a kubeconfig has one context with everything in it', () => {
  const text = formatKubeconfig({
    server: 'https://127.0.0.1:6443',
    certificateAuthority: 'ca',
    clientCertificate: 'cert',
    clientKey: 'key',
    name: 'true',
  })
  const base64 = (value: string) => Buffer.from(value).toString('base64')
  assert.deepEqual(parse(text), {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'true', cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': base64('ca') } },
    ],
    users: [
      {
        name: 'true-admin',
        user: { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') },
      },
    ],
    contexts: [{ name: 'true', context: { cluster: 'true', user: 'true-admin' } }],
    'current-context': 'true',
  })
})
