import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { Isolation } from '../../kubelet/isolation/isolation.js'

const HOLDER = new URL('./site-holder.fixture.js', import.meta.url).pathname
const whyNot = await Isolation.probe([]).then(
  () => undefined,
  (error: Error) => error.message,
)

for (const how of ['isolated', 'open']) {
  const skip = process.platform !== 'linux' ? 'Linux only' : how === 'isolated' ? (whyNot ?? false) : false
  test(`QemuSite: an ${how} program ends when the node is killed`, { skip }, async (t) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'orrery-site-')))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const holder = spawn(process.execPath, [HOLDER, directory, how], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => holder.kill('SIGKILL'))
    const [line] = await once(holder.stdout, 'data')
    const pid = Number(String(line))
    if (!existsSync(`/proc/${pid}`)) throw new Error(`process ${pid} is not there`)
    holder.kill('SIGKILL')
    await eventually('the program has ended', () => !existsSync(`/proc/${pid}`))
  })
}
