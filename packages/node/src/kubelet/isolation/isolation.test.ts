import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { endLeftovers, notePid } from '../os/leftovers.js'
import { Isolation } from './isolation.js'
import type { SandboxSite } from './sandbox-site.js'
import { findTools } from './tools.js'

const isolation = await Isolation.probe([]).catch((error: Error) => error)
const skip = isolation instanceof Error ? `this machine cannot: ${isolation.message}` : false

async function madeSite(t: TestContext, directory?: string): Promise<SandboxSite> {
  const base = directory ?? (await madeDirectory(t))
  const about = { hostname: 'pod', mounts: [], messagePath: '/dev/termination-log', workingDirectory: '/work' }
  const program = { command: ['/bin/sh'] }
  return (isolation as Isolation).site({ ...about, directory: base, program, executables: ['/bin/sh'] })
}

async function madeDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(await realpath(tmpdir()), 'orrery-sandbox-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

function collected(): { readonly text: () => string; readonly onOutput: (_: unknown, piece: Buffer) => undefined } {
  let text = ''
  return {
    text: () => text,
    onOutput: (_, piece) => {
      text += piece.toString()
      return undefined
    },
  }
}

test('Isolation: passes variables and arguments unchanged', { skip }, async (t) => {
  const site = await madeSite(t)
  const { text, onOutput } = collected()
  const odd = `it's "odd" $HOME \`id\` \\ line\nbreak ünï`
  const environment = new Map([
    ['PATH', '/usr/bin:/bin'],
    ['ODD', odd],
    ['with.dots-and-dashes', odd],
    ['UID', 'seven'],
    ['IFS', 'x'],
    ['OPTIND', 'no number'],
    ['__proto__', 'p'],
    ['--split-string', 'sh -c "exit 3"'],
    ['-i', 'no option'],
  ])
  const code = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env, process.cwd()]))'
  const command = [process.execPath, '-e', code, odd, '', '-x', '*']
  const { exitCode } = await (await site.start({ command, environment, onOutput })).ended
  assert.equal(exitCode, 0, text())
  const [args, env, directory] = JSON.parse(text()) as [string[], Record<string, string>, string]
  assert.deepEqual(args, [odd, '', '-x', '*'])
  assert.equal(directory, '/work')
  for (const [name, value] of environment) {
    assert.equal(Object.getOwnPropertyDescriptor(env, name)?.value, value, name)
  }
})

test('Isolation: reports a program that does not exist', { skip }, async (t) => {
  const site = await madeSite(t)
  const { onOutput } = collected()
  const starting = site.start({ command: ['/absent/program'], environment: new Map(), onOutput })
  await assert.rejects(starting, /^NotStarted: failed to start "\/absent\/program": not found in the container$/)
})

test('Isolation: passes standard input and its end to the program', { skip }, async (t) => {
  const site = await madeSite(t)
  const { text, onOutput } = collected()
  const environment = new Map([['PATH', '/usr/bin:/bin']])
  const child = await site.start({ command: ['cat'], environment, onOutput, hasInput: true })
  child.input?.end('read this')
  assert.equal((await child.ended).exitCode, 0)
  assert.equal(text(), 'read this')
})

