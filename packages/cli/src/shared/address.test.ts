import assert from 'node:assert/strict'
import test from 'node:test'
import { listenAddress, urlOf } from './address.js'

test('an address to listen on has a port, and may have a host', () => {
  assert.deepEqual(listenAddress(':8443'), { host: undefined, port: 8443 })
  assert.deepEqual(listenAddress('127.0.0.1:0'), { host: '127.0.0.1', port: 0 })
  assert.deepEqual(listenAddress('[::1]:8443'), { host: '::1', port: 8443 })
  for (const text of ['', '8443', 'host', ':', ':70000', '::1:8443', '[host]:1', 'http://x:1']) {
    assert.throws(() => listenAddress(text), /It is host:port or :port/, text)
  }
})

test('an address is shown as browsers take it', () => {
  assert.equal(urlOf({ host: undefined, port: 1 }), 'https://localhost:1')
  assert.equal(urlOf({ host: '::1', port: 1 }), 'https://[::1]:1')
})
