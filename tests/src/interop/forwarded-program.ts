// Runs in a network of its own: `forwarded-program.js PORT SOCKET PROGRAM [ARGUMENT …]`. Forwards the loopback port to a
// Unix socket, which is reachable from every network, and runs the program.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { forwardTo } from './own-network.js'

const [port = '', socket = '', program = '', ...args] = process.argv.slice(2)
createServer(forwardTo({ path: socket })).listen(Number(port), '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  child.once('exit', (code) => process.exit(code ?? 1))
})
