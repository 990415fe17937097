import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as names from './names.js'

test('names: accepts valid names', () => {
  for (const name of ['a', 'my-name', '123-abc', 'a'.repeat(63)]) assert.deepEqual(names.isDNS1123Label(name), [])
  for (const name of ['a', 'example.com', '1.2.3', 'a'.repeat(253)]) {
    assert.deepEqual(names.isDNS1123Subdomain(name), [])
  }
  for (const name of ['a', 'abc-123']) assert.deepEqual(names.isDNS1035Label(name), [])
  for (const name of ['a', 'A_b.c', 'example.com/Name', '1']) assert.deepEqual(names.isQualifiedName(name), [])
  for (const value of ['', 'a', 'A_b.c', 'x'.repeat(63)]) assert.deepEqual(names.isLabelValue(value), [])
  for (const key of ['a', '.a', 'A_b-c.d', '...a'.slice(2)]) assert.deepEqual(names.isConfigMapKey(key), [])
  assert.deepEqual(names.isPathSegmentName('system:node'), [])
  assert.deepEqual(names.isWildcardDNS1123Subdomain('*.example.com'), [])
  assert.deepEqual(names.isRelaxedEnvVarName('a b:c'), [])
})

test("isDNS1123Label: has Kubernetes' messages", () => {
  assert.deepEqual(names.isDNS1123Label('My_Name'), [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ])
  assert.deepEqual(names.isDNS1123Label('a.b'), ['must not contain dots'])
  assert.deepEqual(names.isDNS1123Label('a'.repeat(64)), ['must be no more than 63 characters'])
})

test("isDNS1123Subdomain: has Kubernetes' messages", () => {
  assert.deepEqual(names.isDNS1123Subdomain('A'), [
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ])
})

test('isQualifiedName: checks prefix and name', () => {
  assert.deepEqual(names.isQualifiedName('/a'), ['prefix part must be non-empty'])
  assert.match(names.isQualifiedName('a/b/c')[0] ?? '', /^a valid label key must consist of/)
  assert.match(names.isQualifiedName('A/b')[0] ?? '', /^prefix part a lowercase RFC 1123 subdomain/)
  assert.equal(names.isQualifiedName('a/')[0], 'name part must be non-empty')
  assert.equal(names.isQualifiedName('x'.repeat(64))[0], 'name part must be no more than 63 bytes')
})

test('isLabelValue: checks the value', () => {
  assert.equal(names.isLabelValue('x'.repeat(64))[0], 'must be no more than 63 bytes')
  assert.match(names.isLabelValue('-a')[0] ?? '', /^a valid label must be an empty string or consist of/)
})

test('isConfigMapKey: rejects keys that leave the directory', () => {
  assert.deepEqual(names.isConfigMapKey('..'), ["must not be '..'"])
  assert.deepEqual(names.isConfigMapKey('..a'), ["must not start with '..'"])
  assert.equal(names.isConfigMapKey('').length, 1)
})

test('isPortName: checks names and numbers of ports', () => {
  assert.deepEqual(names.isPortNumber(0), ['must be between 1 and 65535, inclusive'])
  assert.deepEqual(names.isPortName('http-2'), [])
  assert.deepEqual(names.isPortName('-1--2'), [
    'must contain at least one letter (a-z)',
    'must not contain consecutive hyphens',
    'must not begin or end with a hyphen',
  ])
})

test('isLabelValue: counts the length in bytes', () => {
  assert.equal(names.isLabelValue('é'.repeat(40))[0], 'must be no more than 63 bytes')
})

test('names: takes linear time for malicious input', () => {
  const started = process.cpuUsage().user
  for (const evil of ['a-'.repeat(100_000), `${'a.'.repeat(100_000)}!`, `${'-'.repeat(200_000)}`]) {
    assert.notEqual(names.isDNS1123Subdomain(evil).length, 0)
    assert.notEqual(names.isQualifiedName(evil).length, 0)
  }
  assert.ok(process.cpuUsage().user - started < 2_000_000)
})

test('withoutTrailingDash: generateName may end in a dash', () => {
  assert.deepEqual(names.isDNS1123Label(names.withoutTrailingDash('web-')), [])
  assert.notDeepEqual(names.isDNS1123Label(names.withoutTrailingDash('-')), [])
})