test('Isolation: ends the sandboxes of a killed node on the next start', { skip }, async (t) => {
  const pods = await madeDirectory(t)
  const directory = join(pods, 'uid/containers/main')
  await mkdir(directory, { recursive: true })
  const site = await madeSite(t, directory)
  const { onOutput } = collected()
  const environment = new Map([['PATH', '/usr/bin:/bin']])
  const child = await site.start({ command: ['sh', '-c', 'sleep 1000 & sleep 1000'], environment, onOutput })
  await notePid(directory, child.leader)
  assert.equal(await endLeftovers(pods), 1)
  await child.ended
  while (isThere(child.pid)) await new Promise(setImmediate)
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('Isolation: masks a hidden directory below every path that shows it', { skip }, async (t) => {
  const project = await madeDirectory(t)
  const fleet = join(project, '.orrery')
  await mkdir(fleet)
  await writeFile(join(fleet, 'hub.key'), 'key')
  await writeFile(join(project, 'own'), 'own')
  const alias = join(await madeDirectory(t), 'alias')
  await symlink(project, alias)
  const hiding = await Isolation.probe([fleet])
  const about = { hostname: 'pod', mounts: [], messagePath: '/dev/termination-log', workingDirectory: '/' }
  const program = { command: ['/bin/sh'], files: [project, alias] }
  const site = await hiding.site({ ...about, directory: await madeDirectory(t), program, executables: ['/bin/sh'] })
  const { text, onOutput } = collected()
  const look = `for at in ${project} ${alias}; do ls -A "$at" "$at/.orrery"; done`
  const environment = new Map([['PATH', '/usr/bin:/bin']])
  const child = await site.start({ command: ['sh', '-c', look], environment, onOutput })
  assert.equal((await child.ended).exitCode, 0, text())
  assert.match(text(), /own/)
  assert.doesNotMatch(text(), /hub\.key/)
})

/** Attempts to break out of a sandbox if it runs with privileges over it. Prints what succeeds. */
const BREAKOUT = `#!/bin/sh
may() { if "$@" 2>/dev/null; then echo "may $*"; fi; }
may mount -n -o remount,bind,rw /usr
may mount -n -o remount,bind,rw PROJECT
may mount -n -o remount,bind,rw /usr/bin/setpriv
may umount -n -l PROJECT/.orrery
may umount -n -l /proc/sys
may mount -n -o remount,bind,rw /proc/sys
may mount -n -t proc proc /mnt
may sh -c ': >/proc/sys/kernel/core_pattern'
echo tried
while [ "$1" != -- ]; do shift; done; shift
exec "$@"
`

test('Isolation: gives files that a pod mounts over tools no privileges over the sandbox', { skip }, async (t) => {
  const project = await madeDirectory(t)
  await mkdir(join(project, '.orrery'))
  await writeFile(join(project, '.orrery/hub.key'), 'key')
  const volume = await madeDirectory(t)
  await writeFile(join(volume, 'tool'), BREAKOUT.replaceAll('PROJECT', project), { mode: 0o755 })
  const hiding = await Isolation.probe([join(project, '.orrery')])
  const { setpriv } = await findTools()
  const site = await hiding.site({
    hostname: 'pod',
    // Runs last before the program, and first when a process enters the container.
    mounts: [{ source: volume, subPath: 'tool', mountPath: setpriv, readOnly: true }],
    messagePath: '/dev/termination-log',
    workingDirectory: '/mnt',
    directory: await madeDirectory(t),
    program: { command: ['/bin/sh'], files: [project] },
    executables: ['/bin/sh'],
  })
  const environment = new Map([['PATH', '/usr/bin:/bin']])
  const started = collected()
  const look = `ls ${project}/.orrery; (: >/usr/own) 2>&1; (: >${project}/own) 2>&1; read x`
  const command = ['sh', '-c', look]
  const child = await site.start({ command, environment, onOutput: started.onOutput, hasInput: true })
  const entered = collected()
  await (await site.enter({ command: ['true'], environment, onOutput: entered.onOutput })).ended
  child.input?.end()
  await child.ended
  assert.match(
    started.text(),
    /^tried\n.*\/usr\/own: (Read-only file system|Permission denied)\n.*\/own: Read-only file system\n$/,
  )
  assert.equal(entered.text(), 'tried\n')
})

test('Isolation: shows a container only the subPath of a volume that it mounts', { skip }, async (t) => {
  const volume = await madeDirectory(t)
  await mkdir(join(volume, 'part'))
  await writeFile(join(volume, 'beside'), 'secret')
  const site = await (isolation as Isolation).site({
    hostname: 'pod',
    mounts: [
      { source: volume, subPath: 'part', mountPath: '/part', readOnly: false },
      { source: volume, subPath: 'new/part', mountPath: '/new', readOnly: true },
    ],
    messagePath: '/dev/termination-log',
    workingDirectory: '/',
    directory: await madeDirectory(t),
    program: { command: ['/bin/sh'] },
    executables: ['/bin/sh'],
  })
  const { text, onOutput } = collected()
  const command = ['sh', '-c', 'echo x >/part/own; (: >/new/own) 2>&1; grep -rl secret /.orrery; :']
  const environment = new Map([['PATH', '/usr/bin:/bin']])
  assert.equal((await (await site.start({ command, environment, onOutput })).ended).exitCode, 0)
  assert.match(text(), /^.*\/new\/own: Read-only file system\n$/)
  assert.equal(await readFile(join(volume, 'part/own'), 'utf8'), 'x\n')
})

test('Isolation: refuses a directory that was replaced by a symbolic link', { skip }, async (t) => {
  const base = await madeDirectory(t)
  await mkdir(join(base, 'keys/volume'), { recursive: true })
  await mkdir(join(base, 'data/volume'), { recursive: true })
  const started = async (source: string) => {
    const site = await (isolation as Isolation).site({
      hostname: 'pod',
      mounts: [{ source, subPath: '', mountPath: '/data', readOnly: false }],
      messagePath: '/dev/termination-log',
      workingDirectory: '/',
      directory: await madeDirectory(t),
      program: { command: ['/bin/sh'] },
      executables: ['/bin/sh'],
    })
    const environment = new Map([['PATH', '/usr/bin:/bin']])
    const child = await site.start({ command: ['true'], environment, onOutput: () => undefined })
    return (await child.ended).exitCode
  }
  const source = join(base, 'data/volume')
  assert.equal(await started(source), 0)
  await rename(source, join(base, 'data/before'))
  await symlink(join(base, 'keys'), source)
  await assert.rejects(started(source), /\/data\/volume is not the directory that it was$/)
  await rename(join(base, 'data'), join(base, 'before'))
  await symlink(join(base, 'keys'), join(base, 'data'))
  await assert.rejects(started(source), /\/data\/volume is not the directory that it was$/)
})

test('Isolation: passes only descriptors 0 to 2 to a program', { skip }, async (t) => {
  const site = await madeSite(t)
  const { text, onOutput } = collected()
  const environment = new Map([['PATH', '/usr/bin:/bin']])
  // Descriptors that this process inherited are replaced by /dev/null.
  const list = 'cd /proc/$$/fd; for one in *; do [ $one -le 2 ] || readlink $one; done'
  const child = await site.start({ command: ['sh', '-c', `${list}; read x`], environment, onOutput, hasInput: true })
  await (await site.enter({ command: ['sh', '-c', list], environment, onOutput })).ended
  child.input?.end()
  await child.ended
  assert.deepEqual(
    text()
      .split('\n')
      .filter((line) => !['', '/dev/null'].includes(line)),
    [],
  )
})

/** Prints whether the user can isolate programs, or why not. */
const PROBE = `import { Isolation } from 'MODULE'
  await Isolation.probe([]).then(() => console.log(process.getuid(), 'can'), (error) => console.log(error.message))`

test('Isolation: reports why a machine cannot isolate programs', { skip }, async (t) => {
  const file = join(await madeDirectory(t), 'probe.mjs')
  await writeFile(file, PROBE.replace('MODULE', new URL('./isolation.js', import.meta.url).href))
  // A user namespace that does not allow further namespaces.
  const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
  const inside = ['--user', '--map-root-user', 'sh', '-c', forbid, 'sh', process.execPath, file]
  const { stdout, stderr } = spawnSync('unshare', inside, { encoding: 'utf8' })
  assert.match(stdout, /^failed to make a sandbox: unshare: unshare failed: /, stderr)
})

const asNobody = process.getuid?.() === 0 && skip === false

test('Isolation: works for a user without privileges', { skip: asNobody ? false : 'needs root' }, async (t) => {
  const directory = await madeDirectory(t)
  await chmod(directory, 0o777)
  const file = join(directory, 'probe.mjs')
  const module = new URL('./isolation.js', import.meta.url)
  await writeFile(file, PROBE.replace('MODULE', module.href))
  const identity = ['--reuid=65534', '--regid=65534', '--clear-groups']
  const { stdout, stderr } = spawnSync('setpriv', [...identity, process.execPath, file], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: directory },
  })
  // Some distributions deny user namespaces to ordinary users; then the reason is reported.
  assert.match(stdout, /^65534 can\n$|unshare|failed to make a sandbox/, stderr)
})
