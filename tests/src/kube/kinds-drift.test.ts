import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '../support/server.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

test('kinds: equal the output of the generator', async (t) => {
  const fresh = await temporaryDirectory(t)
  execFileSync(process.execPath, [join(repository, 'tools/generate-kinds.mjs'), fresh])
  const kept = join(repository, 'packages/kinds/src')
  const generated = readdirSync(join(kept, 'kinds')).filter((file) => file.endsWith('.generated.ts'))
  assert.deepEqual(generated.sort(), readdirSync(join(fresh, 'kinds')).sort())
  for (const file of ['index.ts', ...generated.map((name) => join('kinds', name))]) {
    assert.equal(readFileSync(join(kept, file), 'utf8'), readFileSync(join(fresh, file), 'utf8'), file)
  }
})
