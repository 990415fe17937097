import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldSelectorOf, parseFieldSelector, requiredFieldValue } from './field-selector.js'

const fields = (values: Record<string, string>) => (field: string) => values[field] ?? ''

test('parseFieldSelector: matches fields', () => {
  const pod = fields({ 'metadata.name': 'a', 'status.phase': 'Running' })
  for (const text of ['', 'metadata.name=a', 'metadata.name==a,status.phase!=Failed', 'spec.nodeName=']) {
    assert.equal(parseFieldSelector(text).matches(pod), true, text)
  }
  for (const text of ['metadata.name=b', 'metadata.name=a,status.phase!=Running']) {
    assert.equal(parseFieldSelector(text).matches(pod), false, text)
  }
})

test('parseFieldSelector: has a canonical text', () => {
  assert.equal(parseFieldSelector('b==2,a=1,').text, 'a=1,b=2')
  assert.equal(parseFieldSelector('=,a=1').text, 'a=1')
  assert.equal(requiredFieldValue(parseFieldSelector('b!=1,a=x'), 'a'), 'x')
  assert.equal(requiredFieldValue(parseFieldSelector('b!=1'), 'b'), undefined)
})

test("parseFieldSelector: rejects invalid selectors with Kubernetes' messages", () => {
  const cases: [string, string][] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ]
  for (const [text, message] of cases) assert.throws(() => parseFieldSelector(text), { message }, text)
})

test('escapeFieldValue: round-trips any value', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const selector = fieldSelectorOf([{ field: 'f', operator: '=', value }])
      assert.deepEqual(parseFieldSelector(selector.text).requirements, selector.requirements)
    }),
  )
})

test('parseFieldSelector: evaluates thousands of requirements in the time of a few', () => {
  const selector = parseFieldSelector(Array.from({ length: 5_000 }, (_, i) => `metadata.name!=n${i}`).join(','))
  const begin = process.cpuUsage().user
  for (let i = 0; i < 50_000; i++)
    assert.equal(
      selector.matches(() => 'other'),
      true,
    )
  assert.equal(
    selector.matches(() => 'n4999'),
    false,
  )
  const microseconds = process.cpuUsage().user - begin
  assert.ok(microseconds < 1_500_000, `${microseconds} µs`)
  assert.equal(
    parseFieldSelector('a=1,a=2').matches(() => '1'),
    false,
  )
})
