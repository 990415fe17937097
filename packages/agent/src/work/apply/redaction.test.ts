import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutSecrets } from './redaction.js'

const base64 = (text: string) => Buffer.from(text).toString('base64')

test('withoutSecrets: removes the values of a Secret from a message in every encoding', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    data: { a: base64('sesame'), b: base64('sesame street'), pem: base64('-----\nkey\n') },
    stringData: { c: 'tulip', short: 'no' },
  }
  const texts = [base64('sesame'), 'sesame', 'sesame street', 'tulip', JSON.stringify('-----\nkey\n')]
  const stars = ['***', '***', '***', '***', '"***"']
  assert.equal(withoutSecrets(`no: ${texts.join(' ')}`, secret), `no: ${stars.join(' ')}`)
})

test('withoutSecrets: leaves messages about other kinds as they are', () => {
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'sesame' } }
  assert.equal(withoutSecrets('sesame', configMap), 'sesame')
})
