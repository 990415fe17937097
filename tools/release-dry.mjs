// Builds, checks and packs all packages as a release would, and publishes nothing:
//   node tools/release-dry.mjs [output directory]
// Works on the repository of the current directory. Refuses if something is not committed, if the packages do not all have
// the version of the repository, or if a package would not work where it is installed.
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pack } from './release/pack.mjs'
import { isInChangelog, readWorkspace, uncommittedFiles, versionProblems } from './release/workspace.mjs'

const root = process.cwd()
const [output = mkdtempSync(join(tmpdir(), 'orrery-release-'))] = process.argv.slice(2)

function refuse(problem, details, fix) {
  console.error([`release: ${problem}: ${fix}`, ...details.map((line) => `  ${line}`)].join('\n'))
  process.exit(1)
}

function checkSources({ manifest: { version }, packages }) {
  const uncommitted = uncommittedFiles(root)
  if (uncommitted.length > 0)
    refuse('the tree has changes that are not committed', uncommitted, 'commit or remove them')
  const mismatches = versionProblems({ manifest: { version }, packages })
  if (mismatches.length > 0)
    refuse(`not everything has version ${version}`, mismatches, 'use the version of the root package.json')
  if (!isInChangelog(root, version)) refuse(`CHANGELOG.md has no section [${version}]`, [], 'describe what changed')
}

async function checkTarballs(tarballs) {
  const { tarballProblems } = await import('./release/tarball-problems.mjs')
  const problems = []
  for (const tarball of tarballs) {
    problems.push(...(await tarballProblems(tarball)).map((problem) => `${tarball.name} ${problem}`))
  }
  if (problems.length > 0) refuse('packages would not work where they are installed', problems, 'correct them')
}

const kilobytes = (bytes) => `${Math.ceil(bytes / 1_000).toLocaleString('en')} kB`

function table(tarballs) {
  const rows = tarballs.map(({ name, version, size, unpackedSize, files }) => [
    name,
    version,
    kilobytes(size),
    kilobytes(unpackedSize),
    String(files.length),
  ])
  const all = [['PACKAGE', 'VERSION', 'PACKED', 'UNPACKED', 'FILES'], ...rows]
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const workspace = readWorkspace(root)
checkSources(workspace)
// A file of `dist` whose source is gone would be published.
for (const script of ['clean', 'build'])
  execFileSync('npm', ['run', '--silent', script], { cwd: root, stdio: 'inherit' })
const tarballs = pack(root, workspace.packages, resolve(output))
await checkTarballs(tarballs)
console.log(table(tarballs))
console.log(
  `\n${tarballs.length} packages of version ${workspace.manifest.version} are in ${resolve(output)}. Nothing was published.`,
)
