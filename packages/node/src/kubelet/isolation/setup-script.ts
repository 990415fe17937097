import { posix } from 'node:path'
import type { Shown } from './machine-view.js'
import { type Mount, mountsOf } from './mount-table.js'
import { commandLine, quoted } from './shell.js'
import type { SandboxTools } from './tools.js'

/** A volume as a sandbox has it. */
export interface SandboxMount {
  /** The directory or file on the machine. */
  readonly source: string
  /** The part of it that is mounted; empty for all of it. */
  readonly subPath: string
  readonly mountPath: string
  readonly readOnly: boolean
}

export interface SetupOptions {
  /** The directory that becomes the root of the sandbox, with a place for everything that is shown. */
  readonly root: string
  readonly hostname: string
  readonly shown: readonly Shown[]
  /** Directories below something shown that must not be seen. */
  readonly masked: readonly string[]
  readonly mounts: readonly SandboxMount[]
  /** Devices of the machine to have. */
  readonly devices: readonly string[]
  /** The mounts of the machine. */
  readonly table: readonly Mount[]
}

/** What the node needs inside the root until a sandbox is set up. */
export const STAGING = '/.orrery'
const OLD_ROOT = `${STAGING}/old`

/** Where volume number `index` waits until everything else of the machine is out of reach. */
export function stagedVolume(index: number): string {
  return `${STAGING}/volumes/${index}`
}

/**
 * What process 1 of a sandbox reads. It has the privileges of its user namespace, which it needs to mount; the program does
 * not: it is started without any, and without a way to get them back. Descriptors: 3 is the program's input, 4 what
 * `runScript` says, 5 takes errors, 6 is the program's standard error: the shell's own must not get into it. Volumes are mounted where they belong only after the machine's own root is out
 * of reach: what pods wrote into them earlier, links above all, leads nowhere else.
 */
export function setupScript(options: SetupOptions, tools: SandboxTools): string {
  const { root, hostname, shown, masked, mounts, devices, table } = options
  const mount = (...words: string[]) => commandLine([tools.mount, '-n', ...words])
  const below = (path: string) => posix.join(root, path)
  const lines = ['set -e', 'exec 6>&2 2>&5', mount('--rbind', root, root)]
  for (const { source, target } of shown) {
    lines.push(mount('--rbind', source, below(target)), ...readOnly(source, below(target), table, mount))
  }
  for (const path of masked) lines.push(mount('-t', 'tmpfs', '-o', 'ro,size=4k,mode=700', 'tmpfs', below(path)))
  for (const path of devices) lines.push(mount('--bind', path, below(path)))
  const terminals = 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec'
  lines.push(mount('-t', 'devpts', '-o', terminals, 'devpts', below('/dev/pts')))
  lines.push(mount('-t', 'proc', '-o', 'nosuid,nodev,noexec', 'proc', below('/proc')))
  for (const [index, { source }] of mounts.entries()) lines.push(mount('--rbind', source, below(stagedVolume(index))))
  if (tools.hostname !== undefined) lines.push(`${commandLine([tools.hostname, hostname])} 2>/dev/null || :`)
  lines.push(`cd ${quoted(root)}`, commandLine([tools.pivot_root, '.', OLD_ROOT.slice(1)]), 'cd /')
  lines.push(commandLine([tools.umount, '-n', '-l', OLD_ROOT]))
  const order = [...mounts.entries()].sort(([, a], [, b]) => a.mountPath.length - b.mountPath.length)
  for (const [index, one] of order) lines.push(...volumeLines(stagedVolume(index), one, tools, mount))
  for (const [, { source, mountPath, readOnly: isReadOnly }] of order) {
    if (isReadOnly) lines.push(...readOnly(source, mountPath, table, mount).slice(0, 1))
  }
  for (const [index] of order) lines.push(commandLine([tools.umount, '-n', '-l', stagedVolume(index)]))
  lines.push(mount('-o', 'remount,bind,ro,nosuid,nodev,noexec', '/proc'))
  const unprivileged = [tools.setpriv, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--', tools.sh, '-s']
  lines.push('set +e', 'exec 2>/dev/null')
  lines.push(`${commandLine([tools.setsid, ...unprivileged])} <&4 4<&-`, 'exit $?')
  return `${lines.join('\n')}\n`
}

type MountCommand = (...words: string[]) => string

/** A part of a volume is a directory unless it is a file by now. */
function volumeLines(
  staged: string,
  { subPath, mountPath }: SandboxMount,
  tools: SandboxTools,
  mount: MountCommand,
): string[] {
  const from = quoted(posix.join(staged, subPath))
  const to = quoted(mountPath)
  const makeDirectory = (path: string) => `${quoted(tools.mkdir)} -p ${path}`
  return [
    ...(subPath === '' ? [] : [`[ -e ${from} ] || ${makeDirectory(from)}`]),
    `if [ -d ${from} ]; then ${makeDirectory(to)}; elif ! [ -e ${to} ]; then`,
    `${makeDirectory(quoted(posix.dirname(mountPath)))}; : >${to}; fi`,
    mount('--rbind', posix.join(staged, subPath), mountPath),
  ]
}

/** Takes the right to write away. What a mount forbids already it must go on forbidding, or the kernel refuses. */
function readOnly(source: string, target: string, table: readonly Mount[], mount: MountCommand): string[] {
  return mountsOf(source, table).map(({ point, flags }) => {
    const kept = flags.has('noexec') ? ',noexec' : ''
    const at = posix.join(target, posix.relative(source, point))
    return mount('-o', `remount,bind,ro,nosuid,nodev${kept}`, at)
  })
}
