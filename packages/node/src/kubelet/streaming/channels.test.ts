import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import type { MessageSocket } from '@orrery/kube/transport'
import { CommandChannels } from './channels.js'

const ALL = { stdin: true, stdout: true, stderr: true }

/** A socket that records whether it is read. */
class Socket implements MessageSocket {
  readonly protocol = 'v5.channel.k8s.io'
  readonly sent: string[] = []
  isRead = true
  isClosed = false
  receive: (data: Buffer) => void = () => undefined

  send(data: Buffer): boolean {
    this.sent.push(`${data[0]}:${data.toString('utf8', 1)}`)
    return true
  }

  onMessage(callback: (data: Buffer, frame: 'text' | 'binary') => void): void {
    this.receive = (data) => callback(data, 'binary')
  }

  onDrain(): void {
    // Never full.
  }

  onClose(): void {
    // The client stays connected.
  }

  pause(): void {
    this.isRead = false
  }

  resume(): void {
    this.isRead = true
  }

  close(): void {
    this.isClosed = true
  }
}

test('CommandChannels: reads the answer to its close frame when the command was never started', () => {
  const socket = new Socket()
  const channels = new CommandChannels(socket, ALL)
  assert.equal(socket.isRead, false, 'input waits for the command')
  socket.receive(Buffer.from('\0input'))
  channels.finish({ status: 'Failure' })
  assert.deepEqual([socket.isRead, socket.isClosed], [true, true])
  assert.equal(socket.sent.at(-1), '3:{"metadata":{},"status":"Failure"}')
})

test('CommandChannels: reads the answer to its close frame when the command did not take all input', () => {
  const socket = new Socket()
  const channels = new CommandChannels(socket, ALL)
  channels.feed(new Writable({ highWaterMark: 1, write: () => undefined }), true)
  socket.receive(Buffer.from('\0input'))
  assert.equal(socket.isRead, false, 'the command does not read')
  channels.finish({ status: 'Success' })
  assert.deepEqual([socket.isRead, socket.isClosed], [true, true])
})
