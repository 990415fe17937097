import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const source = process.env.ORRERY_K8S_SOURCE

test('the tables are what the deriving script makes of the API documents', { skip: source === undefined }, (t) => {
  const fresh = mkdtempSync(join(tmpdir(), 'kinds-'))
  t.after(() => rmSync(fresh, { recursive: true }))
  execFileSync(process.execPath, [join(repository, 'tools/derive-kinds/derive.mjs'), source as string, fresh])
  const kept = join(repository, 'packages/kinds/src/tables/groups')
  assert.deepEqual(readdirSync(kept).sort(), readdirSync(fresh).sort())
  for (const file of readdirSync(fresh)) {
    assert.equal(readFileSync(join(kept, file), 'utf8'), readFileSync(join(fresh, file), 'utf8'), file)
  }
})
