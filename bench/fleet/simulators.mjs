// The processes with simulated agents.
import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kubeconfigSource } from '../../packages/kube/dist/kubeconfig/index.js'

const PROGRAM = new URL('simulator.mjs', import.meta.url).pathname

/** Writes what simulated agents need of the bootstrap kubeconfig. */
export async function writeHubFile(bootstrapKubeconfig, directory) {
  const { server, certificateAuthority, token } = await kubeconfigSource({ path: bootstrapKubeconfig }).read()
  const ca = certificateAuthority.text ?? readFileSync(certificateAuthority.file, 'utf8')
  const file = join(directory, 'hub.json')
  writeFileSync(file, JSON.stringify({ server, ca, token }), { mode: 0o600 })
  return file
}

/** Starts a process with simulated agents of managed clusters. */
export function startSimulator(hubFile, leaseSeconds) {
  return startProcess(PROGRAM, [hubFile, `${leaseSeconds}`])
}

/** Starts a program that answers messages. `ask` resolves with its answer. */
export async function startProcess(program, args) {
  const child = fork(program, args, { execArgv: ['--max-semi-space-size=4'] })
  const pending = new Map()
  const answered = (id) => new Promise((resolve, reject) => pending.set(id, { resolve, reject }))
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = pending.get(id)
    pending.delete(id)
    if (error === undefined) resolve(result)
    else reject(new Error(error))
  })
  child.once('exit', (code) => {
    for (const { reject } of pending.values()) reject(new Error(`a simulator ended with ${code}`))
  })
  let last = 0
  await answered(0)
  return {
    pid: child.pid,
    ask(action, input = {}) {
      const id = ++last
      child.send({ id, action, ...input })
      return answered(id)
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}

/** Answers the messages of `ask` with the actions of a program. */
export function answerMessages(actions) {
  process.on('message', async ({ id, action, ...input }) => {
    try {
      process.send({ id, result: (await actions[action](input)) ?? {} })
    } catch (error) {
      process.send({ id, error: error.message })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send({ id: 0, result: {} })
}
