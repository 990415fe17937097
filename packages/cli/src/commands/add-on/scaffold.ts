import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isDNS1123Label } from '@orrery/kinds/values'
import { PACKAGE_DIRECTORY } from '../../package-directory.js'

const TEMPLATES = join(PACKAGE_DIRECTORY, 'templates/add-on')

/** npm does not publish files with this name. */
const GITIGNORE = 'gitignore'

/** `addon-` and the name are a label value, and the name of the agent's Deployment has a suffix. */
const MAX_NAME = 50

/** Writes the files of a new add-on to a directory, which must be empty or missing. Returns their paths in it. */
export async function scaffold(name: string, directory: string): Promise<string[]> {
  const [problem] = isDNS1123Label(name)
  if (problem !== undefined) throw new Error(`${JSON.stringify(name)} is not a valid name of an add-on: ${problem}`)
  if (name.length > MAX_NAME) throw new Error(`the name of an add-on can have up to ${MAX_NAME} characters`)
  const present = existsSync(directory) ? await readdir(directory) : []
  if (present.length > 0) throw new Error(`${directory} is not empty: choose another directory with --directory`)
  const { version } = JSON.parse(await readFile(join(PACKAGE_DIRECTORY, 'package.json'), 'utf8')) as { version: string }
  const values = (word: string) => (word === 'name' ? name : dependency(word.replace('from ', ''), directory, version))
  const templates = (await readdir(TEMPLATES, { recursive: true })).filter((file) => file.endsWith('.template')).sort()
  const written: string[] = []
  for (const template of templates) {
    const plain = template.replace(/\.template$/, '')
    const file = plain === GITIGNORE ? '.gitignore' : plain
    const text = await readFile(join(TEMPLATES, template), 'utf8')
    await mkdir(dirname(join(directory, file)), { recursive: true })
    await writeFile(
      join(directory, file),
      text.replaceAll(/\{\{(name|from \w+)\}\}/g, (_, word: string) => values(word)),
      { flag: 'wx' },
    )
    written.push(file)
  }
  return written
}

/** Where the add-on gets a package of Orrery from: the clone in which this program runs, or the registry. */
function dependency(name: string, directory: string, version: string): string {
  const inClone = join(PACKAGE_DIRECTORY, '..', name)
  return existsSync(join(inClone, 'src')) ? `file:${relative(directory, inClone)}` : `^${version}`
}
