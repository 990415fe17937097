import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageSocket } from '@orrery/kube/transport'
import type { GroupProcess } from '../os/child-process.js'
import { prepareExec } from './exec.js'

/** A container that counts started commands, and how many start within one turn of the event loop. */
class CountedWorkspace {
  started = 0
  maxInOneTurn = 0
  #inThisTurn = 0

  async executedCommand(command: readonly string[]): Promise<readonly string[]> {
    return command
  }

  async enter(): Promise<GroupProcess> {
    this.started++
    if (this.#inThisTurn++ === 0) {
      setImmediate(() => {
        this.#inThisTurn = 0
      })
    }
    this.maxInOneTurn = Math.max(this.maxInOneTurn, this.#inThisTurn)
    return { ended: Promise.resolve({ exitCode: 0, signal: undefined }), kill: () => undefined } as never
  }
}

function clientSocket({ isClosed = false } = {}): MessageSocket {
  const nothing = () => undefined
  return {
    protocol: 'v5.channel.k8s.io',
    send: () => true,
    onMessage: nothing,
    onDrain: nothing,
    onClose: (callback) => isClosed && callback(1006, ''),
    pause: nothing,
    resume: nothing,
    close: nothing,
  }
}

const REQUEST = { command: ['true'], tty: false, stdin: false, stdout: true, stderr: true }

test('prepareExec: starts the commands of a container one at a time and lets other work run in between', async () => {
  const workspace = new CountedWorkspace()
  const serve = await prepareExec(workspace, REQUEST)
  await Promise.all(Array.from({ length: 100 }, () => serve(clientSocket())))
  assert.deepEqual([workspace.started, workspace.maxInOneTurn], [100, 1])
})

test('prepareExec: starts nothing for a client that disconnected while waiting', async () => {
  const workspace = new CountedWorkspace()
  const serve = await prepareExec(workspace, REQUEST)
  await Promise.all([serve(clientSocket({ isClosed: true })), serve(clientSocket())])
  assert.equal(workspace.started, 1)
})
