import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonValue } from '@orrery/kinds'
import fc from 'fast-check'
import { difference, fieldSet, intersection, recursiveDifference, union, withoutChanged } from './algebra.js'
import { EMPTY, eachPath, type FieldSet, formatPath, hasPath, type Path } from './field-set.js'
import { parseFieldSet } from './fields-v1.js'

const element = fc.constantFrom('f:a', 'f:b', 'f:__proto__', 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:1', 'v:"s"', 'i:0')
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const set = fc.array(path, { maxLength: 8 }).map((paths) => paths.reduce((all, one) => union(all, only(one)), EMPTY))

function only(elements: Path): FieldSet {
  return elements.reduceRight<FieldSet>((node, name) => ({ [name]: node }), {})
}

function pathsOf(fields: FieldSet): string[] {
  const paths: string[] = []
  eachPath(fields, (each) => paths.push(each.join(' ')))
  return paths.sort()
}

function property<T extends [unknown, ...unknown[]]>(...args: Parameters<typeof fc.property<T>>): void {
  fc.assert(fc.property<T>(...args), { numRuns: 200 })
}

describe('FieldSet algebra', () => {
  test('union: is commutative, associative and idempotent', () => {
    property(set, set, set, (a, b, c) => {
      assert.deepEqual(union(a, b), union(b, a))
      assert.deepEqual(union(union(a, b), c), union(a, union(b, c)))
      assert.deepEqual(union(a, a), a)
      assert.deepEqual(union(a, EMPTY), a)
    })
  })

  test('union, intersection, difference: equal those of the path sets', () => {
    property(set, set, (a, b) => {
      const left = new Set(pathsOf(a))
      const right = new Set(pathsOf(b))
      assert.deepEqual(pathsOf(union(a, b)), [...new Set([...left, ...right])].sort())
      assert.deepEqual(pathsOf(intersection(a, b)), [...left].filter((one) => right.has(one)).sort())
      assert.deepEqual(pathsOf(difference(a, b)), [...left].filter((one) => !right.has(one)).sort())
    })
  })

  test('recursiveDifference: also removes paths below', () => {
    property(set, set, (a, b) => {
      const right = pathsOf(b)
      const expected = pathsOf(a).filter((one) => !right.some((other) => one === other || one.startsWith(`${other} `)))
      assert.deepEqual(pathsOf(recursiveDifference(a, b)), expected)
    })
  })

  test('difference: leaves a part of the original after an addition is removed', () => {
    property(set, set, (a, b) => {
      const rest = difference(union(a, b), b)
      assert.deepEqual(intersection(rest, a), rest)
    })
  })

  test('hasPath: agrees with eachPath', () => {
    property(set, path, (a, one) => {
      assert.equal(hasPath(a, one), pathsOf(a).includes(one.join(' ')))
    })
  })

  test('parseFieldSet: returns every result unchanged', () => {
    property(set, set, (a, b) => {
      for (const result of [union(a, b), intersection(a, b), difference(a, b), recursiveDifference(a, b)]) {
        const wire = JSON.parse(JSON.stringify(result)) as JsonValue
        assert.equal(JSON.stringify(parseFieldSet(wire)), JSON.stringify(result))
      }
    })
  })

  test('FieldSet: never modifies inputs', () => {
    property(set, set, (a, b) => {
      const before = JSON.stringify([a, b])
      union(a, b)
      difference(a, b)
      intersection(a, b)
      recursiveDifference(a, b)
      assert.equal(JSON.stringify([a, b]), before)
    })
  })

  test('withoutChanged: also removes stale ownership of parts of a changed value', () => {
    const granular = union(fieldSet(['spec', 'list', 'old']), fieldSet(['spec', 'other']))
    assert.deepEqual(withoutChanged(granular, fieldSet(['spec', 'list'])), fieldSet(['spec', 'other']))
    assert.deepEqual(difference(granular, fieldSet(['spec', 'list'])), granular)
  })

  test('eachPath: visits members before their children, in the order of elements', () => {
    const wire = {
      'f:b': { 'f:x': {} },
      'f:a': { '.': {}, 'k:{"port":10}': {}, 'k:{"port":9}': {}, 'v:"q"': {}, 'i:2': {}, 'i:10': {} },
    }
    const shown: string[] = []
    eachPath(parseFieldSet(wire), (each) => shown.push(formatPath(each)))
    assert.deepEqual(shown, ['.a', '.a[port=9]', '.a[port=10]', '.a[="q"]', '.a[2]', '.a[10]', '.b.x'])
  })
})
