import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { FakeClock } from '@orrery/kube/testing'
import { oidcVerifier } from './oidc.js'

const ISSUER = 'https://issuer.example.com'
const clock = new FakeClock(new Date('2030-01-01T00:00:00Z'))
const now = clock.now().getTime() / 1_000
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const CLAIMS = { iss: ISSUER, aud: 'ovim', sub: 'alice', groups: ['dev', 'system:masters'], exp: now + 600 }

function token(claims: object, key: KeyObject = rsa.privateKey, header: object = { alg: 'RS256', kid: 'r' }): string {
  const text = `${encode(header)}.${encode(claims)}`
  const isEc = key.asymmetricKeyType === 'ec'
  const signature = sign('sha256', Buffer.from(text), isEc ? { key, dsaEncoding: 'ieee-p1363' } : key)
  return `${text}.${signature.toString('base64url')}`
}

/** An issuer with two keys that counts its requests. */
function issuer(keys: object[] = [jwk(rsa.publicKey, 'r'), jwk(ec.publicKey, 'e')]) {
  let requests = 0
  const fetcher = async (url: string | URL | Request) => {
    requests++
    const body = String(url).endsWith('/keys') ? { keys } : { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` }
    return new Response(JSON.stringify(body))
  }
  const verify = oidcVerifier(
    { issuerUrl: ISSUER, clientId: 'ovim', usernamePrefix: 'oidc:', fetch: fetcher as typeof fetch },
    clock,
    silentLogger,
  )
  return { verify, requests: () => requests }
}

function jwk(key: KeyObject, kid: string): object {
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig' }
}

test('oidcVerifier: accepts tokens of the issuer, and takes no names of Kubernetes itself', async () => {
  const { verify, requests } = issuer()
  const expected = { username: 'oidc:alice', groups: ['oidc:dev', 'oidc:system:masters', 'system:authenticated'] }
  assert.deepEqual(await verify(token(CLAIMS)), expected)
  assert.deepEqual(await verify(token(CLAIMS, ec.privateKey, { alg: 'ES256', kid: 'e' })), expected)
  assert.equal(requests(), 2)
  const bare = oidcVerifier(
    { issuerUrl: ISSUER, clientId: 'ovim', usernamePrefix: '', groupsPrefix: '', fetch: issuerFetch() },
    clock,
    silentLogger,
  )
  assert.deepEqual((await bare(token(CLAIMS)))?.groups, ['dev', 'system:authenticated'])
  await assert.rejects(bare(token({ ...CLAIMS, sub: 'system:admin' })), /Unauthorized/)
})

function issuerFetch(): typeof fetch {
  const answer = (url: string) =>
    url.endsWith('/keys') ? { keys: [jwk(rsa.publicKey, 'r')] } : { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` }
  return (async (url: string) => new Response(JSON.stringify(answer(url)))) as unknown as typeof fetch
}

test('oidcVerifier: leaves tokens of others to the API server', async () => {
  const { verify, requests } = issuer()
  assert.equal(await verify(token({ ...CLAIMS, iss: 'https://kubernetes.default.svc' })), undefined)
  assert.equal(await verify('abcdef.0123456789abcdef'), undefined)
  assert.equal(requests(), 0)
})

test('oidcVerifier: refuses forged, expired and foreign tokens', async () => {
  const { verify, requests } = issuer()
  const good = token(CLAIMS)
  const [header = '', payload = '', signature = ''] = good.split('.')
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const hmac = `${encode({ alg: 'HS256', kid: 'r' })}.${payload}`
  for (const bad of [
    token({ ...CLAIMS, exp: now - 60 }),
    token({ ...CLAIMS, exp: undefined }),
    token({ ...CLAIMS, nbf: now + 60 }),
    token({ ...CLAIMS, aud: 'other' }),
    token({ ...CLAIMS, aud: ['other'] }),
    token({ ...CLAIMS, sub: '' }),
    token(CLAIMS, rsa.privateKey, { alg: 'none' }),
    token(CLAIMS, rsa.privateKey, { alg: 'RS256', kid: 'unknown' }),
    token(CLAIMS, rsa.privateKey, { alg: 'ES256', kid: 'r' }),
    token(CLAIMS, rsa.privateKey, { alg: 'RS256', kid: 'r', crit: ['exp'] }),
    token(CLAIMS, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    `${hmac}.${createHmac('sha256', publicPem).update(hmac).digest('base64url')}`,
    `${header}.${encode({ ...CLAIMS, sub: 'bob' })}.${signature}`,
    `${header}.${payload}.`,
  ]) {
    await assert.rejects(verify(bad), /Unauthorized/)
  }
  assert.ok(requests() <= 2, 'unknown keys must not flood the issuer')
  assert.equal((await verify(good))?.username, 'oidc:alice')
})
