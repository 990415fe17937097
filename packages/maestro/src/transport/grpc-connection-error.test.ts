import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError } from '@orrery/kube/transport'
import { connectionErrorOf } from './grpc-connection-error.js'

for (const [what, reason, code] of [
  [
    'with TLS',
    'Error: 80:error:0A:SSL routines::tlsv1 alert no application protocol:rec_layer_s3.c',
    'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  ],
  ['without TLS', 'Protocol error (2026-01-02T03:04:05.678Z)', 'EPROTO'],
] as const) {
  test(`connectionErrorOf: names the port of another protocol, ${what}`, () => {
    const details = `No connection established. Last error: ${reason}`
    const error = connectionErrorOf(Object.assign(new Error(details), { code: 14, details }), 'a:1')
    assert.ok(error instanceof ConnectionError)
    assert.deepEqual([error.message, error.code], ['gRPC port a:1: the port does not serve this protocol', code])
  })
}
