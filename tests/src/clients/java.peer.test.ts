import test from 'node:test'
import { startServer } from '../support/server.js'
import { javaProgram, runProgram, whySkipped } from './program.js'

test("fabric8's Java client, which watches over WebSocket", { skip: whySkipped(javaProgram) ?? false }, async (t) => {
  const first = await startServer(t)
  const { dataDirectory } = first
  const { port } = new URL(first.url)
  await runProgram(t, javaProgram, first.kubeconfig, {
    async restart() {
      await first.stop('SIGKILL')
      await startServer(t, { dataDirectory, arguments: ['--port', port] })
    },
  })
})
