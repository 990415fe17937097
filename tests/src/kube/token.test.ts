import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { Secret, ServiceAccount } from '@orrery/kinds'
import { always, Informers, startControllers } from '@orrery/kube'
import {
  type CredentialReport,
  keepToken,
  secretText,
  type TokenCredential,
  writeSecret,
} from '@orrery/kube/credentials'
import { eventually, FakeClock, NOW } from '@orrery/kube/testing'

const secret = { namespace: 'default', name: 'helloworld-hub-kubeconfig' }
const serviceAccount = { namespace: 'default', name: 'helloworld-agent' }

/** Keeps a token of a service account, as the registration of an add-on with the token driver does. */
async function start(t: TestContext, options: Partial<TokenCredential> = {}) {
  const clock = new FakeClock(NOW)
  const server = await startApiServer({ host: false, clock })
  const client = server.client()
  const { metadata } = await client.create(ServiceAccount, { metadata: { ...serviceAccount } })
  const account = { uid: metadata.uid }
  const informers = new Informers(client, { clock })
  const secrets = informers.of(Secret, { namespace: 'default', fieldSelector: `metadata.name=${secret.name}` })
  const reports: CredentialReport[] = []
  const credential = () => ({
    serviceAccount,
    serviceAccountUid: account.uid,
    expirationSeconds: 1_000,
    store: client,
    secrets,
    secret,
    additionalData: async () => ({ 'cluster-name': 'c1' }),
    obsoleteKeys: ['tls.crt'],
    report: async (report: CredentialReport) => void reports.push(report),
    ...options,
  })
  const controllers = startControllers(
    [
      {
        name: 'helloworld-token',
        wakes: [always(secrets, secret)],
        reconcile: (_, context) => keepToken(credential(), context),
      },
    ],
    { client, clock },
  )
  t.after(async () => {
    await controllers.stop()
    await informers.close()
    await server.close()
  })
  const token = async () => secretText(await client.find(Secret, secret), 'token')
  return { client, clock, reports, token, account }
}

test('keepToken: requests a token, renews it when 20 % of its lifetime are left, and writes nothing in between', async (t) => {
  const { client, clock, reports, token } = await start(t)
  await eventually('a token is stored', async () => (await token()) !== undefined)
  const first = await token()
  await eventually('it is reported', () => reports.at(-1)?.state === 'valid')
  assert.deepEqual(reports.at(-1), { state: 'valid', notBefore: NOW, notAfter: new Date(NOW.getTime() + 1_000_000) })
  const stored = await client.get(Secret, secret)
  assert.deepEqual(Object.keys(stored.data ?? {}).sort(), ['cluster-name', 'token'])
  clock.advance(799_000)
  await eventually('the informer is in step', async () => reports.length > 1)
  assert.equal((await client.get(Secret, secret)).metadata.resourceVersion, stored.metadata.resourceVersion)
  clock.advance(1_000)
  await eventually('the token is renewed', async () => (await token()) !== first)
})

test('keepToken: replaces a token of a former account, a deleted Secret, and keys of other credentials', async (t) => {
  const { client, account, token } = await start(t)
  await eventually('a token is stored', async () => (await token()) !== undefined)
  await writeSecret(client, secret, { 'tls.crt': 'of another driver' })
  await eventually('the key is removed', async () => !('tls.crt' in ((await client.get(Secret, secret)).data ?? {})))
  await client.delete(Secret, secret)
  await eventually('it is stored again', async () => (await token()) !== undefined)
  const former = await token()
  await client.delete(ServiceAccount, serviceAccount)
  const { metadata } = await client.create(ServiceAccount, { metadata: { ...serviceAccount } })
  account.uid = metadata.uid
  await writeSecret(client, secret, { wake: 'up' })
  await eventually('the token is of the new account', async () => (await token()) !== former)
})

test('keepToken: reports why a token cannot be created, and retries', async (t) => {
  const { reports, client, clock, token } = await start(t, {
    serviceAccount: { namespace: 'default', name: 'missing' },
    serviceAccountUid: 'none',
  })
  await eventually('the problem is reported', () => reports.at(-1)?.state === 'failed')
  const report = reports.at(-1) as Extract<CredentialReport, { state: 'failed' }>
  assert.equal(report.problem, 'not-created')
  assert.match(report.message, /"missing" not found/)
  const before = reports.length
  await eventually('it is tried again', () => {
    clock.advance(1_000)
    return reports.length > before
  })
  assert.equal(await token(), undefined)
  assert.equal(await client.find(Secret, secret), undefined)
})
