import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url))

/** The fields of a package.json that the tests read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly license?: string
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly type?: string
  readonly sideEffects?: boolean | readonly string[]
  readonly engines?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly types?: string
  readonly files?: readonly string[]
  readonly publishConfig?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A package of the workspace that is published. */
export interface Published {
  /** The name of its directory in `packages`. */
  readonly directory: string
  readonly manifest: Manifest
}

export function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(REPOSITORY, path, 'package.json'), 'utf8')) as Manifest
}

export const PACKAGES: readonly Published[] = readdirSync(join(REPOSITORY, 'packages'))
  .sort()
  .map((directory) => ({ directory, manifest: readManifest(join('packages', directory)) }))

/** Packages that run in browsers. */
export const BROWSER_PACKAGES = PACKAGES.filter(({ directory }) => ['kinds', 'cel', 'api'].includes(directory))

/** All names that a program can import from a package, such as `@orrery/cel/schema`. Patterns are expanded to the files they match. */
export function entriesOf({ directory, manifest }: Published): string[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const entry = `${manifest.name}${path.slice(1)}`
    if (!path.includes('*')) return [entry]
    const [before = '', after = ''] = (target.default ?? '').split('*')
    const files = readdirSync(join(REPOSITORY, 'packages', directory, before))
    const matched = files.filter((file) => file.endsWith(after)).map((file) => file.slice(0, -after.length))
    return matched.map((name) => entry.replace('*', name))
  })
}
