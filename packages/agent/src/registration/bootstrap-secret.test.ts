import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret } from '@orrery/kinds'
import { bootstrapKubeconfig } from './bootstrap-kubeconfig.js'
import { bootstrapHubIn } from './bootstrap-secret.js'

const encode = (text: string) => Buffer.from(text).toString('base64')

function secretWith(values: Record<string, string>): Secret {
  const metadata = { namespace: 'n', name: 's', uid: 'u', resourceVersion: '1', creationTimestamp: '' }
  const data = Object.fromEntries(Object.entries(values).map(([key, text]) => [key, encode(text)]))
  return { apiVersion: 'v1', kind: 'Secret', metadata, data }
}

const kubeconfigWith = (cluster: object, user: object) =>
  JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'hub', user: 'me' } }],
    clusters: [{ name: 'hub', cluster: { server: 'https://hub:6443', ...cluster } }],
    users: [{ name: 'me', user }],
  })

test('bootstrapHubIn: reads the hub of the bootstrap kubeconfig', async () => {
  const kubeconfig = await bootstrapKubeconfig({ server: 'https://hub:6443', ca: 'CA', token: 'abc' })
  const { address, config } = (await bootstrapHubIn(secretWith({ kubeconfig }))) ?? {}
  assert.equal(address?.server, 'https://hub:6443')
  assert.equal(address?.entry, 'hub')
  assert.deepEqual(config?.certificateAuthority, { text: 'CA' })
  assert.equal(config?.token, 'abc')
  assert.equal(await bootstrapHubIn(undefined), undefined)
  assert.equal(await bootstrapHubIn(secretWith({ other: 'x' })), undefined)
})

test('bootstrapHubIn: reads the files that the kubeconfig names from the same Secret', async () => {
  const files = { 'client-certificate': 'me.crt', 'client-key': 'me.key' }
  const values = { 'ca.crt': 'CA', 'me.crt': 'CERT', 'me.key': 'KEY', token: 'abc' }
  const withFiles = kubeconfigWith({ 'certificate-authority': 'ca.crt' }, { ...files, tokenFile: 'token' })
  const { address, config } = (await bootstrapHubIn(secretWith({ ...values, kubeconfig: withFiles }))) ?? {}
  assert.deepEqual(address?.certificateAuthority, { text: 'CA' })
  assert.deepEqual([config?.clientCertificate, config?.clientKey], [{ text: 'CERT' }, { text: 'KEY' }])
  assert.deepEqual([config?.token, config?.tokenFile], ['abc', undefined])
})

test('bootstrapHubIn: neither reads files of the machine nor runs commands', async () => {
  const refused = [
    kubeconfigWith({}, { tokenFile: '/etc/passwd' }),
    kubeconfigWith({ 'certificate-authority': '/etc/passwd' }, {}),
    kubeconfigWith({}, { 'client-certificate': '/etc/passwd', 'client-key': '/etc/passwd' }),
    kubeconfigWith({}, { exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'sh' } }),
    'nonsense',
  ]
  for (const kubeconfig of refused) {
    await assert.rejects(bootstrapHubIn(secretWith({ kubeconfig })), { name: 'KubeconfigError' })
  }
})

test('bootstrapHubIn: reads the requested certificate lifetime', async () => {
  const kubeconfig = await bootstrapKubeconfig({ server: 'https://hub:6443', token: 'abc' })
  const secondsIn = async (text: string) =>
    (await bootstrapHubIn(secretWith({ kubeconfig, 'client-cert-expiration-seconds': text })))?.certificateSeconds
  assert.equal(await secondsIn('7200'), 7_200)
  for (const wrong of ['60', '-7200', '1e9', 'long']) await assert.rejects(secondsIn(wrong), /seconds, at least 3600/)
})
