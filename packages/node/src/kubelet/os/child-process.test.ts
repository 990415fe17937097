import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GroupProcess } from './child-process.js'

test('GroupProcess: starts processes of different flows in turns', async () => {
  const order: string[] = []
  const start = async (flow: string) => {
    const options = { command: ['true'], environment: new Map(), directory: '/', flow, onOutput: () => undefined }
    const child = await GroupProcess.start(options)
    order.push(flow)
    await child.ended
  }
  await Promise.all([...Array.from({ length: 20 }, () => start('busy')), start('quiet')])
  assert.equal(order.indexOf('quiet'), 2)
})
