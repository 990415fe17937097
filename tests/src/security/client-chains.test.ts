import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { hugeExponent } from '@orrery/kube/testing'
import { issue } from '../support/certificates.js'
import { sharedCluster } from './cluster.js'
import { createCsr, DistinguishedName, generateKey, privateKeyPem, usagesFromNames } from './internals.js'

const cluster = sharedCluster()

interface Keys {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** A certificate for `subject`, signed with the key of `issuer`. */
function certificate(subject: string, keys: Keys, issuer: string, by: Keys, groups: readonly string[] = []): string {
  const isLeaf = groups.length > 0
  const usages = usagesFromNames(isLeaf ? ['digital signature', 'client auth'] : ['cert sign'])
  const nameDer = DistinguishedName.of(issuer).encode()
  const signer = { nameDer, key: by.privateKey, keyId: Buffer.from(issuer) }
  return issue(signer, { name: subject, groups }, { usages, isCa: !isLeaf }, keys).cert
}

/** A chain of `length` certificates of one key, the first for an administrator; the last is signed by `top`. */
function chain(keys: Keys, length: number, top: string): string {
  const name = (index: number) => (index === length ? top : `authority-${index}`)
  return Array.from({ length }, (_, index) =>
    certificate(name(index), keys, name(index + 1), keys, index === 0 ? ['system:masters'] : []),
  ).join('')
}

const MASTERS = ['system:masters']
const ec = generateKey()
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const huge = hugeExponent(2048)

const CHAINS: Readonly<Record<string, () => { cert: string; keys: Keys }>> = {
  'one that says it is of the authority': () => ({ cert: chain(ec, 1, 'kubernetes'), keys: ec }),
  'a loop of two': () => {
    const other = generateKey()
    const loop = [
      certificate('a', ec, 'b', other, MASTERS),
      certificate('b', other, 'a', ec),
      certificate('a', ec, 'b', other),
    ]
    return { cert: loop.join(''), keys: ec }
  },
  'one that signed itself': () => ({ cert: certificate('me', ec, 'me', ec, MASTERS), keys: ec }),
  'a hundred that lead nowhere': () => ({ cert: chain(ec, 100, 'nobody'), keys: ec }),
  'sixty with long keys': () => ({ cert: chain(rsa, 60, 'kubernetes'), keys: rsa }),
  'fifty whose signatures are dear to check': () => ({ cert: chain(huge, 50, 'kubernetes'), keys: huge }),
  'the authority’s own certificate above a forged one': () => ({
    cert: `${chain(ec, 1, 'kubernetes')}${cluster().server.credentials.ca.toString()}`,
    keys: ec,
  }),
}

for (const [what, make] of Object.entries(CHAINS)) {
  test(`authentication: rejects a client chain: ${what}`, async () => {
    const { cert, keys } = make()
    const caller = cluster().caller({ certificate: { cert, key: privateKeyPem(keys.privateKey) } })
    // A chain that TLS itself rejects ends the connection.
    const status = await caller.status('GET', '/api/v1/namespaces').catch(() => 401)
    assert.equal(status, 401)
    assert.equal(await cluster().admin.status('GET', '/readyz'), 200)
  })
}

test('authentication: a client certificate cannot issue others with its key', async () => {
  const own = cluster().certificate('plain')
  const key = createPrivateKey(own.key)
  const forged = certificate('admin', ec, 'plain', { publicKey: ec.publicKey, privateKey: key }, MASTERS)
  const caller = cluster().caller({ certificate: { cert: `${forged}${own.cert}`, key: privateKeyPem(ec.privateKey) } })
  assert.equal(await caller.status('GET', '/api/v1/namespaces'), 401)
  assert.equal(await cluster().caller({ certificate: own }).status('GET', '/api/v1/namespaces'), 403)
})

test('certificatesigningrequests: rejects keys that are too expensive to verify', async () => {
  const request = Buffer.from(createCsr({ subject: DistinguishedName.of('asking'), ...huge })).toString('base64')
  const reply = await cluster().admin.send('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    metadata: { name: 'huge' },
    spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
  })
  assert.equal(reply.status, 422, reply.text)
  assert.match(reply.text, /exponent of the RSA key is not accepted/)
})
