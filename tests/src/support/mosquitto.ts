import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from './free-port.js'
import { afterwards, temporaryDirectory } from './server.js'

const PATHS = ['/usr/sbin/mosquitto', '/usr/bin/mosquitto', '/usr/local/sbin/mosquitto', '/opt/homebrew/sbin/mosquitto']

/** An MQTT broker, which can be stopped and started again on its port. */
export interface Mosquitto {
  /** Host and port. */
  readonly address: string
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts the system's Mosquitto on a free port for one test. Everyone may connect. */
export async function startMosquitto(t: Pick<TestContext, 'after'>): Promise<Mosquitto> {
  const program = PATHS.find((path) => existsSync(path))
  if (program === undefined) throw new Error('Mosquitto is not installed: install the package mosquitto')
  const port = await freePort()
  const file = join(await temporaryDirectory(t), 'mosquitto.conf')
  await writeFile(file, `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n`)
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(program, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    await isReady(child)
  }
  const stop = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  afterwards(t, stop)
  await start()
  return { address: `127.0.0.1:${port}`, stop, start }
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-6_000)
      if (/mosquitto version \S+ running/.test(log)) resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`Mosquitto ended with ${code}:\n${log}`)))
  })
}
