import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { KubeObject } from '@orrery/kinds'
import { parseAllDocuments } from 'yaml'

/** Where the examples are. */
export const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))

/** An object of an example, and the file it is in. */
export interface Example {
  readonly file: string
  readonly object: KubeObject
}

/** Configurations of adapters and templates of their works, which are not objects of an API. */
const ADAPTER_CONFIG = join('hyperfleet-adapter', 'config')

/** All objects of all examples. */
export function readExamples(): Example[] {
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.yaml') && !file.startsWith(ADAPTER_CONFIG),
  )
  return files.sort().flatMap((file) =>
    parseAllDocuments(readFileSync(join(EXAMPLES, file), 'utf8')).map((document) => {
      if (document.errors[0] !== undefined) throw document.errors[0]
      return { file, object: document.toJS() as KubeObject }
    }),
  )
}
