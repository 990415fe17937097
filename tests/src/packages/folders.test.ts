import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../../../packages', import.meta.url))

/** Imports between the entries of one folder: importing entry, imported entry, and one pair of files that shows it. */
type Imports = Map<string, Map<string, string>>

/**
 * Sources without tests and fixtures, which start whole servers and are not imported. Types count as well: readers of
 * a folder need to know the folders of its types.
 */
function sourcesOf(name: string): Map<string, string> {
  const root = join(packages, name, 'src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file),
  )
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

/** The files that a file imports or exports from, by path below `src`. */
function* importedBy(file: string, text: string): Generator<string> {
  for (const [, specifier] of text.matchAll(/(?:\bfrom|\bimport|\bimport\() ?'(\.[^']+)'/g)) {
    yield posix.join(posix.dirname(file), specifier as string).replace(/\.js$/, '.ts')
  }
}

/** By folder: the imports between its entries. An import belongs to the common folder of both files. */
function importsByFolder(sources: ReadonlyMap<string, string>): Map<string, Imports> {
  const folders = new Map<string, Imports>()
  for (const [file, text] of sources) {
    for (const other of importedBy(file, text)) {
      const [from, to] = [file.split('/'), other.split('/')]
      const depth = from.findIndex((part, index) => part !== to[index])
      if (depth < 0) continue
      const folder = from.slice(0, depth).join('/')
      const imports = folders.get(folder) ?? new Map<string, Map<string, string>>()
      folders.set(folder, imports)
      const entry = from[depth] as string
      imports.set(entry, (imports.get(entry) ?? new Map()).set(to[depth] as string, `${file} imports ${other}`))
    }
  }
  return folders
}

/** A cycle from an entry back to itself: the imports along it. Undefined if there is none. */
function wayBack(start: string, imports: Imports): string[] | undefined {
  const seen = new Set<string>()
  let ways = [{ at: start, shown: [] as string[] }]
  while (ways.length > 0) {
    const next: typeof ways = []
    for (const { at, shown } of ways) {
      for (const [to, example] of imports.get(at) ?? []) {
        const way = { at: to, shown: [...shown, example] }
        if (to === start) return way.shown
        if (!seen.has(to)) next.push(way)
        seen.add(to)
      }
    }
    ways = next
  }
  return undefined
}

for (const name of readdirSync(packages)) {
  // Files of one folder may import each other: values and lists of values, a planner and its steps.
  test(`folders of ${name}: have no import cycles, nor do files at the top of src`, () => {
    const sources = sourcesOf(name)
    assert.ok(sources.size > 0)
    for (const [folder, imports] of importsByFolder(sources)) {
      for (const entry of imports.keys()) {
        if (folder !== '' && entry.endsWith('.ts')) continue
        assert.deepEqual(wayBack(entry, imports) ?? [], [])
      }
    }
  })
}
