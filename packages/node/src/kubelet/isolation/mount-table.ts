import { readFile } from 'node:fs/promises'

/** A mount of this machine. */
export interface Mount {
  readonly point: string
  /** As in `/proc/self/mountinfo`: `rw`, `nosuid`, `relatime`, …. */
  readonly flags: ReadonlySet<string>
}

/** Reads the mounts of this process from `/proc/self/mountinfo`. */
export async function readMounts(): Promise<readonly Mount[]> {
  return parseMounts(await readFile('/proc/self/mountinfo', 'utf8'))
}

export function parseMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, , , , point, flags] = line.split(' ')
    if (point === undefined || flags === undefined) return []
    return [{ point: unescaped(point), flags: new Set(flags.split(',')) }]
  })
}

/**
 * Returns the mount that a path is on, and the mounts below the path. The last mount at a mount point covers earlier
 * ones.
 */
export function mountsOf(path: string, mounts: readonly Mount[]): readonly Mount[] {
  let own: Mount = { point: path, flags: new Set() }
  let length = -1
  const below = new Map<string, Mount>()
  for (const mount of mounts) {
    const { point } = mount
    if (point !== path && isBelow(path, point)) below.set(point, mount)
    else if ((point === path || isBelow(point, path)) && point.length >= length) {
      own = { point: path, flags: mount.flags }
      length = point.length
    }
  }
  return [own, ...below.values()]
}

function isBelow(directory: string, path: string): boolean {
  return path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
}

/** Decodes the octal escapes of blanks and similar characters. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
