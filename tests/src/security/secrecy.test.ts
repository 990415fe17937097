import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../support/server.js'
import { Cluster } from './cluster.js'

const POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n'

test('secrecy: no secret gets into the log or the audit trail', async (t) => {
  const directory = await temporaryDirectory(t)
  const auditFile = join(directory, 'audit.log')
  const policyFile = join(directory, 'policy.yaml')
  await writeFile(policyFile, POLICY)
  const cluster = await Cluster.start(t, {
    arguments: ['--log-level', 'debug', '--audit-log', auditFile, '--audit-policy', policyFile],
  })
  const { admin } = cluster
  const plain = 'correct-horse-battery-staple'
  const encoded = Buffer.from(plain).toString('base64')
  const path = '/api/v1/namespaces/default/secrets'
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: encoded } }

  await admin.send('POST', path, secret)
  await admin.send('POST', path, secret)
  await admin.send('POST', `${path}?fieldValidation=Strict`, { ...secret, [plain]: plain })
  await admin.send('POST', path, { ...secret, metadata: { name: 'bad' }, data: { key: plain } })
  await admin.send('POST', path, { ...secret, metadata: { name: 'odd' }, stringData: { key: plain }, type: 5 })
  await admin.send('POST', path, `{"data":{"key":"${encoded}`)
  await admin.send('POST application/yaml', path, `data: {key: ${encoded}`)
  await admin.send('POST application/yaml', path, `? {key: ${plain}}\n: x`)
  await admin.send('PUT', `${path}/s`, { ...secret, stringData: { key: plain } })
  await admin.send('PATCH merge', `${path}/s`, { stringData: { key: plain } })
  await admin.send('PATCH json', `${path}/s`, [{ op: 'add', path: '/data/other', value: encoded }])
  await admin.send('PATCH json', `${path}/s`, [{ op: 'test', path: '/data/other', value: plain }])
  await admin.send('PATCH strategic', `${path}/s`, { data: { key: encoded }, $patch: plain })
  await admin.send('PATCH apply', `${path}/s?fieldManager=x`, { ...secret, data: { key: plain } })
  await admin.send('PATCH apply', `${path}/s?fieldManager=x&force=true`, secret)
  await admin.send('GET', `${path}/s`)
  await admin.send('GET', path)
  await admin.send('GET', `${path}?watch=1`)
  await admin.send('GET', '/api/v1/secrets', undefined, { accept: 'application/yaml' })
  // Sent to the wrong path.
  await admin.send('POST', '/api/v1/namespaces/default/configmaps', secret)
  await admin.send('PUT', '/api/v1/namespaces/default/configmaps/s', secret)
  await admin.send('POST', '/nowhere', secret)
  await admin.send('POST', '/api/v1/namespaces/default/configmaps', { kind: 'List', items: [secret] })
  await admin.send('DELETE', `${path}/s`)
  await admin.send('DELETE', path)

  const token = await cluster.token('default', 'bot')
  const bot = cluster.caller({ token })
  await bot.send('GET', path)
  await admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })
  const wrong = `${token}x`
  await cluster.caller({ token: wrong }).send('GET', path)
  await admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: wrong } })

  await cluster.server.stop()
  const log = cluster.server.log()
  const audit = await readFile(auditFile, 'utf8')
  assert.ok(audit.includes('"resource":"secrets"'), 'the audit trail tells of secrets')
  for (const [where, text] of [
    ['log', log],
    ['audit trail', audit],
  ] as const) {
    for (const hidden of [plain, encoded, token, token.split('.')[2] ?? '', encoded.slice(0, 12)]) {
      const at = text.indexOf(hidden)
      assert.ok(at < 0, `the ${where} has it: ${text.slice(Math.max(0, at - 300), at + 100)}`)
    }
  }
})
