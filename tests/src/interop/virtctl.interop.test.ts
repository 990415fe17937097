import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '@orrery/kube/testing'
import { VirtualMachine } from '@orrery/node/kubevirt'
import { whyNoGuest } from '../kubevirt/guest.js'
import { guest, PATIENCE, startMachines } from '../kubevirt/machines.js'
import { refOf } from '../kubevirt/vm-cluster.js'
import { temporaryDirectory } from '../support/server.js'
import { OCM_BIN } from './ocm.js'

const VIRTCTL = join(OCM_BIN, 'virtctl')
const notBuilt = existsSync(VIRTCTL) ? false : 'virtctl is not built: see tools/interop/prepare-virtctl.mjs'
/** Ctrl+] ends the console. */
const ESCAPE = '\x1d'

test('interop: virtctl starts a guest, uses its console, and stops it', { skip: whyNoGuest || notBuilt }, async (t) => {
  const { server } = await startMachines(t)
  const client = server.client()
  const kubeconfig = join(await temporaryDirectory(t), 'kubeconfig')
  await writeFile(kubeconfig, await server.kubeconfig('cluster'))
  const options = { env: { ...process.env, KUBECONFIG: kubeconfig } }
  const virtctl = async (...args: string[]) => (await promisify(execFile)(VIRTCTL, args, options)).stdout
  const untilPrinted = (printableStatus: string) =>
    eventually(
      `it is ${printableStatus}`,
      async () => (await client.get(VirtualMachine, refOf('vm'))).status?.printableStatus === printableStatus,
      PATIENCE,
    )
  await client.create(VirtualMachine, guest('vm', { runStrategy: 'Manual' }))
  await virtctl('start', 'vm')
  await untilPrinted('Running')
  const console = spawn(VIRTCTL, ['console', 'vm'], options)
  t.after(() => console.kill('SIGKILL'))
  let output = ''
  console.stdout.on('data', (piece: Buffer) => {
    output += piece.toString('utf8')
  })
  const written = (text: string) =>
    eventually(`${text} is written`, () => output.includes(text), { ...PATIENCE, seen: () => output })
  await written('guest is up')
  console.stdin.write('say hello\r')
  await written('heard hello')
  const ended = new Promise((resolve) => console.once('exit', resolve))
  console.stdin.write(ESCAPE)
  assert.equal(await ended, 0)
  await virtctl('pause', 'vm', 'vm')
  await untilPrinted('Paused')
  await virtctl('unpause', 'vm', 'vm')
  await untilPrinted('Running')
  await virtctl('stop', 'vm')
  await untilPrinted('Stopped')
})
