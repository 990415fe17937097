// A new embedded database for the tests: PostgreSQL takes five seconds of CPU time to create one, and a tenth of that to
// start on a copy.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const PACKAGE = '@electric-sql/pglite'

/** The directory of the database, which is kept for further runs. */
export async function emptyDatabase(root) {
  // The package exports no package.json.
  const manifest = join(dirname(createRequire(join(root, 'packages/maestro/')).resolve(PACKAGE)), '../package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const directory = join(root, '.cache', `pglite-${version}`)
  if (!existsSync(directory)) await createDatabase(directory)
  return directory
}

async function createDatabase(directory) {
  mkdirSync(dirname(directory), { recursive: true })
  // Two runs may begin at the same time.
  const unfinished = mkdtempSync(`${directory}-`)
  try {
    const { PGlite } = await import(PACKAGE)
    const database = await PGlite.create(unfinished)
    await database.close()
    if (!existsSync(directory)) renameSync(unfinished, directory)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
