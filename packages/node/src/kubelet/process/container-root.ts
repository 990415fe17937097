import { lstat, mkdir, readlink, rmdir, symlink, unlink } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { Container } from '@orrery/kinds'
import { NotStarted } from '../container/not-started.js'
import type { VolumePlace } from '../volumes/pod-volumes.js'
import { subPathOf } from './subpath.js'

/** The default `terminationMessagePath`. */
export const MESSAGE_PATH = '/dev/termination-log'
/** The characters that can precede and follow a path in an argument: `--from=/a:/b/c,/d`, `cat /a >/b;`. */
const BEFORE = /[=:,\s"'@<>|&;(]/
const AFTER = /[/:,;\s"'<>|&)]/

/**
 * The root directory of a container without isolation. Its process sees the files of the machine, so a volume at
 * `/etc/app` is a link at `<root>/etc/app`, and mount paths and the path of the termination message are rewritten in
 * arguments and variables to their place below the root.
 */
export class ContainerRoot {
  readonly path: string
  /** The file of the termination message. */
  readonly messageFile: string
  readonly #moved: readonly string[]

  private constructor(path: string, messagePath: string, mountPaths: readonly string[]) {
    this.path = path
    this.messageFile = this.place(messagePath)
    // Longest first, so that /data/sub is matched before /data.
    this.#moved = [...mountPaths, messagePath].filter((one) => one !== '').sort((a, b) => b.length - a.length)
  }

  /**
   * Creates the mounts of a container. `places` has the directory of each volume, `lookUp` returns variables for
   * `subPathExpr`.
   */
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
      // A missing subPath becomes a directory; files of a ConfigMap already exist.
      if (below !== '') await mkdir(target, { recursive: true }).catch(() => undefined)
      await link(target, join(path, trimmed(mountPath)))
    }
    return new ContainerRoot(
      path,
      trimmed(container.terminationMessagePath || MESSAGE_PATH),
      mounts.map(({ mountPath }) => trimmed(mountPath)),
    )
  }

  /** Returns where a path of the container is on this machine. */
  place(path: string): string {
    return join(this.path, trimmed(path))
  }

  /** Rewrites all paths of mounts in a text to their place on this machine. */
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

/** Normalises a path and removes a trailing slash; `/` becomes empty. */
function trimmed(path: string): string {
  return posix.normalize(`/${path}`).replace(/\/$/, '')
}

/** Creates the link for a mount. An existing file may be the content of another volume, so it stays. */
async function link(target: string, path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink() === true) {
    if ((await readlink(path)) === target) return
    await unlink(path)
  } else if (found !== undefined) {
    await rmdir(path).catch(() => {
      const message = 'a volume is mounted at a path that another volume already contains'
      throw new NotStarted('CreateContainerConfigError', message)
    })
  }
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}
