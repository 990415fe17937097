import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesImage, precision } from './image-pattern.js'

test('a pattern without a tag means every tag and digest', () => {
  for (const image of ['nginx', 'nginx:1.25', 'docker.io/library/nginx:1.25', 'nginx@sha256:00']) {
    assert.ok(matchesImage('nginx', image), image)
  }
  assert.ok(!matchesImage('nginx', 'quay.io/nginx'))
  assert.ok(!matchesImage('nginx', 'nginx2'))
})

test('a pattern with a tag means that tag', () => {
  assert.ok(matchesImage('nginx:1.25', 'nginx:1.25'))
  assert.ok(!matchesImage('nginx:1.25', 'nginx:1.26'))
})

test('a star stands for anything', () => {
  assert.ok(matchesImage('quay.io/open-*/registration*', 'quay.io/open-cluster/registration-operator:v1'))
  assert.ok(matchesImage('*', 'anything:at/all'))
  assert.ok(matchesImage('a*a', 'a/a'))
  assert.ok(!matchesImage('ab*ba', 'aba'))
  assert.ok(!matchesImage('quay.io/*x', 'docker.io/x'))
})

test('the pattern that says more comes first', () => {
  const sorted = ['*', 'quay.io/*', 'quay.io/app'].toSorted((a, b) => precision(b) - precision(a))
  assert.deepEqual(sorted, ['quay.io/app', 'quay.io/*', '*'])
})
