import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { Connections, defaultLimits } from './connections.js'
import { descriptorLimit } from './descriptors.js'

test('Connections: closes the oldest unauthenticated connection above the limit', () => {
  const connections = new Connections({ total: 10, unauthenticated: 2 })
  const [first, second, third] = [new Socket(), new Socket(), new Socket()]
  for (const socket of [first, second, third]) connections.open(socket)
  assert.deepEqual([first?.destroyed, second?.destroyed, third?.destroyed], [true, false, false])
  assert.equal(connections.size, 2)
})

test('Connections: refuses a new connection while all others are in their handshake', () => {
  for (const [graceMilliseconds, destroyed] of [
    [60_000, [false, false, true]],
    [0, [true, false, false]],
  ] as const) {
    const connections = new Connections({ total: 10, unauthenticated: 2, graceMilliseconds })
    const sockets = Array.from({ length: 3 }, () => Object.defineProperty(new Socket(), 'bytesRead', { value: 1 }))
    for (const socket of sockets) connections.open(socket)
    assert.deepEqual(
      sockets.map((socket) => socket.destroyed),
      destroyed,
    )
    assert.equal(connections.size, 2)
  }
})

test('Connections: does not count authenticated connections as unauthenticated', () => {
  const connections = new Connections({ total: 10, unauthenticated: 1 })
  const known = new Socket()
  const connection = connections.open(known)
  assert.ok(connection)
  connections.authenticated(connection, 'ann')
  for (let index = 0; index < 5; index++) connections.open(new Socket())
  assert.equal(known.destroyed, false)
  assert.equal(connections.unauthenticated, 1)
  assert.equal(connections.size, 2)
})

test('Connections: closes a connection of the user with the most when the total is reached', () => {
  const connections = new Connections({ total: 3, unauthenticated: 3 })
  const open = (username: string) => {
    const socket = new Socket()
    const connection = connections.open(socket)
    if (connection !== undefined) connections.authenticated(connection, username)
    return socket
  }
  const ann = open('ann')
  const bob = [open('bob'), open('bob')]
  const cid = open('cid')
  assert.deepEqual(
    [ann, ...bob, cid].map((socket) => socket.destroyed),
    [false, true, false, false],
  )
  assert.equal(open('dan').destroyed, true, 'no user has more than one: the new connection is refused')
  assert.equal(connections.size, 3)
})

test('Connections: forgets closed connections', async () => {
  const connections = new Connections({ total: 3, unauthenticated: 3 })
  const socket = new Socket()
  connections.open(socket)
  socket.destroy()
  await new Promise((resolve) => socket.once('close', resolve))
  assert.equal(connections.size, 0)
})

test('Connections: reserves descriptors for other purposes', () => {
  assert.deepEqual(defaultLimits(512), { total: 384, unauthenticated: 64, graceMilliseconds: 3000 })
  assert.deepEqual(defaultLimits(1_048_576), { total: 786_432, unauthenticated: 10_000, graceMilliseconds: 3000 })
})

test('descriptorLimit: reads the limit of the process and has a default', () => {
  const table =
    'Limit                     Soft Limit           Hard Limit           Units\nMax open files            512 '
  assert.equal(
    descriptorLimit(() => table),
    512,
  )
  const unreadable = () => {
    throw new Error('ENOENT')
  }
  assert.equal(descriptorLimit(unreadable), 1024)
})
