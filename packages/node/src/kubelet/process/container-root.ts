import { lstat, mkdir, readlink, rmdir, symlink, unlink } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { Container } from '@orrery/kinds'
import { NotStarted } from '../container/not-started.js'
import type { VolumePlace } from '../volumes/pod-volumes.js'
import { subPathOf } from './subpath.js'

/** Where a container says why it ended, unless it names another place. */
export const MESSAGE_PATH = '/dev/termination-log'
/** What may stand before and after a path in an argument: `--from=/a:/b/c,/d`, `cat /a >/b;`. */
const BEFORE = /[=:,\s"'@<>|&;(]/
const AFTER = /[/:,;\s"'<>|&)]/

/**
 * The directory that stands for the root of a container's file system. A process of this machine sees the machine's
 * own: what is mounted at `/etc/app` is a link at `<root>/etc/app`, and where a mount path or that of the termination
 * message stands in an argument or a variable, its place below the root is put instead.
 */
export class ContainerRoot {
  readonly path: string
  /** The file of the termination message. */
  readonly messageFile: string
  readonly #moved: readonly string[]

  private constructor(path: string, messagePath: string, mountPaths: readonly string[]) {
    this.path = path
    this.messageFile = this.place(messagePath)
    // The longest first: /data/sub is not the sub of /data.
    this.#moved = [...mountPaths, messagePath].filter((one) => one !== '').sort((a, b) => b.length - a.length)
  }

  /** Lays out the mounts of a container. `places` says where each volume is, `lookUp` what a variable is. */
  static async make(
    path: string,
    container: Container,
    places: ReadonlyMap<string, VolumePlace>,
    lookUp: (name: string) => string | undefined,
  ): Promise<ContainerRoot> {
    const mounts = (container.volumeMounts ?? []).toSorted((a, b) => a.mountPath.length - b.mountPath.length)
    await mkdir(path, { recursive: true })
    for (const mount of mounts) {
      const { name, mountPath } = mount
      const place = places.get(name)
      if (place === undefined) throw new NotStarted('CreateContainerConfigError', `volume ${name} is not mounted`)
      const below = subPathOf(mount, lookUp)
      const target = join(place.path, trimmed(below))
      // What is not there becomes a directory; a file of a ConfigMap is there by now.
      if (below !== '') await mkdir(target, { recursive: true }).catch(() => undefined)
      await link(target, join(path, trimmed(mountPath)))
    }
    return new ContainerRoot(
      path,
      trimmed(container.terminationMessagePath || MESSAGE_PATH),
      mounts.map(({ mountPath }) => trimmed(mountPath)),
    )
  }

  /** Where a path of the container is on this machine. */
  place(path: string): string {
    return join(this.path, trimmed(path))
  }

  /** A text in which every such path leads to where it is on this machine. */
  rewrite(text: string): string {
    if (!text.includes('/')) return text
    let result = ''
    for (let at = 0; at < text.length; ) {
      const found =
        text[at] === '/' && (at === 0 || BEFORE.test(text[at - 1] ?? '')) ? this.#movedAt(text, at) : undefined
      result += found === undefined ? text[at] : this.path + found
      at += found?.length ?? 1
    }
    return result
  }

  #movedAt(text: string, at: number): string | undefined {
    return this.#moved.find((path) => {
      if (!text.startsWith(path, at)) return false
      const next = text[at + path.length]
      return next === undefined || AFTER.test(next)
    })
  }
}

/** A path without detours and without a slash at its end: nothing is left of the root's own. */
function trimmed(path: string): string {
  return posix.normalize(`/${path}`).replace(/\/$/, '')
}

/** Puts a link where something is mounted. What is there already may be the content of another volume: it stays. */
async function link(target: string, path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink() === true) {
    if ((await readlink(path)) === target) return
    await unlink(path)
  } else if (found !== undefined) {
    await rmdir(path).catch(() => {
      const message = 'a volume is mounted where another volume has something already'
      throw new NotStarted('CreateContainerConfigError', message)
    })
  }
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}
