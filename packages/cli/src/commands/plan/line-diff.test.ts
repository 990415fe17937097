import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lineDiff, unifiedLines } from './line-diff.js'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })

test('lineDiff: transforms one text into the other', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const changes = lineDiff(before, after)
      const of = (sign: string) => changes.filter((one) => one.sign !== sign).map(({ line }) => line)
      assert.deepEqual(of('+'), before)
      assert.deepEqual(of('-'), after)
    }),
  )
})

test('lineDiff: keeps the maximum number of lines', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const kept = lineDiff(before, after).filter(({ sign }) => sign === ' ').length
      assert.equal(kept, longestCommon(before, after))
    }),
  )
})

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number) => table[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const row = table[i] as number[]
      row[j] = a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1))
    }
  }
  return at(a.length, b.length)
}

test('lineDiff: replaces long texts without common lines as a whole', () => {
  const before = Array.from({ length: 5_000 }, (_, at) => `old ${at}`)
  const after = Array.from({ length: 5_000 }, (_, at) => `new ${at}`)
  assert.equal(lineDiff(before, after).length, 10_000)
})

test('unifiedLines: shows lines near changes only', () => {
  const before = Array.from({ length: 20 }, (_, at) => `line ${at}`)
  const after = before.with(10, 'changed').with(0, 'first')
  assert.deepEqual(unifiedLines(lineDiff(before, after)), [
    '- line 0',
    '+ first',
    '  line 1',
    '  line 2',
    '  line 3',
    '…',
    '  line 7',
    '  line 8',
    '  line 9',
    '- line 10',
    '+ changed',
    '  line 11',
    '  line 12',
    '  line 13',
  ])
  assert.deepEqual(unifiedLines(lineDiff(before, before)), [])
})
