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
const FILES_TOGETHER = { packages: 90, examples: 90, tests: 40, 'tests/cli': 14, 'tests/*': 24 }
/** Areas with fewer files share processes with each other, as the area `*` of their top directory, unless those take long. */
const SMALL_AREA = 20
/** About how many times as long as others a file takes, so that long groups start first. */
const LENGTH = { 'packages/maestro': 3, 'tests/cli': 3, 'tests/hyperfleet': 5, 'tests/maestro': 6 }

/** Divides files, sorted by path, into groups for one process each: those in `tests` first, and the longest first. */
export function groupsOf(root, files) {
  const isAlone = (file) => readFileSync(join(root, file), 'utf8').startsWith(ALONE)
  const alone = files.filter(isAlone)
  const groups = [...alone.map((file) => [file]), ...inParts(files.filter((file) => !alone.includes(file)))]
  const isLong = ([file]) => file.startsWith('tests/')
  const byLength = groups.toSorted((one, other) => lengthOf(other) - lengthOf(one))
  return [...byLength.filter(isLong), ...byLength.filter((group) => !isLong(group))]
}

function lengthOf(group) {
  return group.reduce((sum, file) => sum + (LENGTH[areaOf(file)] ?? 1), 0)
}

/** The package of a file, or the directory in `tests`. */
function areaOf(file) {
  const [top, first, second] = file.split('/')
  return top === 'tests' ? `${top}/${second}` : `${top}/${first}`
}

/** The files of each area, in parts of about equal size. */
function inParts(files) {
  const all = grouped(files, areaOf)
  const isSmall = (file) => all.get(areaOf(file)).length < SMALL_AREA && !(areaOf(file) in LENGTH)
  const areas = grouped(files, (file) => (isSmall(file) ? `${file.split('/')[0]}/*` : areaOf(file)))
  return [...areas].flatMap(([area, ofArea]) => {
    const parts = Math.ceil(ofArea.length / (FILES_TOGETHER[area] ?? FILES_TOGETHER[area.split('/')[0]]))
    const size = Math.ceil(ofArea.length / parts)
    return Array.from({ length: parts }, (_, part) => ofArea.slice(part * size, (part + 1) * size))
  })
}

function grouped(files, by) {
  const groups = new Map()
  for (const file of files) groups.set(by(file), [...(groups.get(by(file)) ?? []), file])
  return groups
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
