import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HubKubeconfigKey } from '@orrery/api'
import type { Secret } from '@orrery/kinds'
import { always, type ControllerSpec, type Informer } from '@orrery/kube'
import { type SecretRef, secretText } from '@orrery/kube/credentials'

/** Keeps a directory equal to the Secret with the hub credentials, for programs that read them from files. */
export function dumpedSecret(identities: Informer<Secret>, ref: SecretRef, directory: string): ControllerSpec {
  return {
    name: 'hub-kubeconfig-directory',
    wakes: [always(identities, ref)],
    async reconcile() {
      const secret = identities.get(ref)
      if (secret === undefined) return
      await mkdir(directory, { recursive: true, mode: 0o700 })
      for (const key of Object.values(HubKubeconfigKey)) {
        const text = secretText(secret, key)
        if (text !== undefined) await replaceFile(join(directory, key), text)
      }
    },
  }
}

/** Replaces a file atomically. Writes nothing if the content is the same. */
async function replaceFile(path: string, text: string): Promise<void> {
  if ((await textOf(path)) === text) return
  const draft = `${path}.new`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, path)
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
