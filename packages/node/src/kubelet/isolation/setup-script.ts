import { posix } from 'node:path'
import type { Shown } from './machine-view.js'
import { type Mount, mountsOf } from './mount-table.js'
import { commandLine, quoted } from './shell.js'
import type { SandboxTools } from './tools.js'

/** A volume as a sandbox has it. */
export interface SandboxMount {
  /** The directory on the machine, by its path without links. */
  readonly source: string
  /** The part of it that is mounted; empty for all of it. */
  readonly subPath: string
  readonly mountPath: string
  readonly readOnly: boolean
  /** Whether the source is a file, which only the node can replace. Default false. */
  readonly isFile?: boolean
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
  /** Directories and files below `/proc` by which the kernel of the machine is set up. */
  readonly kernelFiles: readonly string[]
  /** The mounts of the machine. */
  readonly table: readonly Mount[]
}

/** What the node needs inside the root until a sandbox is set up. */
export const STAGING = '/.orrery'
const READ_ONLY = 'remount,bind,ro,nosuid,nodev'
const OLD_ROOT = `${STAGING}/old`
const VOLUMES = `${STAGING}/volumes`

/** Where volume number `index` waits until everything else of the machine is out of reach, and locked. */
export function stagedVolume(index: number): string {
  return `${VOLUMES}/${index}`
}

/**
 * What process 1 of a sandbox reads first. It has privileges over the mounts of its namespaces, so nothing runs here that a
 * pod has a say in: the root is as the node has made it, and volumes are at no path where a tool or a library is
 * looked for. Links in volumes lead nowhere else, as the machine's own root is out of reach by then. Descriptors: 3 is the
 * program's input, 4 what `runScript` returns, 5 takes errors, 6 is what `volumeScript` returns, 7 is the program's standard
 * error: the shell's own must not get into it.
 *
 * It ends in a user namespace below its own, which cannot undo any of these mounts: the kernel locks them there. Whatever
 * runs from then on may be the pod's, with all privileges of that namespace: it has no more power than a program which
 * makes a namespace for itself. A map of users is written to `/proc`, so that it must be writable until then; what it
 * shows of the kernel is not.
 */
export function setupScript(options: SetupOptions, tools: SandboxTools): string {
  const { root, hostname, shown, masked, mounts, devices, kernelFiles, table } = options
  const mount = mountBy(tools)
  const below = (path: string) => posix.join(root, path)
  const lines = ['set -e', 'exec 7>&2 2>&5', mount('--rbind', root, root)]
  for (const { source, target } of shown) {
    lines.push(mount('--rbind', source, below(target)), ...readOnly(source, below(target), table, mount))
  }
  for (const path of masked) lines.push(mount('-t', 'tmpfs', '-o', 'ro,size=4k,mode=700', 'tmpfs', below(path)))
  for (const path of devices) {
    // Devices can be written to all the same; their modes, which are those of the machine, cannot be changed.
    lines.push(mount('--bind', path, below(path)), mount('-o', 'remount,bind,ro,nosuid,noexec', below(path)))
  }
  const terminals = 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec'
  lines.push(mount('-t', 'devpts', '-o', terminals, 'devpts', below('/dev/pts')))
  lines.push(mount('-t', 'proc', '-o', 'nosuid,nodev,noexec', 'proc', below('/proc')))
  // With a namespace of its own for them, a program could mount the control groups of the node, and stop it.
  const groups = quoted(below('/proc/sys/user/max_cgroup_namespaces'))
  lines.push(`[ ! -e ${groups} ] || echo 0 >${groups}`)
  for (const path of kernelFiles) {
    lines.push(mount('--bind', below(path), below(path)))
    lines.push(mount('-o', 'remount,bind,ro,nosuid,nodev,noexec', below(path)))
  }
  for (const [index, one] of mounts.entries()) lines.push(...stagingLines(one, below(stagedVolume(index)), mount))
  if (tools.hostname !== undefined) lines.push(`${commandLine([tools.hostname, hostname])} 2>/dev/null || :`)
  lines.push(`cd ${quoted(root)}`, commandLine([tools.pivot_root, '.', OLD_ROOT.slice(1)]), 'cd /')
  lines.push(commandLine([tools.umount, '-n', '-l', OLD_ROOT]))
  for (const [index, { subPath }] of mounts.entries()) {
    const part = quoted(posix.join(stagedVolume(index), subPath))
    if (subPath !== '') lines.push(`[ -e ${part} ] || ${quoted(tools.mkdir)} -p ${part}`)
  }
  for (const [index, { source, readOnly: isReadOnly }] of mounts.entries()) {
    if (isReadOnly) lines.push(...readOnly(source, stagedVolume(index), table, mount).slice(0, 1))
  }
  const lower = [tools.unshare, '--user', '--map-root-user', '--mount', '--', tools.sh, '-s']
  lines.push(`exec ${commandLine(lower)} <&6 6<&-`)
  return `${lines.join('\n')}\n`
}

/**
 * What process 1 reads in the lower namespace: it mounts the volumes where they belong, and starts the program without any
 * privileges. Tools may be the pod's own by now.
 */
export function volumeScript(mounts: readonly SandboxMount[], tools: SandboxTools): string {
  const mount = mountBy(tools)
  const lines = ['set -e', mount('-o', 'remount,bind,ro,nosuid,nodev,noexec', '/proc')]
  const order = [...mounts.entries()].sort(([, a], [, b]) => a.mountPath.length - b.mountPath.length)
  for (const [index, one] of order) lines.push(...volumeLines(stagedVolume(index), one, tools, mount))
  // What lies beside a part that is mounted is not the container's. Locked mounts can be covered, not taken away.
  lines.push(mount('-t', 'tmpfs', '-o', 'ro,size=4k,mode=700', 'tmpfs', VOLUMES))
  const unprivileged = [tools.setpriv, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--', tools.sh, '-s']
  lines.push('set +e', 'exec 2>/dev/null')
  lines.push(`${commandLine([tools.setsid, ...unprivileged])} <&4 4<&-`, 'exit $?')
  return `${lines.join('\n')}\n`
}

/** Makes a tool read-only in a mount namespace of its own, and becomes the command that it gets as arguments. */
export function readOnlyToolScript(file: string, tools: SandboxTools): string {
  const mount = mountBy(tools)
  return [mount('--bind', file, file), mount('-o', READ_ONLY, file), 'exec "$@"'].join(' && ')
}

function mountBy(tools: SandboxTools): MountCommand {
  return (...words) => commandLine([tools.mount, '-n', ...words])
}

type MountCommand = (...words: string[]) => string

/**
 * Another pod may have put a link where the directory was, or above it, since the node has looked: what counts is which
 * directory is bound.
 */
function stagingLines({ source, isFile = false }: SandboxMount, staged: string, mount: MountCommand): string[] {
  if (isFile) return [mount('--bind', source, staged)]
  const gone = `echo ${quoted(`${source} is not the directory that it was`)} >&2`
  return [
    `cd -P ${quoted(source)}`,
    `[ "$(pwd -P)" = ${quoted(source)} ] || { ${gone}; exit 1; }`,
    mount('--no-canonicalize', '--rbind', '.', staged),
  ]
}

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
    return mount('-o', `${READ_ONLY}${kept}`, at)
  })
}
