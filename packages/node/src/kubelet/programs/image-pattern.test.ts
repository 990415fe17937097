import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesImage, precision } from './image-pattern.js'

test('matchesImage: matches every tag and digest if the pattern has no tag', () => {
  for (const image of ['nginx', 'nginx:1.25', 'docker.io/library/nginx:1.25', 'nginx@sha256:00']) {
    assert.ok(matchesImage('nginx', image), image)
  }
  assert.ok(!matchesImage('nginx', 'quay.io/nginx'))
  assert.ok(!matchesImage('nginx', 'nginx2'))
})

test('matchesImage: matches only the tag of the pattern', () => {
  assert.ok(matchesImage('nginx:1.25', 'nginx:1.25'))
  assert.ok(!matchesImage('nginx:1.25', 'nginx:1.26'))
})

test('matchesImage: matches any text with a star', () => {
  assert.ok(matchesImage('quay.io/open-*/registration*', 'quay.io/open-cluster/registration-operator:v1'))
  assert.ok(matchesImage('*', 'anything:at/all'))
  assert.ok(matchesImage('a*a', 'a/a'))
  assert.ok(!matchesImage('ab*ba', 'aba'))
  assert.ok(!matchesImage('quay.io/*x', 'docker.io/x'))
})

test('precision: ranks the more specific pattern first', () => {
  const sorted = ['*', 'quay.io/*', 'quay.io/app'].toSorted((a, b) => precision(b) - precision(a))
  assert.deepEqual(sorted, ['quay.io/app', 'quay.io/*', '*'])
})
