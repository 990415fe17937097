import assert from 'node:assert/strict'
import test from 'node:test'
import { listenAddress, urlOf } from './address.js'

test('listenAddress: requires a port and accepts a host', () => {
  assert.deepEqual(listenAddress(':8443'), { host: undefined, port: 8443 })
  assert.deepEqual(listenAddress('127.0.0.1:0'), { host: '127.0.0.1', port: 0 })
  assert.deepEqual(listenAddress('[::1]:8443'), { host: '::1', port: 8443 })
  for (const text of ['', '8443', 'host', ':', ':70000', '::1:8443', '[host]:1', 'http://x:1']) {
    assert.throws(() => listenAddress(text), /Use host:port or :port/, text)
  }
})

test('urlOf: formats IPv6 addresses and the default host', () => {
  assert.equal(urlOf({ host: undefined, port: 1 }), 'https://localhost:1')
  assert.equal(urlOf({ host: '::1', port: 1 }), 'https://[::1]:1')
})
