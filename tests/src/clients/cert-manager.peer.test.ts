import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { parse } from 'yaml'
import { Client } from '../support/client.js'
import { startServer } from '../support/server.js'
import { startProgram } from './programs.js'

const DEFINITIONS = new URL('../../../.cache/peers/cert-manager', import.meta.url).pathname
const NAMESPACE = '/apis/cert-manager.io/v1/namespaces/default'
const TIMEOUT_MS = 60_000

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** cert-manager's controllers; its webhook is in a module that is not published. */
test('cert-manager', async (t) => {
  const server = await startServer(t)
  const client = new Client(server)
  t.after(() => client.close())
  const has = (path: string, type: string) =>
    eventually(
      `${path} is ${type}`,
      async () => {
        const { object } = await client.send('GET', path)
        const isTrue = ({ status }: Conditioned) =>
          status?.conditions?.some((one) => one.type === type && one.status === 'True')
        return isTrue(object as Conditioned) ? object : undefined
      },
      { timeoutMilliseconds: TIMEOUT_MS },
    )

  await t.test('its CRDs are served', async () => {
    const files = await readdir(DEFINITIONS)
    assert.ok(files.length >= 6, `${DEFINITIONS} has ${files.length} files`)
    for (const file of files) {
      const definition = parse(await readFile(join(DEFINITIONS, file), 'utf8')) as KubeObject
      await client.ok('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    }
    for (const kind of ['certificates', 'issuers', 'clusterissuers', 'certificaterequests']) {
      await has(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${kind}.cert-manager.io`, 'Established')
    }
  })

  const program = startProgram(t, 'cert-manager', [], { KUBECONFIG: server.kubeconfig })
  const ready = (path: string) =>
    has(path, 'Ready').catch((error: Error) => assert.fail(`${path}: ${error.message}\n${program.output()}`))
  const certificateOf = async (secret: string) => {
    const object = await client.ok('GET', `/api/v1/namespaces/default/secrets/${secret}`)
    const { type, data } = object as unknown as { type: string; data: Record<string, string> }
    assert.equal(type, 'kubernetes.io/tls')
    return new X509Certificate(Buffer.from(data['tls.crt'] ?? '', 'base64'))
  }
  const apiVersion = 'cert-manager.io/v1'
  const issuer = (name: string, spec: object) => ({ apiVersion, kind: 'Issuer', metadata: { name }, spec })
  const order = (name: string, signer: string, more: object) => ({
    apiVersion,
    kind: 'Certificate',
    metadata: { name },
    spec: { secretName: name, issuerRef: { name: signer }, privateKey: { algorithm: 'ECDSA' }, ...more },
  })

  await t.test('a self-signed issuer issues a certificate', async () => {
    await client.ok('POST', `${NAMESPACE}/issuers`, issuer('self', { selfSigned: {} }))
    await ready(`${NAMESPACE}/issuers/self`)
    const authority = order('authority', 'self', { isCA: true, commonName: 'authority' })
    await client.ok('POST', `${NAMESPACE}/certificates`, authority)
    await ready(`${NAMESPACE}/certificates/authority`)
    const certificate = await certificateOf('authority')
    assert.equal(certificate.ca, true)
    assert.equal(certificate.subject, 'CN=authority')
  })

  await t.test('an issuer with that authority issues another', async () => {
    await client.ok('POST', `${NAMESPACE}/issuers`, issuer('ca', { ca: { secretName: 'authority' } }))
    await ready(`${NAMESPACE}/issuers/ca`)
    await client.ok('POST', `${NAMESPACE}/certificates`, order('leaf', 'ca', { dnsNames: ['leaf.example.com'] }))
    await ready(`${NAMESPACE}/certificates/leaf`)
    const leaf = await certificateOf('leaf')
    assert.equal(leaf.subjectAltName, 'DNS:leaf.example.com')
    assert.ok(leaf.verify((await certificateOf('authority')).publicKey))
  })

  await t.test('a certificate is issued again when its names change', async () => {
    const before = await certificateOf('leaf')
    await client.ok('PATCH merge', `${NAMESPACE}/certificates/leaf`, { spec: { dnsNames: ['new.example.com'] } })
    await eventually(
      'the certificate is issued again',
      async () => {
        const { subjectAltName, serialNumber } = await certificateOf('leaf')
        return subjectAltName === 'DNS:new.example.com' && serialNumber !== before.serialNumber
      },
      { timeoutMilliseconds: TIMEOUT_MS },
    )
    const { items } = (await client.ok('GET', `${NAMESPACE}/certificaterequests`)) as unknown as {
      items: Conditioned[]
    }
    assert.ok(items.length >= 2)
  })
})
