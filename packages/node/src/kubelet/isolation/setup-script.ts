import { posix } from 'node:path'
import type { Shown } from './machine-view.js'
import { type Mount, mountsOf } from './mount-table.js'
import { commandLine, quoted } from './shell.js'
import type { SandboxTools } from './tools.js'

/** A volume mount of a sandbox. */
export interface SandboxMount {
  /** The directory on the machine, with links resolved. */
  readonly source: string
  /** The path in the volume that is mounted; empty for the whole volume. */
  readonly subPath: string
  readonly mountPath: string
  readonly readOnly: boolean
  /** Whether the source is a file, which only the node can replace. Defaults to false. */
  readonly isFile?: boolean
}

export interface SetupOptions {
  /** The directory that becomes the root of the sandbox. It contains a mount point for everything shown. */
  readonly root: string
  readonly hostname: string
  readonly shown: readonly Shown[]
  /** Directories to hide below something shown. */
  readonly masked: readonly string[]
  readonly mounts: readonly SandboxMount[]
  /** Device files of the machine to show. */
  readonly devices: readonly string[]
  /** Directories and files below `/proc` with settings of the machine's kernel. */
  readonly kernelFiles: readonly string[]
  /** The mounts of the machine. */
  readonly table: readonly Mount[]
}

/** The directory in the root for what the node needs during the setup of a sandbox. */
export const STAGING = '/.orrery'
const READ_ONLY = 'remount,bind,ro,nosuid,nodev'
const OLD_ROOT = `${STAGING}/old`
const VOLUMES = `${STAGING}/volumes`

/**
 * Returns the staging path of a volume. Volumes stay there until the rest of the machine is unreachable and the mounts
 * are locked.
 */
export function stagedVolume(index: number): string {
  return `${VOLUMES}/${index}`
}

/**
 * Returns the first script of process 1 of a sandbox. It has privileges over the mounts of its namespaces, so nothing
 * that a pod controls runs here: the node created the root, and volumes are at no path where tools or libraries are
 * searched. Links in volumes cannot lead outside, as the root of the machine is unreachable by then. Descriptors: 3 is
 * the program's input, 4 the output of `runScript`, 5 takes errors, 6 is the output of `volumeScript`, and 7 is the
 * program's standard error, which must not contain the shell's own errors.
 *
 * The script ends in a lower user namespace, which cannot undo these mounts: the kernel locks them there. From then on
 * the pod may control what runs, with all privileges of that namespace, which are no more than a program has that
 * creates a user namespace for itself. The user map is written to `/proc`, so `/proc` must be writable until then; the
 * kernel settings in it are not.
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
    // Devices stay writable, but their modes, which are those of the machine, cannot be changed.
    lines.push(mount('--bind', path, below(path)), mount('-o', 'remount,bind,ro,nosuid,noexec', below(path)))
  }
  const terminals = 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec'
  lines.push(mount('-t', 'devpts', '-o', terminals, 'devpts', below('/dev/pts')))
  lines.push(mount('-t', 'proc', '-o', 'nosuid,nodev,noexec', 'proc', below('/proc')))
  // With a cgroup namespace of its own, a program could mount the control groups of the node and stop it.
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
 * Returns the script of process 1 in the lower user namespace: it mounts the volumes at their mount paths and starts
 * the program without privileges. The pod may control the tools by now.
 */
export function volumeScript(mounts: readonly SandboxMount[], tools: SandboxTools): string {
  const mount = mountBy(tools)
  const lines = ['set -e', mount('-o', 'remount,bind,ro,nosuid,nodev,noexec', '/proc')]
  const order = [...mounts.entries()].sort(([, a], [, b]) => a.mountPath.length - b.mountPath.length)
  for (const [index, one] of order) lines.push(...volumeLines(stagedVolume(index), one, tools, mount))
  // The container must not see the rest of a volume of which it mounts a subPath. Locked mounts can be covered but not
  // unmounted.
  lines.push(mount('-t', 'tmpfs', '-o', 'ro,size=4k,mode=700', 'tmpfs', VOLUMES))
  const unprivileged = [tools.setpriv, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--', tools.sh, '-s']
  lines.push('set +e', 'exec 2>/dev/null')
  lines.push(`${commandLine([tools.setsid, ...unprivileged])} <&4 4<&-`, 'exit $?')
  return `${lines.join('\n')}\n`
}

/**
 * Returns a script that makes a tool read-only in its own mount namespace, and executes the command in its arguments.
 */
export function readOnlyToolScript(file: string, tools: SandboxTools): string {
  const mount = mountBy(tools)
  return [mount('--bind', file, file), mount('-o', READ_ONLY, file), 'exec "$@"'].join(' && ')
}

function mountBy(tools: SandboxTools): MountCommand {
  return (...words) => commandLine([tools.mount, '-n', ...words])
}

type MountCommand = (...words: string[]) => string

/**
 * Since the node checked the path, another pod may have replaced the directory or a parent by a link. The script checks
 * which directory is actually bound.
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

/** A subPath is a directory unless a file exists there. */
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

/** Makes a mount read-only. The kernel requires that flags which already restrict the mount stay set. */
function readOnly(source: string, target: string, table: readonly Mount[], mount: MountCommand): string[] {
  return mountsOf(source, table).map(({ point, flags }) => {
    const kept = flags.has('noexec') ? ',noexec' : ''
    const at = posix.join(target, posix.relative(source, point))
    return mount('-o', `${READ_ONLY}${kept}`, at)
  })
}
