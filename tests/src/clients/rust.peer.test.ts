import test from 'node:test'
import { startServer } from '../support/server.js'
import { runProgram, rustProgram, whySkipped } from './program.js'

test('kube-rs', { skip: whySkipped(rustProgram) ?? false }, async (t) => {
  const server = await startServer(t)
  await runProgram(t, rustProgram, server.kubeconfig)
})
