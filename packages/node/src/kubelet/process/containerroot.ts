import { lstat, mkdir, readlink, rmdir, symlink, unlink } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { Container } from '@orrery/kube/kinds'
import { NotStarted } from '../container/live.js'

/** What may stand before and after a path in an argument: `--from=/a:/b/c,/d`. */
const BEFORE = /[=:,\s"'@]/
const AFTER = /[/:,;\s"']/

/**
 * The directory that stands for the root of a container's file system. A process of this machine sees the machine's
 * own: what is mounted at `/etc/app` is a link at `<root>/etc/app`, and where a mount path stands in an argument or a
 * variable, the place of the link is put instead.
 */
export class ContainerRoot {
  readonly path: string
  readonly #mountPaths: readonly string[]

  private constructor(path: string, mountPaths: readonly string[]) {
    this.path = path
    // The longest first: /data/sub is not the sub of /data.
    this.#mountPaths = mountPaths.toSorted((a, b) => b.length - a.length)
  }

  /** Lays out the mounts of a container. `places` says where each volume is. */
  static async make(
    path: string,
    container: Container,
    places: ReadonlyMap<string, string>,
    expandSubPath: (expression: string) => string,
  ): Promise<ContainerRoot> {
    const mounts = (container.volumeMounts ?? []).toSorted((a, b) => a.mountPath.length - b.mountPath.length)
    await mkdir(path, { recursive: true })
    for (const { name, mountPath, subPath, subPathExpr } of mounts) {
      const place = places.get(name)
      if (place === undefined) throw new NotStarted('CreateContainerConfigError', `volume ${name} is not mounted`)
      const below = subPathExpr === undefined ? (subPath ?? '') : expandSubPath(subPathExpr)
      const target = join(place, posix.normalize(`/${below}`))
      // What is not there becomes a directory; a file of a ConfigMap is there by now.
      if (below !== '') await mkdir(target, { recursive: true }).catch(() => undefined)
      await link(target, join(path, posix.normalize(`/${mountPath}`)))
    }
    return new ContainerRoot(
      path,
      mounts.map(({ mountPath }) => posix.normalize(`/${mountPath}`).replace(/\/$/, '')),
    )
  }

  /** Where a path of the container is on this machine. */
  place(path: string): string {
    return join(this.path, posix.normalize(`/${path}`))
  }

  /** A text in which every mount path leads to where it is on this machine. */
  rewrite(text: string): string {
    if (!text.includes('/')) return text
    let result = ''
    for (let at = 0; at < text.length; ) {
      const found =
        text[at] === '/' && (at === 0 || BEFORE.test(text[at - 1] ?? '')) ? this.#mountAt(text, at) : undefined
      result += found === undefined ? text[at] : this.path + found
      at += found?.length ?? 1
    }
    return result
  }

  #mountAt(text: string, at: number): string | undefined {
    return this.#mountPaths.find((path) => {
      if (!text.startsWith(path, at)) return false
      const next = text[at + path.length]
      return next === undefined || AFTER.test(next)
    })
  }
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
