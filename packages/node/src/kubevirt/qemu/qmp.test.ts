import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { QmpConnection, type QmpEvent } from './qmp.js'

/** The node's end of a connection, with what it has sent. */
function line() {
  const sent: Record<string, unknown>[] = []
  const stream = new Duplex({
    read: () => undefined,
    write(piece: Buffer, _, done) {
      sent.push(JSON.parse(piece.toString('utf8')))
      done()
    },
  })
  return { stream, sent, receive: (...texts: string[]) => texts.forEach((text) => void stream.push(text)) }
}

test('QmpConnection: matches answers to commands, in any order and in pieces', async () => {
  const { stream, sent, receive } = line()
  const events: QmpEvent[] = []
  const monitor = new QmpConnection(stream, (event) => events.push(event))
  receive('{"QMP": {"version": {}}}\r\n')
  await monitor.greeted
  const first = monitor.execute('stop')
  const second = monitor.execute('send-key', { keys: [] })
  assert.deepEqual(sent, [
    { execute: 'stop', id: 1 },
    { execute: 'send-key', arguments: { keys: [] }, id: 2 },
  ])
  receive('{"return": {"n"', ': 2}, "id": 2}\n{"event": "STOP", "data": {"x": 1}}\nnot JSON\n{"return": {}, "id": 1}\n')
  assert.deepEqual(await second, { n: 2 })
  assert.deepEqual(await first, {})
  assert.deepEqual(events, [{ name: 'STOP', data: { x: 1 } }])
})

test('QmpConnection: a command fails with the description of QEMU, and at the end of the machine', async () => {
  const { stream, receive } = line()
  const monitor = new QmpConnection(stream)
  const failed = monitor.execute('cont')
  receive('{"id": 1, "error": {"class": "GenericError", "desc": "it cannot"}}\n')
  await assert.rejects(failed, /it cannot/)
  const pending = monitor.execute('cont')
  stream.destroy()
  await assert.rejects(pending, /the virtual machine has ended/)
  await assert.rejects(monitor.execute('cont'), /the virtual machine has ended/)
})

test('QmpConnection: cuts a connection that sends a line without end', async () => {
  const { stream, receive } = line()
  new QmpConnection(stream)
  const closed = new Promise((resolve) => stream.once('close', resolve))
  for (let piece = 0; piece < 5; piece++) receive('x'.repeat(1024 * 1024))
  await closed
})
