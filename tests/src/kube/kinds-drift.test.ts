import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '../support/server.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const WRITTEN_BY_HAND = ['scalars.ts']

test("the built-in kinds are what the generator makes of the API server's tables", async (t) => {
  const fresh = await temporaryDirectory(t)
  execFileSync(process.execPath, [join(repository, 'tools/generate-kinds.mjs'), fresh])
  const kept = join(repository, 'packages/kube/src/kinds')
  const generated = readdirSync(kept).filter((file) => !WRITTEN_BY_HAND.includes(file) && !file.endsWith('.test.ts'))
  assert.deepEqual(generated.sort(), readdirSync(fresh).sort())
  for (const file of generated) {
    assert.equal(readFileSync(join(kept, file), 'utf8'), readFileSync(join(fresh, file), 'utf8'), file)
  }
})
