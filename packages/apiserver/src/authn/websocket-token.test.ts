import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import { webSocketToken } from './websocket-token.js'

const PREFIX = 'base64url.bearer.authorization.k8s.io.'
const encoded = (token: string | Buffer) => PREFIX + Buffer.from(token).toString('base64url')
const asking = (protocols: string | undefined, upgrade = 'websocket') => ({
  headers: { connection: 'Upgrade', upgrade, 'sec-websocket-protocol': protocols },
})

test('webSocketToken: parses the token among the subprotocols of a WebSocket request', () => {
  assert.equal(webSocketToken(asking(`${encoded('a.b.c')}, base64.binary.k8s.io`)), 'a.b.c')
  assert.equal(webSocketToken(asking(`base64.binary.k8s.io,${encoded('ü')}`)), 'ü')
})

test('webSocketToken: returns undefined without a token', () => {
  assert.equal(webSocketToken(asking(undefined)), undefined)
  assert.equal(webSocketToken(asking('base64.binary.k8s.io')), undefined)
  assert.equal(webSocketToken(asking(`${encoded('t')}, x`, 'h2c')), undefined)
})

const REFUSED: [string, string][] = [
  ['the only subprotocol', encoded('t')],
  ['two tokens', `${encoded('t')}, ${encoded('u')}, x`],
  ['padding', `${PREFIX}dA==, x`],
  ['text that is not base64', `${PREFIX}d, x`],
  ['bytes that are not UTF-8', `${encoded(Buffer.from([0xff, 0xfe]))}, x`],
]
for (const [what, protocols] of REFUSED) {
  test(`webSocketToken: refuses ${what}`, () => {
    assert.throws(
      () => webSocketToken(asking(protocols)),
      (error) => error instanceof StatusError && error.code === 401,
    )
  })
}
