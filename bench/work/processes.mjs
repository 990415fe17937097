// The processes that the work benchmark runs, as a user would start them.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const CLI = new URL('../../packages/cli/bin/orrery.js', import.meta.url).pathname

/** As `orrery up` starts its parts. */
const FLAGS = ['--max-semi-space-size=4', '--v8-pool-size=1']

/** Starts a part, adds it to those to stop, and resolves once it is ready. */
export async function startPart(parts, args, isReady) {
  const child = spawn(process.execPath, [...FLAGS, CLI, ...args, '--log-level', 'error'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const part = {
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
  parts.push(part)
  await until(isReady, `orrery ${args[0]} is ready`)
  return part
}

export async function until(holds, what, seconds = 60) {
  const deadline = performance.now() + seconds * 1000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`after ${seconds} s it was still not so: ${what}`)
    await sleep(20)
  }
}

/** Resident memory of a process, in MiB. Linux only. */
export function residentMebibytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
}

/** CPU time of a process, in milliseconds. Linux only. */
export function cpuMilliseconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export function fileIn(directory, ...path) {
  const file = join(directory, ...path)
  return { file, isThere: () => existsSync(file) }
}
