import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullImageName, imageId } from './image.js'

test('fullImageName: adds the default registry and tag', () => {
  assert.equal(fullImageName('nginx'), 'docker.io/library/nginx:latest')
  assert.equal(fullImageName('bitnami/redis:7'), 'docker.io/bitnami/redis:7')
  assert.equal(fullImageName('localhost:5000/app'), 'localhost:5000/app:latest')
  assert.equal(fullImageName('quay.io/a/b@sha256:00'), 'quay.io/a/b@sha256:00')
})

test('imageId: returns the same id for the same image name', () => {
  assert.equal(imageId('nginx'), imageId('docker.io/library/nginx:latest'))
  assert.match(imageId('quay.io/a/b:1'), /^quay\.io\/a\/b@sha256:[0-9a-f]{64}$/)
})
