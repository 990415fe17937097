import assert from 'node:assert/strict'
import { access, constants, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Isolation } from './isolation.js'
import type { SandboxSite } from './sandbox-site.js'
import { findTools } from './tools.js'

const isolation = await Isolation.probe([]).catch((error: Error) => error)
const skip = isolation instanceof Error ? `this machine cannot: ${isolation.message}` : false
const environment = new Map([['PATH', '/usr/bin:/bin']])

async function madeDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'orrery-hostile-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Creates a container with a pod file mounted over `setpriv`, if `tool` is given. */
async function madeSite(t: TestContext, tool?: string): Promise<SandboxSite> {
  const volume = await madeDirectory(t)
  const { setpriv } = await findTools()
  if (tool !== undefined) await writeFile(join(volume, 'tool'), tool, { mode: 0o755 })
  return (isolation as Isolation).site({
    hostname: 'pod',
    mounts: tool === undefined ? [] : [{ source: volume, subPath: 'tool', mountPath: setpriv, readOnly: true }],
    messagePath: '/dev/termination-log',
    workingDirectory: '/mnt',
    directory: await madeDirectory(t),
    program: { command: ['/bin/sh'] },
    executables: ['/bin/sh'],
  })
}

test('Isolation: protects the tool that enters a container from writes by its processes', { skip }, async (t) => {
  const site = await madeSite(t)
  const waiting = ['sh', '-c', 'echo there; read x']
  const child = await site.start({ command: waiting, environment, onOutput: () => undefined, hasInput: true })
  const entered = await new Promise<Awaited<ReturnType<SandboxSite['enter']>>>((resolve) => {
    const entering = site.enter({
      command: waiting,
      environment,
      hasInput: true,
      onOutput: () => void entering.then(resolve),
    })
  })
  // Until it executes the command, the process in the container has this file as its executable, on the same mount.
  const file = `/proc/${entered.leader}/exe`
  await assert.rejects(access(file, constants.W_OK), { code: /^(EROFS|EACCES)$/ })
  entered.input?.end()
  await entered.ended
  child.input?.end()
  await child.ended
})

/** Prints what a program can do to the control groups of the node. */
const GROUPS = `for kind in cgroup2 cgroup; do
  unshare --user --cgroup --mount --keep-caps sh -c "mount -n -t $kind none /mnt && echo mounted" 2>/dev/null
done; echo tried`

test('Isolation: prevents programs from mounting the control groups of the node', { skip }, async (t) => {
  let text = ''
  const onOutput = (_: unknown, piece: Buffer) => {
    text += piece
    return undefined
  }
  const site = await madeSite(t)
  const command = ['sh', '-c', GROUPS]
  await (await site.start({ command, environment, onOutput })).ended
  // Has all privileges in the namespaces of the program.
  const tool = `#!/bin/sh\nmkdir -p /mnt\n${GROUPS.replaceAll(' --user', '').replaceAll(' --keep-caps', '')}
while [ "$1" != -- ]; do shift; done; shift; exec "$@"\n`
  const privileged = await madeSite(t, tool)
  await (await privileged.start({ command: ['true'], environment, onOutput })).ended
  assert.equal(text, 'tried\ntried\n')
})

test('Isolation: limits the output and the time of a tool that the pod replaced', { skip }, async (t) => {
  const start = async (tool: string) => {
    const site = await madeSite(t, `#!/bin/sh\n${tool}\n`)
    return site.start({ command: ['true'], environment, onOutput: () => undefined })
  }
  const printing = assert.rejects(start('exec yes >&5'), /failed to make a sandbox: y/)
  const waiting = assert.rejects(start('exec sleep 600'), /failed to make a sandbox: the sandbox ended during setup/)
  await Promise.all([printing, waiting])
})

test('Isolation: lets programs use the devices of the machine but not change their modes', { skip }, async (t) => {
  let text = ''
  const onOutput = (_: unknown, piece: Buffer) => {
    text += piece
    return undefined
  }
  const site = await madeSite(t)
  const use = 'echo x >/dev/null && head -c 1 /dev/zero | wc -c'
  const change = 'chmod 666 /dev/full && echo changed; touch /dev/zero && echo touched'
  const command = ['sh', '-c', `${use}; (${change}) 2>/dev/null; echo tried`]
  await (await site.start({ command, environment, onOutput })).ended
  assert.equal(text, '1\ntried\n')
})
