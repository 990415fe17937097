import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'

/** A directory with files in it, for one test. */
export async function directoryWith(t: TestContext, files: Readonly<Record<string, string | object>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-kubeconfig-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return directory
}

/** The content of a kubeconfig with one entry of each sort, all of the same name. */
export function plain(name: string, cluster: object, user: object = {}, context: object = {}) {
  return {
    'current-context': name,
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...context } }],
  }
}
