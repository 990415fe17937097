// Assigns test files to processes. Starting Node, loading the packages and compiling their functions takes longer
// than the tests of most files: files of one package share a process, where they run one after the other.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The start of the comment at the top of a file that cannot share its process, followed by the reason. */
const ALONE = '// Runs in a process of its own:'

/**
 * How many files share a process at most: those of a directory in `tests` do, as each process takes seconds to compile what
 * servers and fleets run. Tests of the command line mostly wait for processes that they start. Packages come last, and the
 * end of the run would wait for a larger process.
 */
const FILES_TOGETHER = { packages: 90, examples: 90, tests: 40, 'tests/cli': 14 }

/** Divides files, sorted by path, into groups for one process each: those in `tests` first, and the largest first. */
export function groupsOf(root, files) {
  const isAlone = (file) => readFileSync(join(root, file), 'utf8').startsWith(ALONE)
  const alone = files.filter(isAlone)
  const groups = [...alone.map((file) => [file]), ...inParts(files.filter((file) => !alone.includes(file)))]
  const isLong = ([file]) => file.startsWith('tests/')
  const bySize = groups.toSorted((one, other) => other.length - one.length)
  return [...bySize.filter(isLong), ...bySize.filter((group) => !isLong(group))]
}

/** The package of a file, or the directory in `tests`. */
function areaOf(file) {
  const [top, first, second] = file.split('/')
  return top === 'tests' ? `${top}/${second}` : `${top}/${first}`
}

/** The files of each area, in parts of about equal size. */
function inParts(files) {
  const areas = new Map()
  for (const file of files) areas.set(areaOf(file), [...(areas.get(areaOf(file)) ?? []), file])
  return [...areas].flatMap(([area, ofArea]) => {
    const parts = Math.ceil(ofArea.length / (FILES_TOGETHER[area] ?? FILES_TOGETHER[area.split('/')[0]]))
    const size = Math.ceil(ofArea.length / parts)
    return Array.from({ length: parts }, (_, part) => ofArea.slice(part * size, (part + 1) * size))
  })
}

/** Writes a module for each group that runs its files, and returns their paths: Node's runner sorts them by name. */
export function writeGroups(directory, root, groups) {
  const runner = JSON.stringify(new URL('together.mjs', import.meta.url).href)
  return groups.map((files, index) => {
    const name = `${String(index).padStart(3, '0')}-${areaOf(files[0]).replace('/', '-')}.test.mjs`
    const call = `await runTogether(${JSON.stringify(root)}, ${JSON.stringify(files)})`
    writeFileSync(join(directory, name), `import { runTogether } from ${runner}\n${call}\n`)
    return join(directory, name)
  })
}
