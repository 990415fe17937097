// The packages of a repository that are published, and what has to hold before they are.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** The manifest of the repository, and those of its packages with their directories. */
export function readWorkspace(root) {
  const packages = readdirSync(join(root, 'packages'))
    .sort()
    .map((name) => ({
      directory: `packages/${name}`,
      manifest: readJson(join(root, 'packages', name, 'package.json')),
    }))
  return { manifest: readJson(join(root, 'package.json')), packages }
}

/** Files that differ from the last commit, or are not in it. */
export function uncommittedFiles(root) {
  const text = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  return text.split('\n').filter((line) => line !== '')
}

/** Every version that is not the version of the repository. */
export function versionProblems({ manifest: { version }, packages }) {
  const names = new Set(packages.map(({ manifest }) => manifest.name))
  return packages.flatMap(({ directory, manifest }) => {
    const own = manifest.version === version ? [] : [`${directory} has version ${manifest.version}`]
    const used = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies }
    const wrong = Object.entries(used).filter(([name, wanted]) => names.has(name) && wanted !== version)
    return [...own, ...wrong.map(([name, wanted]) => `${directory} depends on ${name} ${wanted}`)]
  })
}

/** Whether the changelog has a section for a version. */
export function isInChangelog(root, version) {
  const path = join(root, 'CHANGELOG.md')
  return existsSync(path) && readFileSync(path, 'utf8').includes(`\n## [${version}]`)
}
