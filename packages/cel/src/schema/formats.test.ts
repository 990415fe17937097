import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enforcedFormat, stringFormatCheck } from './formats.js'

const CASES: Record<string, { yes: string[]; no: string[] }> = {
  bsonobjectid: { yes: ['507f1f77bcf86cd799439011'], no: ['507f1f77', 'z07f1f77bcf86cd799439011'] },
  uri: {
    yes: ['https://example.com/a?b=c', '/path', 'mailto:a@b'],
    no: ['example.com', '', 'http://a b/', 'http://x/%zz', ':foo'],
  },
  email: { yes: ['a@example.com', 'A Name <a.b@example.com>', '"q q"@x.org'], no: ['a', 'a@', '@b', 'a b@c', 'a@@b'] },
  hostname: {
    yes: ['example.com', 'a-1.example.london', 'localhost'],
    no: ['-a.com', 'a..com', 'a_b.com', `${'a'.repeat(64)}.com`],
  },
  ipv4: { yes: ['10.0.0.1', '010.0.0.1'], no: ['256.0.0.1', '::1', '1.2.3'] },
  ipv6: { yes: ['::1', 'fe80::1'], no: ['10.0.0.1', 'fe80::1%eth0'] },
  cidr: { yes: ['10.0.0.0/8', 'fd00::/64'], no: ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/x'] },
  mac: { yes: ['00:11:22:33:44:55', '0011.2233.4455', '00-11-22-33-44-55'], no: ['00:11', '00:11:22:33:44:zz'] },
  uuid: { yes: ['A987FBC9-4BED-3078-8F07-9141BA07C9F3'], no: ['A987FBC9'] },
  uuid4: { yes: ['57b73598-8764-4ad0-a76a-679bb6640eb1'], no: ['57b73598-8764-3ad0-a76a-679bb6640eb1'] },
  isbn: { yes: ['0321751043', '978-0321751041'], no: ['0321751044'] },
  creditcard: { yes: ['4111-1111-1111-1111'], no: ['4111-1111-1111-1112'] },
  ssn: { yes: ['111-11-1111'], no: ['111111111'] },
  hexcolor: { yes: ['#FFF', 'aabbcc'], no: ['#FF'] },
  rgbcolor: { yes: ['rgb(1, 2, 255)'], no: ['rgb(1,2,256)'] },
  byte: { yes: ['YWJj', 'YQ=='], no: ['', 'YQ=', '!!!!'] },
  password: { yes: ['', 'anything'], no: [] },
  date: { yes: ['2024-02-29'], no: ['2023-02-29', '2024-13-01', '2024-1-1'] },
  duration: { yes: ['1h30m', '5s', '0', '-1.5h', '2 weeks', '3 days'], no: ['x', '5', 'weeks'] },
  'date-time': {
    yes: ['2024-05-01T10:00:00Z', '2024-05-01t10:00:00.5+02:00'],
    no: ['2024-05-01', '2024-05-01T25:00:00Z'],
  },
  'k8s-short-name': { yes: ['abc-1'], no: ['Abc', '-a', 'a'.repeat(64)] },
  'k8s-long-name': { yes: ['abc.def-1'], no: ['abc..def'] },
}

for (const [format, { yes, no }] of Object.entries(CASES)) {
  test(`format ${format}: accepts valid and rejects invalid strings`, () => {
    const check = stringFormatCheck(format)
    for (const text of yes) assert.equal(check?.(text), true, text)
    for (const text of no) assert.equal(check?.(text), false, text)
  })
}

test('enforcedFormat: ignores formats of other types', () => {
  assert.equal(enforcedFormat('string', 'date-time'), 'date-time')
  assert.equal(enforcedFormat('', 'uuid'), 'uuid')
  assert.equal(enforcedFormat('string', 'int32'), '')
  assert.equal(enforcedFormat('integer', 'int32'), 'int32')
  assert.equal(enforcedFormat('integer', 'uuid'), '')
  assert.equal(enforcedFormat('number', 'double'), 'double')
  assert.equal(enforcedFormat('object', 'uuid'), '')
  assert.equal(enforcedFormat('string', 'no-such-format'), '')
})

test('stringFormatCheck: takes linear time for long malicious texts', () => {
  const long = 200_000
  const texts = ['1'.repeat(long), ' '.repeat(long), 'a.'.repeat(long), `${'1'.repeat(long)}h`, `"${'a'.repeat(long)}`]
  const start = process.hrtime.bigint()
  for (const format of Object.keys(CASES)) for (const text of texts) stringFormatCheck(format)?.(text)
  assert.ok(process.hrtime.bigint() - start < 2_000_000_000n)
})
