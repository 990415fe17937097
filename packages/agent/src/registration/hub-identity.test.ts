import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret } from '@orrery/kinds'
import { parseKubeconfig } from '@orrery/kube/kubeconfig'
import { encodePem, privateKeyPem } from '@orrery/kube/pki'
import { hoursFrom, issueClient, NOW, testAuthority } from '@orrery/kube/testing'
import { hubAddressOf } from '../hub-address.js'
import { bootstrapKubeconfig } from './bootstrap-kubeconfig.js'
import { configOf, identityIn, isFor, isValid, kubeconfigData } from './hub-identity.js'
import { agentSubject } from './names.js'

const names = { clusterName: 'c1', agentName: 'a1' }
const credentials = { server: 'https://hub:6443', token: 'secret', ca: 'CA', proxyUrl: 'http://proxy:3128' }

async function hubOf(change: Partial<typeof credentials> & { hubName?: string } = {}) {
  return hubAddressOf(await parseKubeconfig(await bootstrapKubeconfig({ ...credentials, ...change })))
}

async function secretFor(commonName: string): Promise<Secret> {
  const { certificate, key } = issueClient(testAuthority(), { name: commonName })
  const data = {
    ...(await kubeconfigData(await hubOf(), names)),
    'tls.crt': encodePem('CERTIFICATE', certificate.der),
    'tls.key': privateKeyPem(key),
  }
  const encoded = Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')])
  const metadata = { namespace: 'n', name: 's', uid: 'u', resourceVersion: '1', creationTimestamp: '' }
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(encoded) }
}

test('identityIn: reads an identity from its Secret', async () => {
  const identity = await identityIn(await secretFor(agentSubject(names).commonName))
  assert.ok(identity !== undefined)
  assert.ok(isFor(identity, await hubOf(), names))
  assert.ok(isValid(identity, NOW) && !isValid(identity, hoursFrom(NOW, 25)))
  const { server, certificateAuthority, proxyUrl, token } = configOf(identity)
  assert.deepEqual(
    [server, certificateAuthority, proxyUrl, token],
    ['https://hub:6443', { text: 'CA' }, 'http://proxy:3128', undefined],
  )
})

test('isFor: matches one hub and one agent', async () => {
  const identity = await identityIn(await secretFor(agentSubject(names).commonName))
  for (const change of [
    { server: 'https://other:6443' },
    { ca: 'other' },
    { proxyUrl: 'http://other:1' },
    { hubName: 'other' },
  ]) {
    assert.ok(!isFor(identity, await hubOf(change), names), JSON.stringify(change))
  }
  assert.ok(isFor(identity, await hubOf({ token: 'other' }), names))
  assert.ok(!isFor(identity, await hubOf(), { ...names, clusterName: 'c2' }))
  assert.ok(!isFor(identity, await hubOf(), { ...names, agentName: 'a2' }))
})

test('identityIn: renewal is due at 75 to 80 % of the lifetime, the same each time', async () => {
  const seen = new Set<number>()
  for (let round = 0; round < 5; round++) {
    const secret = await secretFor(agentSubject(names).commonName)
    const identity = await identityIn(secret)
    assert.deepEqual(identity, await identityIn(secret))
    const { renewAt, notBefore, notAfter } = identity as NonNullable<typeof identity>
    const share = (notAfter.getTime() - renewAt.getTime()) / (notAfter.getTime() - notBefore.getTime())
    assert.ok(share >= 0.2 && share <= 0.25, String(share))
    seen.add(share)
  }
  assert.ok(seen.size > 1)
})

test('identityIn: ignores invalid data and identities of others', async () => {
  assert.equal(await identityIn(undefined), undefined)
  assert.equal(await identityIn(await secretFor('admin')), undefined)
  const whole = await secretFor(agentSubject(names).commonName)
  for (const key of ['tls.crt', 'tls.key', 'kubeconfig']) {
    const { [key]: _, ...rest } = whole.data ?? {}
    assert.equal(await identityIn({ ...whole, data: rest }), undefined)
  }
  for (const key of ['tls.crt', 'kubeconfig']) {
    const data = { ...whole.data, [key]: Buffer.from('- nonsense').toString('base64') }
    assert.equal(await identityIn({ ...whole, data }), undefined)
  }
})
