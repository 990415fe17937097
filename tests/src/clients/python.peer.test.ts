import test from 'node:test'
import { startServer } from '../support/server.js'
import { pythonProgram, runProgram } from './program.js'

test('the Python client', async (t) => {
  const server = await startServer(t)
  await runProgram(t, pythonProgram('main.py'), server.kubeconfig)
})
