import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLabelSelector } from '@orrery/kinds/values'
import { searchText } from './search.js'

const search = (selector: string, consumer?: string, after?: string) =>
  searchText({ source: 's', consumer, after, selector: parseLabelSelector(selector) })

test('searchText: selects the works of a source, and of a consumer after an ID', () => {
  assert.equal(search(''), "source='s'")
  assert.equal(search('', 'c', 'x-1'), "source='s' and consumer_name='c' and id>'x-1'")
})

test('searchText: sends only requirements that servers evaluate as Kubernetes does', () => {
  assert.equal(search('a=b'), `source='s' and payload->'metadata'->'labels'@>'{"a":"b"}'`)
  assert.equal(search('a in (b,c)'), "source='s' and payload->'metadata'->'labels'->>'a'in('b','c')")
  for (const selector of ['a!=b', 'a notin (b)', 'a', '!a', 'a=', 'a in (b,)']) {
    assert.equal(search(selector), "source='s'", selector)
  }
})

test('searchText: has fewer operators than servers accept', () => {
  const selector = Array.from({ length: 30 }, (_, index) => `l${index}=x`).join(',')
  assert.ok(search(selector, 'c', 'x').split(' and ').length <= 10)
})
