import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OCM_BIN } from '../ocm.js'

type Name = 'maestro' | 'maestro-client'

/** The path of a program that tools/interop/prepare-maestro.mjs builds. */
export function programPath(name: Name): string {
  const path = join(OCM_BIN, name)
  if (!existsSync(path)) throw new Error(`${path} is not there: node tools/interop/prepare-maestro.mjs builds it`)
  return path
}

/** The reason why tests with these programs are skipped, or false: not every module proxy has Maestro. */
export function whySkipped(): string | false {
  const missing = (['maestro', 'maestro-client'] as const).filter((name) => !existsSync(join(OCM_BIN, name)))
  return missing.length === 0 ? false : `${missing.join(', ')} not built: see tools/interop/prepare-maestro.mjs`
}
